/**
 * Launches: by a request, as a retry, once under a fixed id (discovery, batches, rollouts, rules), and as a child of a workflow.
 *
 * A launch is rejected before anything is changed: for an unknown graph, invalid options, a failed `checkLaunch` of a task
 * or a missing obm (`launch-preparation.ts`), for a missing role (`launch-restrictions.ts`) or ticket (`launch-approvals.ts`), and by the claim of the node for a busy, held or deleted one (`node-claim.ts`).
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Launches, LaunchRequest, OverrideRequest, RetryRequest } from '../../api-port/index.ts';
import type { ChildGraphInput } from '../../define/operation.ts';
import type { StartCommand } from '../../durable/actors/messages.ts';
import type { Runtime } from '../../durable/runtime/runtime.ts';
import { taskRunKey } from '../../durable/step/builder.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { TracedLaunch } from '../../durable/telemetry/spans.ts';
import type { Tracing } from '../../durable/telemetry/tracing.ts';
import { now } from '../../platform/lib/clock.ts';
import { pause } from '../../platform/lib/pause.ts';
import { launchedBy } from '../../vocabulary/cause.ts';
import { isRejection, NodewrightError } from '../../vocabulary/errors.ts';
import { isActive } from '../../vocabulary/states.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { InventoryPort } from './inventory-port.ts';
import type { LaunchApprovals, TicketUse } from './launch-approvals.ts';
import type { LaunchHolds } from './launch-holds.ts';
import type { LaunchOwners } from './launch-owners.ts';
import type { LaunchPreparation } from './launch-preparation.ts';
import type { LaunchRestrictions } from './launch-restrictions.ts';
import { claimNode, type PassHolds, unknownNode } from './node-claim.ts';
import type { Retries, RetryTerms } from './retry-requests.ts';
import type { TeamQuota } from './team-quota.ts';
import { type ChildLimits, checkTree, ending, isGoingOn, placeUnder } from './trees.ts';
import type { WorkflowReads } from './workflow-reads.ts';

/** Actors of removed nodes are deleted a day later (`retiredBefore`): until then their rows reject a launch. */
const ROW_TRUSTED_MS = HOUR_MS;

interface Dependencies {
  runtime: Runtime;
  preparation: LaunchPreparation;
  nodes: InventoryPort['nodes'];
  holds: LaunchHolds;
  owners: LaunchOwners;
  quota: TeamQuota;
  restrictions: Pick<LaunchRestrictions, 'check'>;
  approvals: LaunchApprovals;
  reads: WorkflowReads;
  retries: Retries;
  tracing: Tracing;
  children: ChildLimits;
}

export class LaunchRequests implements Launches {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async nodeIdOf(identifier: string): Promise<string | undefined> {
    const row = this.#deps.runtime.records.nodes.knownRow(identifier);
    // The actor of a workflow without a node has the id of the workflow.
    const isNode = row !== undefined && !row.retired && row.workflow !== identifier;
    if (isNode && now() - Date.parse(row.updatedAt) < ROW_TRUSTED_MS) return identifier;
    return this.#deps.nodes.idOf(identifier);
  }

  async launch(request: LaunchRequest): Promise<WorkflowRow> {
    const { nodeId, override } = request;
    if (override !== undefined) await this.#deps.holds.checkOverride(nodeId, override);
    return this.#launch(randomUUID(), request, request);
  }

  /** Launches a workflow at most once under this id, however often and by however many processes it is called. */
  async launchOnce(id: string, request: Launching & { nodeId: string }): Promise<void> {
    const { records, send } = this.#deps.runtime;
    if ((await records.workflows.load(id)) !== undefined) return;
    const { status } = await this.#launch(id, request);
    // The workflow may have run and ended since the check: an ended workflow must not hold the node.
    if (!isActive(status)) await send.node(request.nodeId, { type: 'ended', workflow: id });
  }

  async retry(id: string, request: RetryRequest): Promise<WorkflowRow | undefined> {
    const row = await this.#deps.runtime.records.workflows.load(id);
    if (row === undefined) return undefined;
    const { override, ticket, team, launcherRoles } = request;
    if (override !== undefined) await this.#deps.holds.checkOverride(row.node, override);
    const launching = {
      ...(await this.#repeating(row, request)),
      override,
      ticket,
      ...(team !== undefined && { team }),
      ...(launcherRoles && { launcherRoles }),
    };
    return this.#launch(randomUUID(), launching, request);
  }

  /**
   * Retries a workflow at most once under this id, from its failed task.
   * @throws as `retry` @returns false if there is no workflow `earlier`
   */
  async retryOnce(
    id: string,
    earlier: string,
    { rollout, ticket, team, launcherRoles, ...request }: RetriedOnce,
  ): Promise<boolean> {
    const { records } = this.#deps.runtime;
    const row = await records.workflows.load(earlier);
    if (row === undefined) return false;
    if ((await records.workflows.load(id)) !== undefined) return true;
    const launching = await this.#repeating(row, request);
    const origin = {
      ticket,
      ...(rollout && { rollout }),
      ...(team !== undefined && { team }),
      ...(launcherRoles && { launcherRoles }),
    };
    const { status } = await this.#launch(id, { ...launching, ...origin });
    if (!isActive(status) && row.node !== null)
      await this.#deps.runtime.send.node(row.node, { type: 'ended', workflow: id });
    return true;
  }

  /** @throws NodewrightError the rejection of a retry from the failed task */
  async checkRetry(id: string): Promise<void> {
    const row = await this.#deps.runtime.records.workflows.load(id);
    if (row !== undefined) await this.#deps.retries.launchOf(row, {});
  }

  /**
   * Prepares a launch without starting it. @param node null: on no node, or one that is not known yet
   * @throws NodewrightError its rejection, except for a busy node
   */
  async check(launch: Launchable, node: string | null): Promise<void> {
    const id = randomUUID();
    const place = { id, node, mailboxId: node ?? id, domain: undefined, operator: null, parent: null };
    const checked: CheckedLaunch = { ...launch, ...place, isEncrypted: true };
    await this.#deps.preparation.prepare(checked);
    await this.#deps.restrictions.check(checked);
    await this.#deps.approvals.check(checked);
    await this.#deps.holds.check(checked);
  }

  async #repeating(row: WorkflowRow, request: RetryTerms): Promise<Launching> {
    const { graphName: name, node: nodeId, domain, traceparent: repeats } = row;
    return {
      name,
      nodeId,
      domain,
      ...(await this.#deps.retries.launchOf(row, request)),
      operator: request.operator,
      repeats,
    };
  }

  /** @param request of a launch by a request; absent: the workflow has a trace of its own */
  #launch(id: string, launching: Launching, request?: TracedLaunch['request']): Promise<WorkflowRow> {
    const { name, nodeId, operator = null, discovery, repeats, options, domain, override, ticket, ...more } = launching;
    const { runtime, preparation, holds, owners, restrictions, approvals, reads, tracing } = this.#deps;
    const by = launchedBy({ parent: null, operator, ...(discovery && { discovery }) });
    return tracing.launch({ id, name, node: nodeId, launchedBy: by, request, repeats }, async (traceparent) => {
      const launch: CheckedLaunch = {
        id,
        name,
        options,
        node: nodeId,
        mailboxId: nodeId ?? id,
        domain,
        operator,
        parent: null,
        ...(discovery && { discovery }),
        ...more,
        ...(override && { override }),
        ...(ticket !== undefined && { ticket }),
      };
      // A batch or a rollout launches many at the same time.
      if (request === undefined) await pause();
      const owned = await owners.of(launch);
      const prepared = await preparation.prepare(launch);
      await restrictions.check(launch);
      const use = await approvals.pass(launch);
      const start = { ...prepared, ...owned, traceparent, ...(use.grant && { ticket: use.grant }) };
      const isCreated = await this.#claim(use, start, async (mark) => {
        await owners.checkAgain(start);
        return holds.pass(launch, mark);
      });
      await use.confirm();
      const row = await runtime.records.workflows.seenRow(id);
      // It may be there although the store has not confirmed it.
      if (row === undefined || !isCreated)
        throw new NodewrightError('UNAVAILABLE', 'the store is unavailable; the workflow starts when it is back');
      // The first activity starts before the answer is made, which is some kilobytes of JSON.
      await setImmediate();
      return reads.shownRow(row);
    });
  }

  /** A launch that is rejected gives its ticket back. One of which it is not known whether it is saved does not. */
  async #claim(use: TicketUse, start: StartCommand, pass: PassHolds): Promise<boolean> {
    try {
      return await this.#claimNode(start, pass);
    } catch (error) {
      if (isRejection(error)) await use.giveBack();
      throw error;
    }
  }

  #claimNode(start: StartCommand, pass: PassHolds): Promise<boolean> {
    const { runtime, quota } = this.#deps;
    return quota.run(start.owner, () => claimNode(runtime.send, start, pass));
  }

  /** Launches a child of a workflow; repeating the same effect changes nothing. */
  async launchChild(parent: WorkflowRow, { operation, child, input }: ChildLaunch): Promise<void> {
    const { runtime, preparation, holds, owners, restrictions, approvals, tracing, children } = this.#deps;
    const { workflows: rows, storedWorkflows } = runtime.records;
    // A child whose task run has ended may be deleted already; it must not run again.
    const waits = (await rows.load(parent.id))?.operations[operation];
    if (waits === undefined || (await rows.load(child)) !== undefined) return;
    const tree = placeUnder(parent);
    if (waits.aborting || !isGoingOn(await rows.load(tree.root))) {
      const error = ending(tree.root);
      return void (await runtime.send.workflow(parent.id, { type: 'work.failed', operation, error }));
    }
    await checkTree(tree, storedWorkflows, children);
    const node = input.nodeId === undefined ? parent.node : await this.#node(input.nodeId);
    const shares = node === parent.node;
    const { label } = parent.actors[taskRunKey(waits.taskRun)] ?? {};
    const traced = { row: parent, operation: waits };
    const launch = { id: child, name: input.name, node, launchedBy: 'parent', parent: traced };
    await tracing.launch(launch, async (traceparent) => {
      const checked: CheckedLaunch = {
        id: child,
        name: input.name,
        options: input.options,
        node,
        mailboxId: shares ? parent.mailboxId : (node ?? child),
        domain: parent.domain,
        operator: parent.operator ?? null,
        parent: { workflow: parent.id, operation, ...(label !== undefined && { label }) },
        ...(parent.team !== undefined && { team: parent.team }),
        ...(parent.launcherRoles && { launcherRoles: parent.launcherRoles }),
        ...tree,
      };
      const owned = shares ? ownerIn(parent) : await owners.of(checked, input.nodeId);
      const prepared = await preparation.prepare(checked);
      await restrictions.check(checked);
      const { grant } = await approvals.passChild(checked, parent);
      const start = { ...prepared, ...owned, traceparent, ...(grant && { ticket: grant }) };
      const pass = async (mark: string) => {
        await owners.checkAgain(start);
        return holds.pass(checked, mark);
      };
      await (shares ? runtime.send.create(start) : this.#claimNode(start, pass));
    });
  }

  async #node(identifier: string): Promise<string> {
    const id = await this.#deps.nodes.idOf(identifier);
    if (id === undefined) throw unknownNode(identifier);
    return id;
  }
}

/** A child on the node of its parent, which holds the node, belongs to the same team. */
const ownerIn = ({ owner, team }: WorkflowRow): Pick<StartCommand, 'owner' | 'team'> => ({
  ...(owner !== undefined && { owner }),
  ...(team !== undefined && { team }),
});

interface Launching
  extends Omit<LaunchRequest, 'operator' | 'traceparent' | 'override' | 'ticket'>,
    Pick<CheckedLaunch, 'retry' | 'isEncrypted' | 'rollout' | 'batch' | 'rule' | 'definitionHash'> {
  operator?: string | undefined;
  override?: OverrideRequest | undefined;
  ticket?: string | undefined;
  /** Retries only: the `traceparent` of the original. */
  repeats?: string | undefined;
}

type RetriedOnce = Pick<Launching, 'rollout' | 'ticket' | 'team' | 'launcherRoles'> &
  Pick<RetryTerms, 'acknowledge' | 'definition' | 'operator' | 'storedOptions'>;

type Launchable = Pick<
  CheckedLaunch,
  'name' | 'options' | 'definitionHash' | 'ticket' | 'team' | 'launcherRoles' | 'rollout'
>;

interface ChildLaunch {
  operation: string;
  child: string;
  input: ChildGraphInput;
}
