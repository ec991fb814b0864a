/**
 * LaunchPlans: what a launch would do, whether it may, and how long it usually takes. Nothing is started. It is prepared by the
 * code of the launch itself, so that a plan without rejections can be launched, unless something changes in between.
 */
import { randomUUID } from 'node:crypto';
import type { LaunchPlan, LaunchRejection, LaunchRequest, UsualMs } from '../../api-port/index.ts';
import { activeOn, holderOf } from '../../durable/runtime/on-node.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { predecessors } from '../../library/forms/predecessors.ts';
import type { Graph } from '../../library/types.ts';
import type { Collection } from '../../platform/store/port.ts';
import { isRejection, type NodewrightError } from '../../vocabulary/errors.ts';
import { isObject } from '../../vocabulary/json.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { LaunchApprovals } from './launch-approvals.ts';
import type { LaunchEffects } from './launch-effects.ts';
import type { LaunchHolds } from './launch-holds.ts';
import type { LaunchPreparation } from './launch-preparation.ts';
import type { LaunchRestrictions } from './launch-restrictions.ts';
import { nodeBusy } from './node-claim.ts';

/** How long runs take (`diagnosis/durations.ts`); the label '' is the workflow as a whole. */
export type UsualOf = (
  version: Pick<WorkflowRow, 'definitionHash' | 'graphName'>,
  team?: string,
) => Promise<ReadonlyMap<string, UsualMs>>;

export class PlanRequests {
  readonly #preparation: LaunchPreparation;
  readonly #stored: Pick<Collection<WorkflowRow>, 'find'>;
  readonly #usual: UsualOf;
  readonly #holds: Pick<LaunchHolds, 'check'>;
  readonly #approvals: LaunchApprovals;
  readonly #restrictions: Pick<LaunchRestrictions, 'check'>;

  constructor(
    preparation: LaunchPreparation,
    stored: Pick<Collection<WorkflowRow>, 'find'>,
    usual: UsualOf,
    holds: Pick<LaunchHolds, 'check'>,
    approvals: LaunchApprovals,
    restrictions: Pick<LaunchRestrictions, 'check'>,
  ) {
    this.#restrictions = restrictions;
    this.#approvals = approvals;
    this.#holds = holds;
    this.#preparation = preparation;
    this.#stored = stored;
    this.#usual = usual;
  }

  /** @throws NodewrightError NOT_FOUND for an unknown graph, UNAVAILABLE */
  async plan(request: LaunchRequest): Promise<LaunchPlan> {
    const { name, options, nodeId, domain, operator, override, ticket, team, launcherRoles } = request;
    const id = randomUUID();
    const launch: CheckedLaunch = {
      id,
      name,
      options,
      node: nodeId,
      mailboxId: nodeId ?? id,
      domain,
      operator: operator ?? null,
      parent: null,
      ...(override && { override }),
      ...(ticket !== undefined && { ticket }),
      ...(team !== undefined && { team }),
      ...(launcherRoles && { launcherRoles }),
    };
    const graph = await this.#preparation.graphOf(launch);
    const [holder] = nodeId === null ? [] : await activeOn(this.#stored, nodeId, 1);
    const busy = holder === undefined ? [] : rejectionsIn(nodeBusy(holder.id));
    const unprepared = await rejectionsOf(async () => void (await this.#preparation.prepare(launch)));
    const held = await rejectionsOf(() => this.#holds.check(shapedLaunch(launch)));
    const restricted = await rejectionsOf(() => this.#restrictions.check(shapedLaunch(launch)));
    const unapproved = await rejectionsOf(() => this.#approvals.check(shapedLaunch(launch)));
    const unnamed = await rejectionsOf(() => this.#approvals.checkDrives(shapedLaunch(launch)));
    const rejections = [...unprepared, ...restricted, ...unapproved, ...unnamed, ...held, ...busy];
    const usual = await this.#usual({ definitionHash: graph.hash, graphName: graph.name }, team);
    return {
      graph: graph.name,
      definitionHash: graph.hash,
      node: nodeId,
      tasks: await this.#tasks(graph, launch, usual),
      holder: holder === undefined ? null : holderOf(holder),
      rejections,
      usualMs: usual.get('') ?? null,
    };
  }

  async #tasks(graph: Graph, launch: CheckedLaunch, usual: ReadonlyMap<string, UsualMs>): Promise<LaunchPlan['tasks']> {
    const waits = predecessors(graph);
    const shaped = shapedLaunch(launch);
    const options = await this.#preparation.shownOptions(graph, shaped);
    const effects = await this.#preparation.effects(graph, shaped);
    return [...graph.labels.values()]
      .filter(({ compensates }) => compensates === undefined)
      .map(({ label, task }) => ({
        label,
        taskName: task.name,
        recovery: task.recovery,
        ...(effects.get(label) ?? HARMLESS),
        options: options.get(label) ?? {},
        usualMs: usual.get(label) ?? null,
        waitsFor: waits.get(label) ?? [],
      }));
  }
}

/** Options of the wrong shape are among the rejections. */
function shapedLaunch(launch: CheckedLaunch): CheckedLaunch {
  const isShaped = isObject(launch.options) && Object.values(launch.options).every(isObject);
  return isShaped ? launch : { ...launch, options: {} };
}

async function rejectionsOf(check: () => Promise<void>): Promise<LaunchRejection[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!isRejection(error)) throw error;
    return rejectionsIn(error);
  }
}

const HARMLESS: LaunchEffects = { destructive: false, drives: [], power: null };

function rejectionsIn({ code, message, violations }: NodewrightError): LaunchRejection[] {
  if (violations === undefined || violations.length === 0) return [{ path: '', code, message }];
  return violations.map((violation) => ({ path: violation.path, code, message: violation.message }));
}
