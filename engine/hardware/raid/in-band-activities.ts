/**
 * The activities of RAID volumes in band, besides the commands for the agent. None of them touches the machine.
 *
 * 1. Before each change the layout is planned again from a new look.
 * 2. A change that was made and is planned again was not made: the graph does not repeat it.
 */
import { type ActivityScope, activity, PermanentError } from '../../define/index.ts';
import { withoutBraces } from '../burn-in/examined-machine.ts';
import { factsOf } from '../erase/facts.ts';
import type { EndedJob } from '../jobs/job-machine.ts';
import { programsOf, type RaidJob, type RaidTool, wantedOf } from './raid-commands.ts';
import { type ListedChange, layoutIn, type RaidLayoutOptions } from './raid-layout.ts';
import { type RaidLook, raidLookIn } from './raid-look.ts';
import { listedChange, possiblePlan, raidRejection } from './raid-plan.ts';

export interface InBandOptions extends RaidLayoutOptions {
  tool?: RaidTool;
  /** The changes of this workflow. */
  made?: ListedChange[];
}

/** The next change, for its task. */
export interface NextChange {
  /** Its number in the workflow. */
  at: number;
  change: ListedChange;
  wanted: Record<string, string>;
}

export interface InBandPlan {
  changes: ListedChange[];
  kept: string[];
  next: NextChange | null;
}

export const planInBand = activity(
  async ({ input }: ActivityScope<InBandOptions & { stdout: string }>): Promise<InBandPlan> => {
    const { tool, volumes, made = [], stdout } = input;
    const look = raidLookIn(stdout);
    checkTool(look, tool);
    const striped = volumes.find(({ raid, bytes }) => tool === 'mdadm' && raid === 'RAID0' && bytes !== undefined);
    if (striped !== undefined)
      throw raidRejection(`${striped.name}: mdadm makes RAID0 of whole drives; leave out its bytes`);
    const { changes, kept } = possiblePlan(look.controllers, layoutIn(input));
    const listed = changes.map(listedChange);
    const repeated = listed.find(({ change, name }) => made.some((one) => one.change === change && one.name === name));
    if (repeated !== undefined)
      throw unchangedError(repeated, 'the tool reports no error, and the volumes are as before');
    const [first] = changes;
    if (first === undefined) return { changes: listed, kept, next: null };
    // The words of a node become options of the next task, in which braces would begin a template.
    const wanted = Object.entries(wantedOf(first, look)).map(([key, value]) => [key, withoutBraces(value)]);
    const next = { at: made.length, change: listedChange(first), wanted: Object.fromEntries(wanted) };
    return { changes: listed, kept, next };
  },
);

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

interface PlannedJob extends RaidJob {
  change: ListedChange;
}

export const noJob: PlannedJob = { run: '', wanted: {}, change: { change: 'create', name: '', serials: [] } };

export const planChange = activity(
  async ({ input, nodeId, operationId }: ActivityScope<{ next?: NextChange }>): Promise<PlannedJob> => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no volumes', 'NO_NODE');
    if (input.next === undefined) throw raidRejection('the change is missing; Task.Raid.Plan.InBand plans it');
    const { at, change, wanted } = input.next;
    return { run: `${operationId.split('/')[0]}-raid-${at}`, wanted, change };
  },
);

/** @throws PermanentError RAID_UNCHANGED */
export const concludeChange = activity(
  async ({ input: { plan, result } }: ActivityScope<EndedJob<PlannedJob>>): Promise<{ change: ListedChange }> => {
    const { state, code, said = '' } = factsOf(result.stdout).get('') ?? {};
    if (state === 'ended' && code === '0') return { change: plan.change };
    throw unchangedError(plan.change, reasons[state ?? ''] ?? `its tool ended with ${code ?? 'no code'}: ${said}`);
  },
);

const reasons: Readonly<Record<string, string>> = {
  changed: 'a drive is another one than before',
  died: 'its job died; look at the volumes, and launch again',
  lost: 'the machine restarted before it',
  stopped: 'it was stopped; look at the volumes, and launch again',
};
