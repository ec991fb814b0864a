/**
 * Restores what Redis has lost: the last steps, after a replica has taken its place; or everything.
 *
 * 1. On another server, every process saves again the rows in its memory that are newer than those in Redis.
 * 2. If Redis has lost everything (it has no epoch), it takes no rows until one process has healed it. Workflows that were
 *    live have failed: nothing is known of their last steps, and the memory of a process does not have those of another.
 *    Workflows that rested go on, and hold their nodes again. Then the epoch is set.
 * 3. Each part is harmless to repeat, so a process that dies in between leaves the rest to the next.
 */
import { randomUUID } from 'node:crypto';
import { isActive } from '../define/states.ts';
import { now } from '../lib/clock.ts';
import { Reconciler } from '../lib/reconciler.ts';
import type { RedisConnections } from '../queue/redis-connections.ts';
import { receiversOf } from '../step/callbacks.ts';
import { type NodeRow, newNodeRow, nodeStep } from '../step/node.ts';
import type { StepRow, WorkflowRow } from '../step/row.ts';
import { lose } from '../step/suspend.ts';
import { groups, pages } from '../store/pages.ts';
import type { Collection } from '../store/port.ts';
import type { Recorded } from './port.ts';
import { EPOCH_KEY, type RedisRows } from './redis-rows.ts';

/** Rows of one kind, wherever they are. */
export interface Healed<R extends StepRow> {
  rows: RedisRows<R>;
  record: Collection<Recorded<R>>;
  /** Returns the rows that this process has in memory. */
  cached(): readonly R[];
}

const HEALING_MS = 60_000;
/** More steps than a row took since it was recorded: a process may still take one on what was lost. */
const LEAP = 1_000_000;
const CHECK_MS = 5_000;
const PAGE = 200;

export class Healing {
  readonly #connections: RedisConnections;
  readonly #workflows: Healed<WorkflowRow>;
  readonly #nodes: Healed<NodeRow>;
  readonly #passes: Reconciler<'noticed'>;
  #server: string | undefined;

  constructor(
    connections: RedisConnections,
    workflows: Healed<WorkflowRow>,
    nodes: Healed<NodeRow>,
    failed: (error: unknown) => void,
  ) {
    this.#connections = connections;
    this.#workflows = workflows;
    this.#nodes = nodes;
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

  /** Redis was found without its epoch. */
  notice(): void {
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
  }

  /** A workflow that has ended and has no document was deleted. */
  async #restore(): Promise<void> {
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
    await this.#endLost();
    await this.#releaseLost();
    await this.#holdNodes();
    await this.#connections.within(commands.set(EPOCH_KEY, id));
    await commands.del(`${EPOCH_KEY}:healing`);
    return true;
  }

  async #endLost(): Promise<void> {
    const { rows, record } = this.#workflows;
    for await (const group of groups(pages(record, { live: true }), PAGE)) {
      const lost = await missingIn(rows, group);
      const env = { now: now(), uuid: randomUUID };
      const ended = lost
        .filter(({ status }) => isActive(status))
        .map(({ live: _, ...row }) => lose({ ...(row as WorkflowRow), version: row.version + LEAP }, env));
      await rows.all(ended.map((row) => rows.restoration(row)));
    }
  }

  /** An old document does not say who holds a node; the workflows do. */
  async #releaseLost(): Promise<void> {
    const { rows, record } = this.#nodes;
    for await (const group of groups(pages(record, { live: true }), PAGE)) {
      for (const { id } of await missingIn(rows, group)) await record.remove({ id });
    }
  }

  /** The holders first: a child on the node of its parent only waits there. */
  async #holdNodes(): Promise<void> {
    for (const isHolder of [true, false]) {
      for await (const group of groups(pages(this.#workflows.record, active), PAGE)) {
        const moving = new Map(
          (await this.#workflows.rows.getAll(group.map(({ id }) => id))).map((row) => [row.id, row]),
        );
        for (const recorded of group) {
          const row = moving.get(recorded.id) ?? recorded;
          if (isActive(row.status) && (await this.#isHolder(row)) === isHolder) await this.#hold(row, isHolder);
        }
      }
    }
  }

  async #isHolder({ parent, mailboxId }: WorkflowRow): Promise<boolean> {
    return parent === null || (await this.#workflows.record.get(parent.workflow))?.mailboxId !== mailboxId;
  }

  async #hold(row: WorkflowRow, isHolder: boolean): Promise<void> {
    const { rows, record } = this.#nodes;
    const { mailboxId } = row;
    const [moving] = await rows.getAll([mailboxId]);
    const node = moving ?? (await record.get(mailboxId)) ?? { ...newNodeRow(mailboxId, now()), version: LEAP };
    const held = holding(node, row, isHolder);
    if (held !== node) await rows.all([rows.restoration(held)]);
  }
}

const active = { status: { $in: ['pending', 'running'] } };

/** Returns the node's row with the workflow and its waits; the same row if it has them. */
function holding(node: NodeRow, row: WorkflowRow, isHolder: boolean): NodeRow {
  const start = { type: 'launch', start: row } as const;
  const waits = receiversOf(row).map((wait) => ({ type: 'await', ...wait }) as const);
  const messages = [...(isHolder ? [start] : []), ...waits];
  return messages.reduce<NodeRow>((before, message) => {
    const { changed, row: after } = nodeStep(before, message, now());
    return changed ? { ...after, pendingEffects: before.pendingEffects, pending: before.pending } : before;
  }, node);
}

/** @param isWanted of the rows without a document */
async function restore<R extends StepRow>(
  { rows, record, cached }: Healed<R>,
  isWanted: (row: R) => boolean,
): Promise<void> {
  for (let from = 0, all = cached(); from < all.length; from += PAGE) {
    const page = all.slice(from, from + PAGE);
    const documents = await record.find({ id: { $in: page.map(({ id }) => id) } });
    const isLive = new Map(documents.map(({ id, live }) => [id, live === true]));
    const wanted = page.filter((row) => isLive.get(row.id) ?? isWanted(row));
    await rows.all(wanted.map((row) => rows.restoration(row)));
  }
}

async function missingIn<R extends StepRow>(rows: RedisRows<R>, group: readonly Recorded<R>[]): Promise<Recorded<R>[]> {
  const here = new Set((await rows.getAll(group.map(({ id }) => id))).map(({ id }) => id));
  return group.filter(({ id }) => !here.has(id));
}
