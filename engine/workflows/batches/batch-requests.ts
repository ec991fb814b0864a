/**
 * Batches: a graph is launched on many nodes. The rejection of one node spoils nothing.
 *
 * 1. The batch is stored before its first launch, and says what is left to do: a process that dies leaves a batch that any
 *    other continues (`batch-waves.ts`).
 * 2. A request is answered after the first wave, or after a short time; its process makes the others in the background.
 *    The holder of the lease looks every two seconds for what is left: launches as others end, the end after too many
 *    failures, and batches of a process that died.
 */
import { randomUUID } from 'node:crypto';
import type { Batches, BatchRecord, BatchRequest, Page, PagedList } from '../../api-port/index.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { now } from '../../platform/lib/clock.ts';
import { KeyedQueues } from '../../platform/lib/keyed-queues.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import { pages } from '../../platform/store/pages.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import type { LaunchApprovals } from '../requests/launch-approvals.ts';
import { type BatchScope, BatchWaves } from './batch-waves.ts';
import { type BatchEntry, entriesIn, isWaiting, type StoredBatch } from './stored-batch.ts';

export interface BatchesPort extends BatchScope {
  /** Rejects an unknown graph, and returns the options with their secrets encrypted, unless they are already. */
  prepare(name: string, options: Record<string, unknown>, isEncrypted?: true): Promise<Record<string, unknown>>;
  /** Returns those of the ids that nodes have. */
  existingIds(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Uses the ticket of a batch up. */
  approvals: Pick<LaunchApprovals, 'admitBatch'>;
  cluster: Pick<Cluster, 'reconciler'>;
}

const WAVE_INTERVAL_MS = 2_000;
/** Batches with something left to do. */
const PENDING_LIMIT = 100;
/** ms that a request waits for the first wave. */
const FIRST_WAVE_TIMEOUT_MS = 2_000;

export class BatchRequests implements Batches {
  readonly #port: BatchesPort;
  readonly #waves: BatchWaves;
  readonly #reconciler: Reconciler;
  /** The waves of a batch in this process, one after another. */
  readonly #turns = new KeyedQueues();
  /** The last of them, by batch. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  #closed = false;

  constructor(port: BatchesPort) {
    this.#port = port;
    this.#waves = new BatchWaves(port);
    this.#reconciler = port.cluster.reconciler({
      name: 'batches',
      everyMs: WAVE_INTERVAL_MS,
      pass: ({ goesOn }) => this.#pass(goesOn),
      failed: port.failed,
    });
  }

  start(): void {
    this.#reconciler.start();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#reconciler.close();
    await Promise.all(this.#underWay.values());
  }

  async create(request: BatchRequest): Promise<BatchRecord> {
    const options = await this.#port.prepare(request.name, request.options);
    return this.#store(randomUUID(), { ...request, options });
  }

  /** Creates a batch at most once under this id. @param request its options are encrypted already @throws as `create` */
  async createOnce(id: string, request: BatchRequest): Promise<BatchRecord> {
    const batch = await this.#port.stored.get(id);
    if (batch === undefined) {
      await this.#port.prepare(request.name, request.options, true);
      return this.#store(id, request);
    }
    if (batch.pending) await this.#begin(id);
    return (await this.get(id)) ?? this.#batchRecord(batch);
  }

  async #store(id: string, request: BatchRequest): Promise<BatchRecord> {
    const { name, options, domain = null, operator = null, concurrency = null, maxFailures = null } = request;
    const { override, ticket, team, launcherRoles } = request;
    if ((await this.#port.stored.count({ pending: true })) >= PENDING_LIMIT) throw tooMany();
    const nodes = [...new Set(request.nodes)];
    const knownIds = await this.#port.existingIds(nodes);
    if (ticket !== undefined)
      await this.#port.approvals.admitBatch(
        { id, name, node: null, options, batch: id, ticket, ...(team !== undefined && { team }) },
        [...knownIds],
      );
    const entries = nodes.map((node): BatchEntry => (knownIds.has(node) ? { node } : { node, ...unknownNode(node) }));
    const at = new Date(now()).toISOString();
    const batch: StoredBatch = {
      id,
      name,
      options,
      domain,
      operator,
      ...(team !== undefined && { team }),
      ...(launcherRoles && { launcherRoles }),
      ...(override && { override }),
      ...(ticket !== undefined && { ticket }),
      concurrency,
      maxFailures,
      status: 'running',
      entries: Object.fromEntries(entries.map((entry, place) => [String(place), entry])),
      pending: true,
      createdAt: at,
      updatedAt: at,
    };
    await this.#port.stored.insertMissing([batch]);
    await this.#begin(id);
    return (await this.get(id)) as BatchRecord;
  }

  async get(id: string): Promise<BatchRecord | undefined> {
    const batch = await this.#port.stored.get(id);
    return batch && this.#batchRecord(batch);
  }

  async list({ filter, ...page }: Page): Promise<PagedList<BatchRecord>> {
    const batches = await this.#port.stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    const items = await Promise.all(batches.map((batch) => this.#batchRecord(batch)));
    return { items, total: await this.#port.stored.count(filter) };
  }

  async cancel(id: string, by?: string): Promise<BatchRecord | undefined> {
    const batch = await this.#port.stored.get(id);
    if (batch === undefined) return undefined;
    if (batch.status !== 'cancelled') {
      const { active } = await this.#waves.countMembers(batch);
      if (active === 0 && !entriesIn(batch).some(([, entry]) => isWaiting(entry))) {
        throw new NodewrightError(
          'CONFLICT',
          `the batch ${id} is ${batch.status}, and none of its workflows is active`,
        );
      }
      const change = { status: 'cancelled' as const, pending: true, cancelledBy: by ?? null };
      if ((await this.#port.stored.update({ id }, { $set: change })) !== undefined) await this.#begin(id);
    }
    return this.get(id);
  }

  /** Makes the waves that are possible now. @returns resolves after the first, or in a short time */
  async #begin(id: string): Promise<void> {
    const first = this.#makeWaves(id, 1);
    void this.#makeWaves(id, Number.POSITIVE_INFINITY);
    await withTimeout(first, FIRST_WAVE_TIMEOUT_MS, () => {});
  }

  /** @returns never rejects: what failed is tried again by the next pass */
  #makeWaves(id: string, most: number): Promise<void> {
    const turn = this.#turns
      .run(id, async () => {
        for (let more = true, remainingWaves = most; more && remainingWaves > 0 && !this.#closed; remainingWaves -= 1)
          more = await this.#waves.wave(id);
      })
      .catch(this.#port.failed)
      .finally(() => {
        if (this.#underWay.get(id) === turn) this.#underWay.delete(id);
      });
    this.#underWay.set(id, turn);
    return turn;
  }

  async #pass(goesOn: () => Promise<boolean>): Promise<void> {
    for await (const { id } of pages(this.#port.stored, { pending: true })) {
      if (!(await goesOn())) return;
      if (!this.#underWay.has(id)) await this.#makeWaves(id, Number.POSITIVE_INFINITY);
    }
  }

  async #batchRecord(batch: StoredBatch): Promise<BatchRecord> {
    const { id, name, status, operator, concurrency, maxFailures, ticket = null, team, createdAt, updatedAt } = batch;
    const entries = entriesIn(batch).map(([, entry]) => entry);
    return {
      id,
      name,
      status,
      launchedBy: operator,
      concurrency,
      maxFailures,
      ticket,
      ...(team !== undefined && { team }),
      launched: entries.flatMap(({ node, workflow }) => (workflow === undefined ? [] : [{ node, workflow }])),
      rejected: entries.flatMap(({ node, code, message = '' }) =>
        code === undefined ? [] : [{ node, code, message }],
      ),
      waiting: entries.filter(isWaiting).map(({ node }) => node),
      counts: (await this.#waves.countMembers(batch)).counts,
      createdBy: operator,
      createdAt,
      updatedAt,
    };
  }
}

const unknownNode = (node: string) => ({
  code: 'NOT_FOUND',
  message: `Could not find node with identifier ${node}`,
});

const tooMany = () =>
  new NodewrightError('TOO_MANY_REQUESTS', `${PENDING_LIMIT} batches are not finished; wait for one, or cancel one`);
