/**
 * Requests of users to bulk actions: creation, reads, cancellation. The workflows are chosen at creation, and the action is
 * stored before its first wave: a process that dies leaves an action that any other continues (`bulk-action-waves.ts`).
 */
import { randomUUID } from 'node:crypto';
import {
  type ActingMember,
  type BulkActionRecord,
  type BulkActionRequest,
  type BulkActions,
  WORKFLOWS_PER_ACTION,
} from '../../api-port/bulk-actions.ts';
import type { Page, PagedList } from '../../api-port/page.ts';
import type { Records } from '../../durable/runtime/records.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import type { Channel } from '../../platform/queue/port.ts';
import { byIds, firstIn, pages, picking } from '../../platform/store/pages.ts';
import { invalidInput, NodewrightError } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import type { BulkCommand } from '../../vocabulary/states.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import { BulkActionWaves, type WavesScope } from './bulk-action-waves.ts';
import { type BulkItem, bulkActionView, type StoredBulkAction, unknownWorkflow } from './stored-bulk-action.ts';

export interface BulkActionsPort extends WavesScope {
  records: Pick<Records, 'storedWorkflows'>;
  /** Rejects an unknown graph, and returns the options with their secrets encrypted. */
  prepare(graph: string, options: JsonObject): Promise<JsonObject>;
  cluster: Pick<Cluster, 'reconciler'>;
  /** Tells the other processes that there is something to do. */
  changes: Channel<null>;
}

const ACTION_INTERVAL_MS = 2_000;
/** Actions with something left to do. */
const OPEN_ACTIONS_LIMIT = 100;
/** ms that a request waits for the outcomes. */
const OUTCOMES_TIMEOUT_MS = 2_000;

type ChosenRow = { id: string; graphName: string | null };

export class BulkActionRequests implements BulkActions {
  readonly #port: BulkActionsPort;
  readonly #waves: BulkActionWaves;
  readonly #reconciler: Reconciler<'changed'>;
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(port: BulkActionsPort) {
    this.#port = port;
    this.#waves = new BulkActionWaves(port);
    this.#reconciler = port.cluster.reconciler<'changed'>({
      name: 'bulk actions',
      everyMs: ACTION_INTERVAL_MS,
      pass: ({ goesOn }) => this.#pass(goesOn),
      failed: port.failed,
    });
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#port.changes.subscribe(() => void this.#reconciler.request('changed'));
    this.#reconciler.start();
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
    await this.#reconciler.close();
  }

  async create(request: BulkActionRequest): Promise<BulkActionRecord> {
    const { command, select, options = {}, acknowledge = false, operator = null, member, launcherRoles } = request;
    if ((await this.#port.actions.count({ pending: true })) >= OPEN_ACTIONS_LIMIT) throw tooMany();
    const rows = await this.#chosenRows(select, member?.team);
    const ids = 'ids' in select ? [...new Set(select.ids)] : rows.map(({ id }) => id);
    const itemOf = itemsFor(rows, command, member);
    const at = new Date(now()).toISOString();
    const action: StoredBulkAction = {
      id: randomUUID(),
      command,
      options: await this.#optionsFor(rows, options),
      acknowledge,
      createdBy: operator,
      ...(member && { owner: member.team }),
      ...(launcherRoles && { launcherRoles }),
      status: 'running',
      items: Object.fromEntries(ids.map((workflow, place) => [String(place), itemOf(workflow)])),
      pending: true,
      createdAt: at,
      updatedAt: at,
    };
    await this.#port.actions.insert(action);
    await this.#begin();
    return bulkActionView((await this.#port.actions.get(action.id)) ?? action);
  }

  async get(id: string): Promise<BulkActionRecord | undefined> {
    const action = await this.#port.actions.get(id);
    return action && bulkActionView(action);
  }

  async list({ filter, ...page }: Page): Promise<PagedList<BulkActionRecord>> {
    const actions = await this.#port.actions.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: actions.map(bulkActionView), total: await this.#port.actions.count(filter) };
  }

  async cancel(id: string): Promise<BulkActionRecord | undefined> {
    const action = await this.#port.actions.get(id);
    if (action === undefined) return undefined;
    const change = { status: 'cancelled', updatedAt: new Date(now()).toISOString() } as const;
    const cancelled = await this.#port.actions.update({ id, status: 'running' }, { $set: change });
    if (cancelled !== undefined) return bulkActionView(cancelled);
    const latest = (await this.#port.actions.get(id)) ?? action;
    if (latest.status === 'cancelled') return bulkActionView(latest);
    throw new NodewrightError('CONFLICT', `the action ${id} is ${latest.status}; expected a running one`);
  }

  /** For the retention. */
  async removeBefore(before: string): Promise<void> {
    await this.#port.actions.remove({ pending: false, createdAt: { $lt: before } });
  }

  /** @param team that of the member who asks */
  async #chosenRows(select: BulkActionRequest['select'], team: string | undefined): Promise<ChosenRow[]> {
    if ('filter' in select)
      return this.#matchingRows(team === undefined ? select.filter : { $and: [{ owner: team }, select.filter] });
    const rows = await byIds(
      picking<WorkflowRow, 'graphName' | 'owner'>(this.#port.records.storedWorkflows, ['graphName', 'owner']),
      select.ids,
    );
    return team === undefined ? rows : rows.filter(({ owner }) => owner === team);
  }

  /** Oldest first. A child is part of the workflow that launched it. */
  async #matchingRows(given: Record<string, unknown>): Promise<ChosenRow[]> {
    const { storedWorkflows } = this.#port.records;
    const filter = { $and: [{ root: null }, given] };
    const total = await storedWorkflows.count(filter);
    if (total > WORKFLOWS_PER_ACTION)
      throw invalidInput('filter', `matches ${total} workflows; expected at most ${WORKFLOWS_PER_ACTION}`);
    const oldest = { sort: { createdAt: 1 as const }, most: WORKFLOWS_PER_ACTION };
    return firstIn(picking(storedWorkflows, ['graphName']), filter, oldest);
  }

  /** @throws NodewrightError INVALID for workflows of several graphs, whose options have different schemas */
  async #optionsFor(rows: readonly ChosenRow[], options: JsonObject): Promise<JsonObject> {
    if (Object.keys(options).length === 0) return {};
    const graphs = [...new Set(rows.flatMap(({ graphName }) => graphName ?? []))];
    const [graph, other] = graphs;
    if (other !== undefined)
      throw invalidInput('options', `are for one graph, and the workflows are of ${graphs.slice(0, 10).join(', ')}`);
    return graph === undefined ? {} : this.#port.prepare(graph, options);
  }

  /** If another process has the lease, it makes the waves, and the answer does not wait for them. */
  async #begin(): Promise<void> {
    this.#port.changes.publish(null).catch(() => {});
    await withTimeout(this.#reconciler.request('changed'), OUTCOMES_TIMEOUT_MS, () => {});
  }

  /** One wave of each action at a time: a long one does not keep the others waiting. */
  async #pass(goesOn: () => Promise<boolean>): Promise<void> {
    for (let more = true; more; ) {
      more = false;
      for await (const { id } of pages(this.#port.actions, { pending: true })) {
        if (!(await goesOn())) return;
        const hasMore = await this.#waves.wave(id).catch((error) => this.#port.failed(error));
        more ||= hasMore === true;
      }
    }
  }
}

/**
 * Returns the items of an action. A command that the member may not send is rejected here, before its wave.
 * @param rows the workflows that exist for the one who asks
 */
function itemsFor(
  rows: readonly ChosenRow[],
  command: BulkCommand,
  member: ActingMember | undefined,
): (workflow: string) => BulkItem {
  if (member === undefined) return (workflow) => ({ workflow });
  const graphs = new Map(rows.map(({ id, graphName }) => [id, graphName ?? '']));
  return (workflow) => {
    const graph = graphs.get(workflow);
    const unknown = graph === undefined ? unknownWorkflow(workflow) : undefined;
    const rejection = unknown ?? (command === 'retry' ? member.rejectionOf(graph ?? '') : undefined);
    if (rejection === undefined) return { workflow };
    return { workflow, begun: true, status: 'rejected', code: rejection.code, message: rejection.message };
  };
}

const tooMany = () =>
  new NodewrightError('TOO_MANY_REQUESTS', `${OPEN_ACTIONS_LIMIT} actions have not ended; wait for one, or cancel one`);
