/**
 * Batches: a graph is launched on many nodes. The refusal of one node spoils nothing.
 *
 * 1. The batch is stored before its first launch. The id of each workflow follows from the batch and the node, and a launch
 *    under an id happens once: a process that dies leaves a batch that any other continues, without a second launch.
 * 2. A request makes the first round itself; the holder of the lease makes the others, every two seconds: launches as others
 *    end, and the end after too many failures. Both choose the waiting nodes in their order, so the limit holds.
 */
import { randomUUID } from 'node:crypto';
import type { Batches, BatchRecord, BatchRequest } from '../api-port/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { NodewrightError } from '../define/errors.ts';
import { isActive, type WorkflowStatus, workflowStatuses } from '../define/states.ts';
import { now } from '../lib/clock.ts';
import { uuidOf } from '../lib/derived-uuid.ts';
import type { Reconciler } from '../lib/reconciler.ts';
import type { Records } from '../runtime/records.ts';
import { inGroups, pages } from '../store/pages.ts';
import type { Collection } from '../store/port.ts';
import type { WorkflowRequests } from '../workflows/workflow-requests.ts';
import { type BatchEntry, entriesIn, isWaiting, type StoredBatch } from './stored-batch.ts';

export interface BatchesPort {
  stored: Collection<StoredBatch>;
  records: Pick<Records, 'storedWorkflows'>;
  workflows: Pick<WorkflowRequests, 'launchOnce' | 'cancel'>;
  /** Rejects an unknown graph, and returns the options with their secrets encrypted. */
  prepare(name: string, options: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Returns those of the ids that nodes have. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string>>;
  cluster: Pick<Cluster, 'reconciler'>;
  failed(error: unknown): void;
}

const EVERY_MS = 2_000;
/** Batches with something left to do. */
const PENDING_LIMIT = 100;
/** Launches at a time. */
const LAUNCHES = 50;
const STOPPED = 'BATCH_STOPPED';

export class BatchRequests implements Batches {
  readonly #port: BatchesPort;
  readonly #reconciler: Reconciler;

  constructor(port: BatchesPort) {
    this.#port = port;
    this.#reconciler = port.cluster.reconciler({
      name: 'batches',
      everyMs: EVERY_MS,
      pass: ({ goesOn }) => this.#pass(goesOn),
      failed: port.failed,
    });
  }

  start(): void {
    this.#reconciler.start();
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
  }

  async create(request: BatchRequest): Promise<BatchRecord> {
    const { name, domain = null, operator = null, concurrency = null, maxFailures = null } = request;
    const options = await this.#port.prepare(name, request.options);
    if ((await this.#port.stored.count({ pending: true })) >= PENDING_LIMIT) throw tooMany();
    const nodes = [...new Set(request.nodes)];
    const known = await this.#port.existing(nodes);
    const entries = nodes.map((node): BatchEntry => (known.has(node) ? { node } : { node, ...unknownNode(node) }));
    const at = new Date(now()).toISOString();
    const batch: StoredBatch = {
      id: randomUUID(),
      name,
      options,
      domain,
      operator,
      concurrency,
      maxFailures,
      status: 'running',
      entries: Object.fromEntries(entries.map((entry, place) => [String(place), entry])),
      pending: true,
      createdAt: at,
      updatedAt: at,
    };
    await this.#port.stored.insert(batch);
    await this.#advance(batch);
    return (await this.get(batch.id)) as BatchRecord;
  }

  async get(id: string): Promise<BatchRecord | undefined> {
    const batch = await this.#port.stored.get(id);
    return batch && this.#shown(batch);
  }

  async cancel(id: string, by?: string): Promise<BatchRecord | undefined> {
    const batch = await this.#port.stored.get(id);
    if (batch === undefined) return undefined;
    if (batch.status !== 'cancelled') {
      const { active } = await this.#counted(batch);
      if (active === 0 && !entriesIn(batch).some(([, entry]) => isWaiting(entry))) {
        throw new NodewrightError(
          'CONFLICT',
          `the batch ${id} is ${batch.status}, and none of its workflows is active`,
        );
      }
      const change = { status: 'cancelled' as const, pending: true, cancelledBy: by ?? null };
      const changed = await this.#port.stored.update({ id }, { $set: change });
      if (changed !== undefined) await this.#advance(changed);
    }
    return this.get(id);
  }

  async #pass(goesOn: () => Promise<boolean>): Promise<void> {
    for await (const batch of pages(this.#port.stored, { pending: true })) {
      if (!(await goesOn())) return;
      await this.#advance(batch);
    }
  }

  /** Launches, stops or cancels, as the batch stands now. */
  async #advance(batch: StoredBatch): Promise<void> {
    const { active, counts } = await this.#counted(batch);
    if (batch.status === 'cancelled') return this.#cancelAll(batch);
    if (batch.maxFailures !== null && counts.failed >= batch.maxFailures && batch.maxFailures > 0)
      return this.#stop(batch, counts.failed);
    const waiting = entriesIn(batch).filter(([, entry]) => isWaiting(entry));
    const room = batch.concurrency === null ? waiting.length : Math.max(0, batch.concurrency - active);
    await inGroups(each(waiting.slice(0, room)), LAUNCHES, ([place, entry]) => this.#launch(batch, place, entry));
    const left = await this.#port.stored.get(batch.id);
    if (left === undefined || entriesIn(left).some(([, entry]) => isWaiting(entry))) return;
    await this.#port.stored.update(
      { id: batch.id, status: 'running' },
      { $set: { status: 'finished', pending: false } },
    );
  }

  async #launch(
    { id, name, options, domain, operator }: StoredBatch,
    place: string,
    { node }: BatchEntry,
  ): Promise<void> {
    const workflow = uuidOf(`${id} ${node}`);
    try {
      await this.#port.workflows.launchOnce(workflow, {
        name,
        options,
        nodeId: node,
        ...(domain !== null && { domain }),
        ...(operator !== null && { operator }),
        isEncrypted: true,
      });
      await this.#set(id, place, { node, workflow });
    } catch (error) {
      // A store that is away: a later pass tries again.
      if (!(error instanceof NodewrightError) || error.status >= 500) return this.#port.failed(error);
      await this.#set(id, place, { node, code: error.code, message: error.message });
    }
  }

  async #set(id: string, place: string, entry: BatchEntry): Promise<void> {
    const $set = { [`entries.${place}`]: entry, updatedAt: new Date(now()).toISOString() };
    await this.#port.stored.update({ id }, { $set });
  }

  async #stop(batch: StoredBatch, failures: number): Promise<void> {
    await this.#refuseRest(batch, `${failures} workflows of the batch failed, and ${batch.maxFailures} may`);
    const done = { status: 'stopped' as const, pending: false };
    await this.#port.stored.update({ id: batch.id, status: 'running' }, { $set: done });
  }

  async #refuseRest(batch: StoredBatch, message: string): Promise<void> {
    const waiting = entriesIn(batch).filter(([, entry]) => isWaiting(entry));
    const $set = Object.fromEntries(
      waiting.map(([place, { node }]) => [`entries.${place}`, { node, code: STOPPED, message }]),
    );
    if (waiting.length > 0) await this.#port.stored.update({ id: batch.id }, { $set });
  }

  async #cancelAll(batch: StoredBatch): Promise<void> {
    await this.#refuseRest(batch, 'the batch was cancelled');
    const { cancelledBy: by } = batch;
    const ids = (await this.#rows(batch)).filter(({ status }) => isActive(status)).map(({ id }) => id);
    await inGroups(each(ids), LAUNCHES, async (id) => {
      // It may have ended meanwhile.
      await this.#port.workflows.cancel(id, by ?? undefined).catch((error) => {
        if (!(error instanceof NodewrightError) || error.code !== 'WORKFLOW_ENDED') throw error;
      });
    });
    await this.#port.stored.update({ id: batch.id }, { $set: { pending: false } });
  }

  async #rows(batch: StoredBatch): Promise<{ id: string; status: WorkflowStatus }[]> {
    const ids = entriesIn(batch).flatMap(([, { workflow }]) => workflow ?? []);
    const rows: { id: string; status: WorkflowStatus }[] = [];
    for (let from = 0; from < ids.length; from += PAGE) {
      const filter = { id: { $in: ids.slice(from, from + PAGE) } };
      rows.push(...(await this.#port.records.storedWorkflows.pick(['status'], filter, { limit: PAGE })));
    }
    return rows;
  }

  async #counted(batch: StoredBatch) {
    const counts = Object.fromEntries(workflowStatuses.map((status) => [status, 0])) as BatchRecord['counts'];
    for (const { status } of await this.#rows(batch)) counts[status] += 1;
    return { counts, active: counts.pending + counts.running };
  }

  async #shown(batch: StoredBatch): Promise<BatchRecord> {
    const { id, name, status, operator, concurrency, maxFailures, createdAt } = batch;
    const entries = entriesIn(batch).map(([, entry]) => entry);
    return {
      id,
      name,
      status,
      launchedBy: operator,
      concurrency,
      maxFailures,
      launched: entries.flatMap(({ node, workflow }) => (workflow === undefined ? [] : [{ node, workflow }])),
      refused: entries.flatMap(({ node, code, message = '' }) => (code === undefined ? [] : [{ node, code, message }])),
      waiting: entries.filter(isWaiting).map(({ node }) => node),
      counts: (await this.#counted(batch)).counts,
      createdAt,
    };
  }
}

const PAGE = 500;

async function* each<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

const unknownNode = (node: string) => ({
  code: 'NOT_FOUND',
  message: `Could not find node with identifier ${node}`,
});

const tooMany = () =>
  new NodewrightError('TOO_MANY_REQUESTS', `${PENDING_LIMIT} batches are not finished; wait for one, or cancel one`);
