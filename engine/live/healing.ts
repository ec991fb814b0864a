/**
 * Restores what Redis has lost: the last steps, after a replica has taken its place; or everything.
 *
 * 1. On another server, every process saves again the rows in its memory that are newer than those in Redis. Some time
 *    later, rows that no process had are lost.
 * 2. If Redis has lost everything (it has no epoch), it takes no rows until one process has healed it: the rows that moved
 *    are lost, because the memory of a process does not have the steps of another. Then the epoch is set.
 * 3. A lost workflow has failed: nothing is known of its last steps. Workflows that rest go on, and hold their nodes again.
 * 4. Each part is harmless to repeat, so a process that dies in between leaves the rest to the next.
 */
import { randomUUID } from 'node:crypto';
import { isActive } from '../define/states.ts';
import { Reconciler } from '../lib/reconciler.ts';
import type { RedisConnections } from '../queue/redis-connections.ts';
import type { NodeRow } from '../step/node.ts';
import type { StepRow, WorkflowRow } from '../step/row.ts';
import { type Healed, LostRows } from './lost.ts';
import { EPOCH_KEY } from './redis-rows.ts';

const HEALING_MS = 60_000;
const CHECK_MS = 5_000;
/** ms after which every process has restored its rows. */
const RESTORED_MS = 30_000;
const PAGE = 200;

export class Healing {
  readonly #connections: RedisConnections;
  readonly #workflows: Healed<WorkflowRow>;
  readonly #nodes: Healed<NodeRow>;
  readonly #lost: LostRows;
  readonly #restoredMs: number;
  readonly #passes: Reconciler<'noticed'>;
  #server: string | undefined;
  /** When rows may be lost that no process has restored; ms of the monotonic clock. */
  #lostAt: number | undefined;

  constructor(
    connections: RedisConnections,
    workflows: Healed<WorkflowRow>,
    nodes: Healed<NodeRow>,
    failed: (error: unknown) => void,
    restoredMs = RESTORED_MS,
  ) {
    this.#connections = connections;
    this.#workflows = workflows;
    this.#nodes = nodes;
    this.#lost = new LostRows(workflows, nodes);
    this.#restoredMs = restoredMs;
    this.#passes = new Reconciler({
      name: 'healing',
      everyMs: CHECK_MS,
      firstMs: CHECK_MS,
      pass: () => this.check(),
      failed,
    });
  }

  start(): void {
    this.#passes.start();
  }

  /** Redis was found without its epoch, or without a row that moves. */
  notice(): void {
    this.#lostAt ??= performance.now() + this.#restoredMs;
    void this.#passes.request('noticed');
  }

  close(): Promise<void> {
    return this.#passes.close();
  }

  async check(): Promise<void> {
    const [server, epoch] = await Promise.all([
      this.#serverId(),
      this.#connections.within(this.#connections.commands.get(EPOCH_KEY)),
    ]);
    if (epoch === null && !(await this.#heal())) return;
    if (epoch !== null && server !== this.#server) await this.#restore();
    this.#server = server;
    if (this.#lostAt === undefined || performance.now() < this.#lostAt) return;
    if (await this.#lost.end()) await this.#lost.holdNodes();
    this.#lostAt = undefined;
  }

  /** A workflow that has ended and has no document was deleted. */
  async #restore(): Promise<void> {
    this.#lostAt = performance.now() + this.#restoredMs;
    await restore(this.#workflows, ({ status }) => isActive(status));
    const going = new Set(this.#workflows.cached().flatMap(({ id, status }) => (isActive(status) ? [id] : [])));
    await restore(this.#nodes, ({ workflow }) => workflow !== null && going.has(workflow));
  }

  /** Another server has the same data as far as they were replicated. */
  async #serverId(): Promise<string> {
    const { commands } = this.#connections;
    const info = await this.#connections.within(commands.info('server'));
    return /^run_id:(\S+)/m.exec(info)?.[1] ?? '';
  }

  /** @returns whether this process has healed Redis; otherwise another one is doing so */
  async #heal(): Promise<boolean> {
    const { commands } = this.#connections;
    const id = randomUUID();
    if ((await commands.set(`${EPOCH_KEY}:healing`, id, 'PX', HEALING_MS, 'NX')) === null) return false;
    await this.#lost.end();
    await this.#lost.holdNodes();
    await this.#connections.within(commands.set(EPOCH_KEY, id));
    await commands.del(`${EPOCH_KEY}:healing`);
    return true;
  }
}

/** @param isWanted of the rows without a document */
async function restore<R extends StepRow>(
  { rows, record, cached }: Healed<R>,
  isWanted: (row: R) => boolean,
): Promise<void> {
  for (let from = 0, all = cached(); from < all.length; from += PAGE) {
    const page = all.slice(from, from + PAGE);
    const documents = await record.find({ id: { $in: page.map(({ id }) => id) } });
    const isMoving = new Map(documents.map(({ id, phase }) => [id, phase === 'moving']));
    const wanted = page.filter((row) => isMoving.get(row.id) ?? isWanted(row));
    await rows.write(
      'restore',
      wanted.map((row) => ({ row })),
    );
  }
}
