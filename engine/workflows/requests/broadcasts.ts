/**
 * Broadcasts: notifications that every node with an active workflow receives, as if they were for that node.
 *
 * 1. A broadcast is stored until it is delivered to all nodes; after a crash or an outage of a store it continues, and
 *    reaches no node twice.
 * 2. The rows of many nodes, and of the workflows that hold them, are read together before their steps, and their steps
 *    are saved together. The mailbox of each takes it before a wait receives it: only the mailbox knows all waits of the node,
 *    those of children too, so a process that dies in between gives it to no second wait.
 */
import { setTimeout } from 'node:timers/promises';
import type { Notice } from '../../durable/actors/messages.ts';
import type { Records } from '../../durable/runtime/records.ts';
import type { Sender } from '../../durable/runtime/sender.ts';
import type { NodeRow } from '../../durable/step/node.ts';
import { KeyedQueues } from '../../platform/lib/keyed-queues.ts';
import { groups, pages, picking } from '../../platform/store/pages.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { isRejection, NodewrightError } from '../../vocabulary/errors.ts';

export type Broadcast = Omit<Notice, 'taskRun'>;

export const broadcastSpec: CollectionSpec = { name: 'broadcasts', indexes: {}, whole: [] };

/** Nodes that receive a broadcast concurrently: their rows are read and saved together. */
const NODES_CONCURRENCY = 200;
/** Number of failures from which the store is the cause rather than single nodes. */
const MISSED = 2 * NODES_CONCURRENCY;
const FIRST_RETRY_MS = 500;
const AGAIN_MAX_MS = 5_000;

/** Progress of a broadcast: among 100,000 nodes there is always one that needs a retry. */
interface Progress {
  /** The last node reached, in the order of ids. */
  upTo: string;
  /** Nodes up to there that need a retry. */
  missed: Set<string>;
}

/** Nodes with workflows, and how their rows are changed. */
interface Receivers {
  send: Pick<Sender, 'node'>;
  records: Pick<Records, 'storedNodes'> & {
    nodes: Pick<Records['nodes'], 'readAhead'>;
    workflows: Pick<Records['workflows'], 'readAhead'>;
  };
}

interface HeldNode {
  id: string;
  workflow: string | null;
}

const tooMany = (count: number) =>
  new NodewrightError('TOO_MANY_REQUESTS', `${count} broadcasts have not reached every node yet; try again later`);

export class Broadcasts {
  readonly #send: Receivers['send'];
  readonly #records: Receivers['records'];
  readonly #stored: Collection<Broadcast>;
  readonly #quota: number;
  readonly #failed: (what: string, error: unknown) => void;
  readonly #closing = new AbortController();
  readonly #turns = new KeyedQueues();
  #spreading: Promise<void> = Promise.resolve();

  /** @param quota maximum of unfinished broadcasts */
  constructor(
    { send, records }: Receivers,
    stored: Collection<Broadcast>,
    quota: number,
    failed: (what: string, error: unknown) => void,
  ) {
    this.#send = send;
    this.#records = records;
    this.#stored = stored;
    this.#quota = quota;
    this.#failed = failed;
  }

  /**
   * When it resolves, the broadcast is stored. One at a time: concurrent ones would each count the same free place.
   * @throws NodewrightError TOO_MANY_REQUESTS
   */
  add(broadcast: Broadcast): Promise<void> {
    return this.#turns.run('', async () => {
      const count = await this.#stored.count({});
      if (count >= this.#quota) throw tooMany(count);
      await this.#stored.insert(broadcast);
      this.#start(broadcast);
    });
  }

  /** Continues the broadcasts that a previous instance left unfinished. */
  async resume(): Promise<void> {
    for await (const broadcast of pages(this.#stored, {})) this.#start(broadcast);
  }

  #start(broadcast: Broadcast): void {
    this.#spreading = this.#spreading.then(() => this.#untilSpread(broadcast));
  }

  /** Delivers a broadcast; when the daemon stops first, its next start continues. */
  async #untilSpread(broadcast: Broadcast): Promise<void> {
    const { signal } = this.#closing;
    const progress: Progress = { upTo: '', missed: new Set() };
    for (let waitMs = FIRST_RETRY_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, AGAIN_MAX_MS)) {
      const before = progress.upTo;
      try {
        return await this.#spread(broadcast, progress);
      } catch (error) {
        this.#failed('broadcast', error);
        if (progress.upTo !== before) waitMs = FIRST_RETRY_MS;
        await setTimeout(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** @throws the error that kept a node from receiving it; the next call continues with `progress` */
  async #spread(broadcast: Broadcast, progress: Progress): Promise<void> {
    const missed = [...progress.missed].map((id) => ({ id, workflow: null }));
    progress.missed.clear();
    let wrong = await this.#sendAll(broadcast, missed, progress);
    const held = picking<NodeRow, 'workflow'>(this.#records.storedNodes, ['workflow']);
    for await (const group of groups(pages(held, { workflow: { $gt: '' } }, progress.upTo), NODES_CONCURRENCY)) {
      wrong = (await this.#sendAll(broadcast, group, progress)) ?? wrong;
      progress.upTo = group.at(-1)?.id ?? progress.upTo;
      if (progress.missed.size >= MISSED) throw wrong;
    }
    if (progress.missed.size > 0) throw wrong;
    await this.#stored.remove({ id: broadcast.id });
  }

  /** Delivers to all of the nodes concurrently. @returns the error of one that failed, if any */
  async #sendAll(broadcast: Broadcast, group: readonly HeldNode[], progress: Progress): Promise<unknown> {
    if (group.length === 0) return undefined;
    // Where it fails, so do the messages, one by one.
    await this.#readAhead(group).catch(() => {});
    let wrong: unknown;
    const sendOne = async ({ id }: HeldNode) => {
      try {
        await this.#send.node(id, { type: 'notify', ...broadcast });
      } catch (error) {
        // A full mailbox stays full; an unavailable store recovers.
        if (isRejection(error)) return this.#failed(id, error);
        progress.missed.add(id);
        wrong = error;
      }
    };
    await Promise.all(group.map(sendOne));
    return wrong;
  }

  async #readAhead(group: readonly HeldNode[]): Promise<void> {
    const { nodes, workflows } = this.#records;
    await Promise.all([
      nodes.readAhead(group.map(({ id }) => id)),
      workflows.readAhead(group.flatMap(({ workflow }) => workflow ?? [])),
    ]);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#spreading;
  }
}
