/**
 * The activities that make a RAID layout: the plan, the next command, and the wait for its effect.
 *
 * 1. Before each command the layout is planned again from the state of the controllers: nothing is deleted or created that the
 *    layout does not ask for now, whatever happened since.
 * 2. Each command is sent once in a task run. One that was sent by a process that died is not sent again: the looks find its effect.
 * 3. A controller that makes changes at the next restart gets them before that, without a look in between; new volumes only
 *    after it has deleted those that are to go, because some reject drives that are still in one.
 */
import { type ActivityScope, activity, PermanentError } from '../../define/index.ts';
import type { ObmCommand, RedfishCommand } from '../../define/obm.ts';
import { maybeDone } from '../../define/obm.ts';
import { type ListedChange, layoutIn, type RaidLayoutOptions } from '../raid/raid-layout.ts';
import { listedChange, possiblePlan, type RaidChange, type RaidPlan } from '../raid/raid-plan.ts';
import { type LookOptions, looking, type Since } from './look.ts';
import { raidControllersOf } from './raid-controllers.ts';
import { type Service, type ServiceInput, serviceOf, taskProgress } from './service.ts';

export interface LayoutOptions extends ServiceInput, LookOptions, RaidLayoutOptions {}

/** @throws PermanentError RAID_REJECTED */
export const raidPlanOf = async (service: Service, options: LayoutOptions): Promise<RaidPlan> =>
  possiblePlan(await raidControllersOf(service.ask, await service.system()), layoutIn(options));

export interface SentChange {
  /** `look`: until its effect is there; `send`: another one; `end`: nothing is left to send. */
  next: 'look' | 'send' | 'end';
  change: ListedChange | null;
  /** Path of the task's monitor; null: unknown. */
  monitor: string | null;
  /** Changes wait for the next restart of the machine. */
  restart: boolean;
}

/** Characters of a path in the mark of a command; the last ones differ. */
const LONGEST_PATH = 200;

const commandOf = (change: RaidChange): ObmCommand =>
  change.kind === 'delete' ? `delete volume ${change.path.slice(-LONGEST_PATH)}` : `create volume ${change.name}`;

export const sendChange = activity(async (scope: ActivityScope<LayoutOptions>): Promise<SentChange> => {
  const { sent, nodeId } = scope;
  const service = await serviceOf(scope);
  const { changes } = await raidPlanOf(service, scope.input);
  const wasSent = (change: RaidChange) =>
    sent.some(({ command, node }) => command === commandOf(change) && node === nodeId);
  const isDeleting = changes.some(({ kind, isStaged }) => isStaged && kind === 'delete');
  const isLater = ({ kind, isStaged }: RaidChange) => isStaged && isDeleting && kind === 'create';
  const next = changes.find((change) => !isLater(change) && !(change.isStaged && wasSent(change)));
  if (next === undefined) return { next: 'end', change: null, monitor: null, restart: changes.length > 0 };
  const end = { next: next.isStaged ? 'send' : 'look', change: listedChange(next), restart: next.isStaged } as const;
  try {
    const monitor = wasSent(next) ? null : await service.command(commandOf(next), requestOf(next));
    return { ...end, monitor };
  } catch (error) {
    if (!maybeDone(error)) throw error;
    return { ...end, monitor: null };
  }
});

function requestOf(change: RaidChange): RedfishCommand {
  if (change.kind === 'delete') return { method: 'DELETE', path: change.path };
  const { wanted, drives, collection, isStaged } = change;
  return {
    path: collection,
    body: {
      Name: wanted.name,
      RAIDType: wanted.raid,
      Links: { Drives: drives.map((path) => ({ '@odata.id': path })) },
      ...(wanted.bytes !== undefined && { CapacityBytes: wanted.bytes }),
      '@Redfish.OperationApplyTime': isStaged ? 'OnReset' : 'Immediate',
    },
  };
}

interface FollowInput extends LayoutOptions, Since {
  monitor: string | null;
  change: ListedChange | null;
}

/** Until the change that was sent is not planned any more. */
export const followChange = looking<FollowInput, true>(
  async (scope) => {
    const { monitor, change } = scope.input;
    const service = await serviceOf(scope);
    // If the BMC has forgotten its task, the volumes say what became of it.
    if (monitor !== null && (await taskProgress(service, monitor))?.ended === false) return undefined;
    const { changes } = await raidPlanOf(service, scope.input);
    return changes.some((one) => change !== null && isAmong([change], one)) ? undefined : true;
  },
  ({ change }, trouble) => unchangedError(change === null ? [] : [change], trouble),
);

interface VerifyInput extends LayoutOptions, Since {
  changes?: ListedChange[];
}

/** Until changes that wait for a restart of the machine are made; without any, until the layout is there. */
export const verifyLayout = looking<VerifyInput, { kept: string[] }>(
  async (scope) => {
    const { changes: awaited } = scope.input;
    const { changes, kept } = await raidPlanOf(await serviceOf(scope), scope.input);
    return changes.some((change) => awaited === undefined || isAmong(awaited, change)) ? undefined : { kept };
  },
  ({ changes = [] }, trouble) => unchangedError(changes, trouble),
);

const isAmong = (changes: readonly ListedChange[], { kind, name }: RaidChange): boolean =>
  changes.some((one) => one.change === kind && one.name === name);

const unchangedError = (changes: readonly ListedChange[], trouble: string) => {
  const what = changes.map(({ change, name }) => `to ${change} the volume ${name}`).join(', ') || 'to make the layout';
  const problem = `the controller was asked ${what}, and has not done it${trouble && `: ${trouble}`}`;
  return new PermanentError(`${problem}; look at its messages`, 'RAID_UNCHANGED');
};
