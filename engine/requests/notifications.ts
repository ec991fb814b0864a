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
import { groups, pages } from '../runtime/pages.ts';
import type { Tell } from '../runtime/tell.ts';
import type { NodeRow } from '../step/node.ts';
import type { WorkflowRow } from '../step/row.ts';
import { idRange } from '../step/workflow.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';

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
  failed(what: string, error: unknown): void;
}

/** Actors told side by side: their rows are saved together. */
const AT_ONCE = 100;
const AGAIN_MS = 500;
const AGAIN_MAX_MS = 5_000;

/** A full mailbox stays full; a store that is away comes back. */
const isRefused = (error: unknown): boolean => error instanceof NodewrightError && error.status < 500;

export class NotificationRequests implements Notifications {
  readonly #port: NotificationsPort;
  readonly #closing = new AbortController();
  #spreading: Promise<void> = Promise.resolve();

  constructor(port: NotificationsPort) {
    this.#port = port;
  }

  async notify(parameters: Record<string, unknown>, nodeId?: string): Promise<void> {
    const id = randomUUID();
    const at = new Date().toISOString();
    if (nodeId === undefined) await this.#broadcast({ id, at, parameters });
    else await this.#port.tell.node(nodeId, { type: 'notify', id, at, parameters });
    const key = nodeId === undefined ? 'notification' : `notification.${nodeId}`;
    await this.#port.outbox.publish([{ id, key, body: parameters }]);
  }

  async #broadcast(broadcast: Broadcast): Promise<void> {
    await this.#port.broadcasts.insert(broadcast);
    this.#start(broadcast);
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
    const told = { upTo: '' };
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

  /**
   * @param told all up to this node have been: who fails among a hundred thousand is not a reason to begin with the first
   * @throws what kept one of them from being told
   */
  async #spread({ id, at, parameters }: Broadcast, told: { upTo: string }): Promise<void> {
    const busy = pages(this.#port.nodes, { workflow: { $gt: '' } }, told.upTo);
    for await (const group of groups(busy, AT_ONCE)) {
      const tellOne = (node: NodeRow) => this.#port.tell.node(node.id, { type: 'notify', id, at, parameters });
      const results = await Promise.allSettled(group.map(tellOne));
      for (const [n, result] of results.entries()) {
        if (result.status === 'fulfilled') continue;
        if (!isRefused(result.reason)) throw result.reason;
        this.#port.failed((group[n] as NodeRow).id, result.reason);
      }
      told.upTo = group.at(-1)?.id ?? told.upTo;
    }
    await this.#port.broadcasts.remove({ id });
  }

  async progress(taskId: string, made: { value: number; maximum: number; description: string }): Promise<boolean> {
    const near = await this.#port.workflows.find({ id: idRange(taskId) });
    const row = near.find(({ tasks }) => tasks.some(({ instanceId }) => instanceId === taskId));
    if (row === undefined) return false;
    await this.#port.tell.workflow(row.id, { type: 'progress', taskId, ...made });
    return true;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#spreading;
  }
}
