/**
 * Notifications from nodes: published for listeners, and handed to the actor of the node they are for. One without a
 * node is a broadcast: every node that has an active workflow gets it, as if it were for that node.
 *
 * 1. When `notify` resolves, nothing that was said can be lost any more.
 * 2. A broadcast stands in the store until all have got it; after a crash, and while a store is away, it goes on, and
 *    comes nowhere twice.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Notifications } from '../api-port/index.ts';
import { NodewrightError } from '../define/errors.ts';
import type { Outbox } from '../events/outbox.ts';
import { Keyed } from '../runtime/keyed.ts';
import { secretsOf } from '../runtime/opening.ts';
import { groups, pages } from '../runtime/pages.ts';
import { Scrubber } from '../runtime/scrub.ts';
import type { Tell } from '../runtime/tell.ts';
import type { NodeRow } from '../step/node.ts';
import type { WorkflowRow } from '../step/row.ts';
import { idRange } from '../step/workflow.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';
import type { Vault } from '../vault.ts';

export interface Broadcast {
  id: string;
  at: string;
  parameters: Record<string, unknown>;
}

export const broadcastSpec: CollectionSpec = { name: 'broadcasts', indexes: {}, whole: [] };

export interface NotificationsPort {
  tell: Tell;
  outbox: Outbox;
  nodes: Collection<NodeRow>;
  workflows: Collection<WorkflowRow>;
  broadcasts: Collection<Broadcast>;
  /** How many broadcasts may be in hand. */
  quota: number;
  vault: Vault;
  failed(what: string, error: unknown): void;
}

/** Actors told side by side: their rows are saved together. */
const AT_ONCE = 100;
/** Not one of them is in trouble, but the store. */
const MISSED = 2 * AT_ONCE;
const AGAIN_MS = 500;
const AGAIN_MAX_MS = 5_000;

/** How far a broadcast is: among 100,000 nodes there is always one that has to be told later. */
interface Told {
  /** In the order of their ids. */
  upTo: string;
  /** Of those, who has to be told again. */
  missed: Set<string>;
}

/** A full mailbox stays full; a store that is away comes back. */
const isRefused = (error: unknown): boolean => error instanceof NodewrightError && error.status < 500;

const tooMany = (count: number) =>
  new NodewrightError('TOO_MANY_REQUESTS', `${count} broadcasts have not reached every node yet; send it again later`);

export class NotificationRequests implements Notifications {
  readonly #port: NotificationsPort;
  readonly #closing = new AbortController();
  readonly #turns = new Keyed();
  #spreading: Promise<void> = Promise.resolve();

  constructor(port: NotificationsPort) {
    this.#port = port;
  }

  async notify(given: Record<string, unknown>, nodeId?: string): Promise<void> {
    const parameters = new Scrubber(this.#port.vault).output(given);
    const id = randomUUID();
    const at = new Date().toISOString();
    if (nodeId === undefined) await this.#broadcast({ id, at, parameters });
    else await this.#port.tell.node(nodeId, { type: 'notify', id, at, parameters });
    const key = nodeId === undefined ? 'notification' : `notification.${nodeId}`;
    await this.#port.outbox.publish([{ id, key, body: parameters }]);
  }

  /** In turn: so many at once would each find room. */
  #broadcast(broadcast: Broadcast): Promise<void> {
    return this.#turns.run('', async () => {
      const { broadcasts, quota } = this.#port;
      const count = await broadcasts.count({});
      if (count >= quota) throw tooMany(count);
      await broadcasts.insert(broadcast);
      this.#start(broadcast);
    });
  }

  /** Goes on with what a process that is gone left. */
  async resume(): Promise<void> {
    for await (const broadcast of pages(this.#port.broadcasts, {})) this.#start(broadcast);
  }

  #start(broadcast: Broadcast): void {
    this.#spreading = this.#spreading.then(() => this.#untilSpread(broadcast));
  }

  /** When the daemon stops before, its next start goes on. */
  async #untilSpread(broadcast: Broadcast): Promise<void> {
    const { signal } = this.#closing;
    const told: Told = { upTo: '', missed: new Set() };
    for (let waitMs = AGAIN_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, AGAIN_MAX_MS)) {
      const before = told.upTo;
      try {
        return await this.#spread(broadcast, told);
      } catch (error) {
        this.#port.failed('broadcast', error);
        if (told.upTo !== before) waitMs = AGAIN_MS;
        await setTimeout(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** @throws what kept some of them from being told; it goes on with those, and with where it was */
  async #spread(broadcast: Broadcast, told: Told): Promise<void> {
    const missed = [...told.missed];
    told.missed.clear();
    let wrong = await this.#tellAll(broadcast, missed, told);
    for await (const group of groups(pages(this.#port.nodes, { workflow: { $gt: '' } }, told.upTo), AT_ONCE)) {
      const ids = group.map(({ id }) => id);
      wrong = (await this.#tellAll(broadcast, ids, told)) ?? wrong;
      told.upTo = ids.at(-1) as string;
      if (told.missed.size >= MISSED) throw wrong;
    }
    if (told.missed.size > 0) throw wrong;
    await this.#port.broadcasts.remove({ id: broadcast.id });
  }

  /** Side by side. @returns why one of them was missed */
  async #tellAll({ id, at, parameters }: Broadcast, ids: readonly string[], told: Told): Promise<unknown> {
    let wrong: unknown;
    const tellOne = async (node: string) => {
      try {
        await this.#port.tell.node(node, { type: 'notify', id, at, parameters });
      } catch (error) {
        if (isRefused(error)) return this.#port.failed(node, error);
        told.missed.add(node);
        wrong = error;
      }
    };
    await Promise.all(ids.map(tellOne));
    return wrong;
  }

  async nodeOfTask(taskId: string): Promise<string | null | undefined> {
    return (await this.#workflowOf(taskId))?.node;
  }

  async #workflowOf(taskId: string): Promise<WorkflowRow | undefined> {
    const near = await this.#port.workflows.find({ id: idRange(taskId) });
    return near.find(({ tasks }) => tasks.some(({ instanceId }) => instanceId === taskId));
  }

  async progress(taskId: string, made: { value: number; maximum: number; description: string }): Promise<boolean> {
    const row = await this.#workflowOf(taskId);
    if (row === undefined) return false;
    const { vault } = this.#port;
    const description = new Scrubber(vault, secretsOf(vault, row, undefined)).text(made.description);
    await this.#port.tell.workflow(row.id, { type: 'progress', taskId, ...made, description });
    return true;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#spreading;
  }
}
