/**
 * Starts the batch or rollout of a schedule under the id of a run. Both are checked when the schedule is created; nodes of a filter,
 * and versions of graphs, are those of the due time.
 */
import type { Batches } from '../../api-port/batches.ts';
import { type NodeQuery, selectedNodes } from '../../api-port/node-query.ts';
import type { Nodes } from '../../api-port/nodes.ts';
import { type RolloutBody, rolloutRequestOf } from '../../api-port/rollouts.ts';
import type { ScheduledLaunch, ScheduleRun } from '../../api-port/schedules.ts';
import type { LauncherRole } from '../../durable/actors/messages.ts';
import { rethrowUnder } from '../../vocabulary/errors.ts';
import type { BatchRequests } from '../batches/batch-requests.ts';
import type { LaunchRestrictions } from '../requests/launch-restrictions.ts';
import { type NamedNodesScope, namedNodes } from '../requests/named-nodes.ts';
import type { RolloutRequests } from '../rollouts/rollout-requests.ts';
import { isRolloutOver } from '../rollouts/rollout-state.ts';
import type { StoredSchedule } from './stored-schedule.ts';

export interface ScheduleLaunchesScope extends NamedNodesScope {
  nodes: Pick<Nodes, 'list' | 'idOf' | 'ownedBy'>;
  batches: Pick<BatchRequests, 'createOnce'> & Pick<Batches, 'get'>;
  rollouts: Pick<RolloutRequests, 'createOnce' | 'check' | 'get'>;
  /** Rejects an unknown graph, and returns the options with their secrets encrypted. */
  prepare(name: string, options: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** @throws NodewrightError TICKET_REQUIRED if a launch on one of the nodes would need a ticket, which a schedule has not */
  checkApprovals(name: string, options: Record<string, unknown>, nodes: readonly string[]): Promise<void>;
  restrictions: Pick<LaunchRestrictions, 'checkMany' | 'hasRules'>;
}

/** The launch or rollout of a schedule. */
export type ScheduledWork = Pick<StoredSchedule, 'launch' | 'rollout' | 'query'>;

/** The user who creates or changes a schedule. */
interface ScheduleUser {
  /** The owner of the schedule. */
  team: string | undefined;
  launcherRoles: readonly LauncherRole[] | undefined;
}

type OptionsByLabel = NonNullable<ScheduledLaunch['options']>;
type StartedWork = Pick<ScheduleRun, 'workflow' | 'batch' | 'rollout' | 'reason'>;

export class ScheduleLaunches {
  readonly #port: ScheduleLaunchesScope;

  constructor(port: ScheduleLaunchesScope) {
    this.#port = port;
  }

  /** @returns the launch as it is stored @throws NodewrightError NOT_FOUND (graph, node), INVALID, INVALID_OPTIONS */
  async storedLaunch(
    launch: ScheduledLaunch,
    query: NodeQuery | undefined,
    { team, launcherRoles }: ScheduleUser,
  ): Promise<ScheduledLaunch> {
    const { name, options = {}, nodes } = launch;
    const prepared = await this.#port.prepare(name, options).catch(rethrowUnder('launch'));
    const ids = nodes === undefined ? undefined : [...(await namedNodes(this.#port, nodes, 'launch.nodes', team))];
    const targets = ids ?? (await this.#nodesOf(query, 'launch.filter'));
    await this.#checkRoles(name, prepared, targets, launcherRoles);
    await this.#port.checkApprovals(name, prepared, targets);
    return { ...launch, options: prepared as OptionsByLabel, ...(ids && { nodes: ids }) };
  }

  /** @returns the rollout as it is stored @throws NodewrightError as its creation would now */
  async storedRollout(
    rollout: RolloutBody,
    query: NodeQuery | undefined,
    { team, launcherRoles }: ScheduleUser,
  ): Promise<RolloutBody> {
    const nodes = rollout.targets.nodes ?? (await this.#nodesOf(query, 'rollout.targets.filter'));
    const request = {
      ...rolloutRequestOf(rollout, nodes),
      ...(team !== undefined && { team }),
      ...(launcherRoles && { launcherRoles }),
    };
    const options = await this.#port.rollouts.check(request).catch(rethrowUnder('rollout'));
    return { ...rollout, options: options as OptionsByLabel };
  }

  /** Checks a schedule for the user who changes, resumes or runs it. @throws NodewrightError LAUNCH_RESTRICTED */
  async checkAgain(schedule: ScheduledWork, launcherRoles: readonly LauncherRole[] | undefined): Promise<void> {
    if (!this.#port.restrictions.hasRules) return;
    const { launch, rollout } = schedule;
    const { name = '', options = {} } = launch ?? { name: rollout?.graph, options: rollout?.options };
    await this.#checkRoles(name, options, await this.#targetsOf(schedule), launcherRoles);
  }

  #checkRoles(
    name: string,
    options: Record<string, unknown>,
    nodes: readonly string[],
    launcherRoles: readonly LauncherRole[] | undefined,
  ): Promise<void> {
    const launch = { id: '', name, node: null, options, ...(launcherRoles && { launcherRoles }) };
    return this.#port.restrictions.checkMany(launch, nodes);
  }

  /** Returns the nodes that it would launch on now. */
  async #targetsOf({ launch, rollout, query }: ScheduledWork): Promise<readonly string[]> {
    const filter = query === null ? undefined : (JSON.parse(query) as NodeQuery);
    const at = rollout === null ? 'launch.filter' : 'rollout.targets.filter';
    return launch?.nodes ?? rollout?.targets.nodes ?? (await this.#nodesOf(filter, at));
  }

  async begin(schedule: StoredSchedule, id: string): Promise<StartedWork> {
    const { launch, rollout, createdBy, owner, launcherRoles } = schedule;
    const origin = {
      ...(createdBy !== null && { operator: createdBy }),
      ...(owner !== undefined && { team: owner }),
      ...(launcherRoles && { launcherRoles }),
    };
    const targets = await this.#targetsOf(schedule);
    if (rollout !== null) {
      await this.#port.rollouts.createOnce(id, { ...rolloutRequestOf(rollout, targets), ...origin });
      return { rollout: id };
    }
    const { name, options = {} } = launch as ScheduledLaunch;
    if (targets.length === 0) return { reason: 'no node matches its filter' };
    return this.#launch(id, { name, options, nodes: targets, ...origin });
  }

  async #launch(id: string, request: Parameters<BatchRequests['createOnce']>[1]): Promise<StartedWork> {
    const { launched, rejected } = await this.#port.batches.createOnce(id, request);
    const [{ workflow } = { workflow: undefined }] = launched;
    const [first] = rejected;
    const isRejected = rejected.length === request.nodes.length && first !== undefined;
    return {
      batch: id,
      ...(request.nodes.length === 1 && workflow !== undefined && { workflow }),
      ...(isRejected && { reason: `${first.code}: ${first.message}` }),
    };
  }

  /** Whether what a run started has not ended. */
  async isActive({ batch, rollout }: ScheduleRun): Promise<boolean> {
    if (rollout !== undefined) {
      const record = await this.#port.rollouts.get(rollout);
      return record !== undefined && !isRolloutOver(record);
    }
    const record = batch === undefined ? undefined : await this.#port.batches.get(batch);
    if (record === undefined) return false;
    const { status, waiting, counts } = record;
    return (status === 'running' && waiting.length > 0) || counts.pending + counts.running > 0;
  }

  #nodesOf(query: NodeQuery | undefined, at: string): Promise<string[]> {
    return query === undefined ? Promise.resolve([]) : selectedNodes(this.#port.nodes, query, at);
  }
}
