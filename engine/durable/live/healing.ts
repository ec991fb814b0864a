/**
 * Restores what Redis has lost: the last steps, after a replica has taken its place; or everything.
 *
 * 1. On another server, every process saves again the rows in its memory that are newer than those in Redis. None takes
 *    a step there before all have done so (`whenReady`). Some time later, rows that no process had are lost.
 * 2. If Redis has lost everything (it has no epoch), it takes no rows until one process has healed it: the rows that moved
 *    are lost, because the memory of a process does not have the steps of another. Then the epoch is set.
 * 3. A lost workflow has failed: nothing is known of its last steps. Workflows that rest continue, and hold their nodes
 *    again.
 * 4. Each part is harmless to repeat, so a process that dies in between leaves the rest to the next.
 */
import { randomUUID } from 'node:crypto';
import { follow } from '../../platform/lib/clock.ts';
import { Reconciler } from '../../platform/lib/reconciler.ts';
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { byIds } from '../../platform/store/pages.ts';
import { isActive } from '../../vocabulary/states.ts';
import type { NodeRow } from '../step/node.ts';
import type { StepRow, WorkflowRow } from '../step/row.ts';
import { type HealedRows, LostRows } from './lost.ts';
import { EPOCH_KEY, RESTORED_KEY } from './redis-rows.ts';
import { RestoredStore } from './restored.ts';

const HEALING_MS = 60_000;
const CHECK_MS = 5_000;
/** ms after which every process has restored its rows. */
const RESTORED_MS = 30_000;
const IDS_PER_PAGE = 200;

export class Healing {
  readonly #connections: RedisConnections;
  readonly #workflows: HealedRows<WorkflowRow>;
  readonly #nodes: HealedRows<NodeRow>;
  readonly #lost: LostRows;
  readonly #restoredMs: number;
  readonly #passes: Reconciler<'noticed'>;
  readonly #restored: RestoredStore;
  readonly #closing = new AbortController();
  #server: string | undefined;
  /** Number of times the connection had been lost when it was last checked. */
  #losses = -1;
  #checking: Promise<void> | undefined;
  /** When rows may be lost that no process has restored; ms of the monotonic clock. */
  #lostAt: number | undefined;

  constructor(
    connections: RedisConnections,
    workflows: HealedRows<WorkflowRow>,
    nodes: HealedRows<NodeRow>,
    failed: (error: unknown) => void,
    restoredMs = RESTORED_MS,
  ) {
    this.#connections = connections;
    this.#workflows = workflows;
    this.#nodes = nodes;
    this.#lost = new LostRows(workflows, nodes);
    this.#restoredMs = restoredMs;
    this.#restored = new RestoredStore(connections, RESTORED_KEY, randomUUID());
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
    // Others wait for this process, although it has no steps to take.
    this.#connections.commands.on('ready', this.#reconnected);
  }

  /** Redis was found without its epoch, or without a row that moves. */
  notice(): void {
    this.#lostAt ??= performance.now() + this.#restoredMs;
    void this.#passes.request('noticed');
  }

  async close(): Promise<void> {
    this.#connections.commands.off('ready', this.#reconnected);
    this.#closing.abort();
    await this.#passes.close();
    await this.#checking?.catch(() => {});
    await this.#restored.leave();
  }

  readonly #reconnected = (): void => void this.#passes.request('noticed');

  /** Undefined: the server is the one that was checked. Otherwise resolves when rows may be read and saved. */
  whenReady(): Promise<void> | undefined {
    return this.#connections.losses === this.#losses ? undefined : this.#connections.within(this.check());
  }

  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<void> {
    const { losses } = this.#connections;
    await this.#follow();
    const [server, epoch] = await Promise.all([
      this.#serverId(),
      this.#connections.within(this.#connections.commands.get(EPOCH_KEY)),
    ]);
    if (epoch === null && !(await this.#heal())) return;
    if (server !== this.#server) {
      if (epoch !== null) await this.#restore(server);
      await this.#restored.on(server, this.#closing.signal);
    }
    this.#server = server;
    this.#losses = losses;
    await this.#restored.noteWorking();
    if (this.#lostAt === undefined || performance.now() < this.#lostAt) return;
    if (await this.#lost.end()) await this.#lost.holdNodes();
    this.#lostAt = undefined;
  }

  /** A workflow that was settled and has no document was deleted. */
  async #restore(server: string): Promise<void> {
    this.#lostAt = performance.now() + this.#restoredMs;
    if (!(await this.#restored.isExpected())) {
      for (const { cache } of [this.#workflows, this.#nodes]) cache().clear();
      return;
    }
    if (!(await this.#restored.isBegun(server))) {
      await dropOutdated(this.#workflows);
      await dropOutdated(this.#nodes);
    }
    await restore(this.#workflows, ({ status, pending }) => isActive(status) || pending);
    const going = await this.#activeIds();
    await restore(this.#nodes, ({ workflow }) => workflow !== null && going.has(workflow));
  }

  /** Returns the active workflows on the nodes in memory; another process may have taken their last steps. */
  async #activeIds(): Promise<ReadonlySet<string>> {
    const { rows, record, cache } = this.#workflows;
    const known = new Map([...cache().values()].map((row) => [row.id, row.status]));
    const held = [...this.#nodes.cache().values()].flatMap(({ workflow }) => workflow ?? []);
    const others = [...new Set(held)].filter((id) => !known.has(id));
    for (const { id, status } of await byIds(record, others)) known.set(id, status);
    for await (const { id, status } of rows.each(others)) known.set(id, status);
    return new Set([...known].flatMap(([id, status]) => (isActive(status) ? [id] : [])));
  }

  /** The server's time, which `left` and `idle` use, also applies to timers. */
  async #follow(): Promise<void> {
    const [seconds, microseconds] = await this.#connections.within(this.#connections.commands.time());
    follow(Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000));
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
    // Rows that are recorded only now are lost too.
    this.#lostAt = performance.now() + this.#restoredMs;
    await this.#connections.within(commands.set(EPOCH_KEY, id));
    await commands.del(`${EPOCH_KEY}:healing`);
    return true;
  }
}

/** Drops rows that had come to rest, or were removed, on the other server. */
async function dropOutdated<R extends StepRow>({ rows, record }: HealedRows<R>): Promise<void> {
  const ids = [...(await rows.ids('left')), ...(await rows.ids('idle'))];
  for (let from = 0; from < ids.length; from += IDS_PER_PAGE) {
    await rows.run(
      'outdated',
      await record.find({ id: { $in: ids.slice(from, from + IDS_PER_PAGE) }, phase: { $in: ['resting', 'removed'] } }),
    );
  }
}

/** @param isWanted of the rows without a document */
async function restore<R extends StepRow>(
  { rows, record, cache }: HealedRows<R>,
  isWanted: (row: R) => boolean,
): Promise<void> {
  for (let from = 0, all = [...cache().values()]; from < all.length; from += IDS_PER_PAGE) {
    const page = all.slice(from, from + IDS_PER_PAGE);
    const documents = await record.find({ id: { $in: page.map(({ id }) => id) } });
    const isMoving = new Map(documents.map(({ id, phase }) => [id, phase === 'moving']));
    const wanted = page.filter((row) => isMoving.get(row.id) ?? isWanted(row));
    await rows.write(
      'restoreUnlessLeft',
      wanted.map((row) => ({ row })),
    );
  }
}
