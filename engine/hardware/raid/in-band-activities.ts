/**
 * The activities of RAID volumes in band, besides the commands for the agent. None of them touches the machine.
 *
 * 1. Before each change the layout is planned again from a new look.
 * 2. A change that is planned again after its job was not made, and is not repeated.
 */
import { type ActivityScope, activity, PermanentError } from '../../define/index.ts';
import { factsOf } from '../erase/facts.ts';
import type { EndedJob, NextJob, PlanAfterLook } from '../jobs/job-machine.ts';
import { programsOf, type RaidJob, type RaidTool, wantedOf } from './raid-commands.ts';
import { type ListedChange, layoutIn, type RaidLayoutOptions } from './raid-layout.ts';
import { type RaidLook, raidLookIn } from './raid-look.ts';
import { listedChange, possiblePlan, type RaidChange, type RaidPlan, raidRejection } from './raid-plan.ts';

export interface InBandOptions extends RaidLayoutOptions {
  tool?: RaidTool;
}

interface PlanInput {
  options: InBandOptions;
  /** The output of the look. */
  stdout: string;
}

/** @throws PermanentError RAID_REJECTED */
function lookAndPlan({ options, stdout }: PlanInput): { look: RaidLook; plan: RaidPlan } {
  const { tool, volumes } = options;
  const look = raidLookIn(stdout);
  checkTool(look, tool);
  const striped = volumes.find(({ raid, bytes }) => tool === 'mdadm' && raid === 'RAID0' && bytes !== undefined);
  if (striped !== undefined)
    throw raidRejection(`${striped.name}: mdadm makes RAID0 of whole drives; leave out its bytes`);
  return { look, plan: possiblePlan(look.controllers, layoutIn(options)) };
}

export interface InBandPlan {
  changes: ListedChange[];
  kept: string[];
}

export const planInBand = activity(async ({ input }: ActivityScope<PlanInput>): Promise<InBandPlan> => {
  const { changes, kept } = lookAndPlan(input).plan;
  return { changes: changes.map(listedChange), kept };
});

export interface PlannedJob extends RaidJob {
  change: ListedChange;
}

export const noJob: PlannedJob = { run: '', wanted: {}, change: { change: 'create', name: '', serials: [] } };

/** Plans the next change; without one the layout is there. */
export const planJob = activity(
  async (scope: ActivityScope<PlanAfterLook<InBandOptions, ListedChange>>): Promise<NextJob<PlannedJob>> => {
    const { input, nodeId, operationId } = scope;
    if (nodeId === null) throw new PermanentError('a workflow without a node has no volumes', 'NO_NODE');
    const { look, plan } = lookAndPlan(input);
    const isMade = ({ kind, name }: RaidChange) =>
      input.outputs.some((one) => one.change === kind && one.name === name);
    const repeated = plan.changes.find(isMade);
    if (repeated !== undefined)
      throw unchangedError(listedChange(repeated), 'the tool reports no error, and the volumes are as before');
    const [first] = plan.changes;
    if (first === undefined) return { job: null };
    const run = jobName(operationId, first);
    return { job: { run, wanted: wantedOf(first, look), change: listedChange(first) } };
  },
);

/** The same for the same change of a workflow. */
function jobName(operationId: string, change: RaidChange): string {
  const volume = change.kind === 'delete' ? change.path : change.name;
  return `${operationId.split('/')[0]}-raid-${change.kind}-${volume.replace(/\W+/g, '-')}`;
}

function checkTool({ program, controllers }: RaidLook, tool: RaidTool | undefined): void {
  if (program === undefined)
    throw raidRejection(
      `the booted system has no ${programsOf(tool).replace(' ', ' and no ')}; add it to the microkernel`,
    );
  if (controllers.length === 0)
    throw raidRejection(`${program} finds no controller; for arrays of Linux choose the tool mdadm`);
}

const unchangedError = ({ change, name }: ListedChange, reason: string): PermanentError =>
  new PermanentError(
    `the node was asked to ${change} the volume ${name}, and has not done it: ${reason}`,
    'RAID_UNCHANGED',
  );

/** @throws PermanentError RAID_UNCHANGED */
export const concludeChange = activity(
  async ({ input: { plan, result } }: ActivityScope<EndedJob<PlannedJob>>): Promise<ListedChange> => {
    const { state, code, said = '' } = factsOf(result.stdout).get('') ?? {};
    if (state === 'ended' && code === '0') return plan.change;
    throw unchangedError(plan.change, reasons[state ?? ''] ?? `its tool ended with ${code ?? 'no code'}: ${said}`);
  },
);

const reasons: Readonly<Record<string, string>> = {
  changed: 'a drive is another one than before',
  died: 'its job died; look at the volumes, and launch again',
  lost: 'the machine restarted before it',
  stopped: 'it was stopped; look at the volumes, and launch again',
};
