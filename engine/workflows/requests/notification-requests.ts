/**
 * Notifications from nodes: published to listeners, and delivered to the actor of their node. One without a node is a
 * broadcast: every node with an active workflow receives it, as if it were for that node.
 *
 * 1. When `notify` resolves, the notification can no longer be lost.
 * 2. A broadcast is stored until it is delivered to all nodes; after a crash or an outage of a store it continues, and
 *    reaches no node twice.
 * 3. One with a nonce is published by an effect of the step that receives it: a repetition after a
 *    crash is not published twice, and the first is not lost. Without an active workflow, repetitions
 *    are not recognized, and each is published.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { NotificationResult, Notifications, NotificationTarget } from '../../api-port/index.ts';
import { answerTo, type FirstAnswer } from '../../durable/actors/answers.ts';
import type { Notice } from '../../durable/actors/messages.ts';
import { activeOn } from '../../durable/runtime/on-node.ts';
import { secretsOf } from '../../durable/runtime/opening.ts';
import type { Records } from '../../durable/runtime/records.ts';
import type { Runtime } from '../../durable/runtime/runtime.ts';
import { Scrubber } from '../../durable/runtime/scrub.ts';
import type { Sender } from '../../durable/runtime/sender.ts';
import { isOver } from '../../durable/step/callbacks.ts';
import { contextOf, type NodeRow } from '../../durable/step/node.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { idRange } from '../../durable/step/workflow.ts';
import type { Outbox } from '../../events/broker/outbox.ts';
import { KeyedQueues } from '../../platform/lib/keyed-queues.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { groups, pages, picking } from '../../platform/store/pages.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { calledBy, knownAs, parametersOf } from './called-back.ts';
import { placeOfWait } from './place-of-wait.ts';

export type Broadcast = Omit<Notice, 'taskRun'>;

export const broadcastSpec: CollectionSpec = { name: 'broadcasts', indexes: {}, whole: [] };

/** Actors that receive a broadcast concurrently: their rows are saved together. */
const NODES_CONCURRENCY = 100;
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

/** A full mailbox stays full; an unavailable store recovers. */
const isRejected = (error: unknown): boolean => error instanceof NodewrightError && error.status < 500;

const noticeOf = (parameters: Record<string, unknown>) => ({
  id: randomUUID(),
  at: new Date().toISOString(),
  parameters,
});

const acceptedResult = (answer: Record<string, unknown>): NotificationResult => ({ isRepeat: false, answer });

/** @param own the answer when the first one is no longer stored */
const repeatedResult = (first: FirstAnswer | undefined, own: Record<string, unknown>): NotificationResult => ({
  isRepeat: true,
  answer: first?.body ?? own,
});

const LABELS_SHOWN = 20;

const noTask = (task: string, labels: readonly string[]) =>
  new NodewrightError(
    'NOT_FOUND',
    `No active workflow on the node has a task with the label ${JSON.stringify(task)}; ${
      labels.length === 0 ? 'none is active' : `expected one of ${labels.slice(0, LABELS_SHOWN).join(', ')}`
    }`,
  );

const tooMany = (count: number) =>
  new NodewrightError('TOO_MANY_REQUESTS', `${count} broadcasts have not reached every node yet; try again later`);

export class NotificationRequests implements Notifications {
  readonly #send: Sender;
  readonly #records: Pick<Records, 'storedNodes' | 'storedWorkflows'>;
  readonly #outbox: Outbox;
  readonly #vault: Vault;
  readonly #broadcasts: Collection<Broadcast>;
  readonly #quota: number;
  readonly #failed: (what: string, error: unknown) => void;
  readonly #closing = new AbortController();
  readonly #turns = new KeyedQueues();
  #spreading: Promise<void> = Promise.resolve();

  /** @param quota maximum of unfinished broadcasts */
  constructor(
    { send, records }: Pick<Runtime, 'send'> & { records: Pick<Records, 'storedNodes' | 'storedWorkflows'> },
    outbox: Outbox,
    vault: Vault,
    broadcasts: Collection<Broadcast>,
    quota: number,
    failed: (what: string, error: unknown) => void,
  ) {
    this.#send = send;
    this.#records = records;
    this.#outbox = outbox;
    this.#vault = vault;
    this.#broadcasts = broadcasts;
    this.#quota = quota;
    this.#failed = failed;
  }

  async notify(
    given: Record<string, unknown>,
    nodeId?: string,
    to: NotificationTarget = {},
  ): Promise<NotificationResult> {
    const parameters = new Scrubber(this.#vault).output(given);
    const { task, nonce } = to;
    const notice = {
      ...noticeOf(parameters),
      ...(task !== undefined && { task }),
      ...(nonce !== undefined && { nonce: `nonce ${nonce}` }),
    };
    if (nodeId !== undefined) return this.#notify(nodeId, notice);
    await this.#broadcast({ ...notice, broadcast: true });
    await this.#outbox.publish([{ id: notice.id, key: 'notification', body: parameters }]);
    return { isRepeat: false, answer: parameters };
  }

  /** @throws NodewrightError NOT_FOUND for a label that no task on the node has */
  async #notify(node: string, notice: Notice): Promise<NotificationResult> {
    const { task, nonce, parameters } = notice;
    if (task === undefined) return this.#sendNotice(node, notice);
    const rows = await activeOn(this.#records.storedWorkflows, node);
    const labels = rows.flatMap(({ tasks }) => tasks.map(({ label }) => label));
    if (labels.includes(task)) return this.#sendNotice(node, notice);
    // The first notification with this nonce may have ended the workflow.
    const first = await this.#firstAnswer(node, nonce);
    if (first === undefined) throw noTask(task, labels);
    return repeatedResult(first, parameters);
  }

  async #firstAnswer(mailboxId: string, nonce: string | undefined): Promise<FirstAnswer | undefined> {
    const actor = await this.#records.storedNodes.get(mailboxId);
    return actor && answerTo(contextOf(actor).answers, nonce);
  }

  async #sendNotice(mailboxId: string, notice: Notice): Promise<NotificationResult> {
    const { id, parameters: body, nonce, taskRun } = notice;
    const publication = { id, key: `notification.${mailboxId}`, body };
    const announced = nonce === undefined ? {} : { announced: publication };
    const { row } = await this.#send.node(mailboxId, { type: 'notify', ...notice, ...announced });
    const first = answerTo(contextOf(row).answers, nonce);
    // The workflow has ended in the meantime.
    if (first === undefined && taskRun !== undefined) return repeatedResult(first, body);
    if (first === undefined) await this.#outbox.publish([publication]);
    return first === undefined || first.id === id ? acceptedResult(body) : repeatedResult(first, body);
  }

  /** Like a callback, it is only for one task run, so that no repeat completes another wait. */
  async notifyWorkflow(
    id: string,
    given: Record<string, unknown>,
    to: NotificationTarget,
  ): Promise<NotificationResult | undefined> {
    const at = new Date().toISOString();
    const row = await this.#records.storedWorkflows.get(id);
    if (row === undefined) return undefined;
    const { task } = to;
    const nonce = to.nonce === undefined ? undefined : `nonce ${to.nonce}`;
    const first = await this.#firstAnswer(row.mailboxId, nonce);
    if (first !== undefined) return repeatedResult(first, given);
    const place = placeOfWait(row, task);
    const parameters = parametersOf({ row, place }, new Scrubber(this.#vault).output(given));
    const notice = { ...noticeOf(parameters), at, taskRun: place, nonce: nonce ?? knownAs(place) };
    return this.#sendNotice(row.mailboxId, notice);
  }

  async nodeOfCallback(nonce: string): Promise<string | null | undefined> {
    return (await calledBy(this.#records.storedWorkflows, nonce))?.row.node;
  }

  async callBack(nonce: string, given: Record<string, unknown>): Promise<NotificationResult | undefined> {
    // Taken before the workflow is read: the callback must not apply to a workflow that starts on the node later.
    const at = new Date().toISOString();
    const called = await calledBy(this.#records.storedWorkflows, nonce);
    if (called === undefined) return undefined;
    const { row, place } = called;
    const notice = { ...noticeOf(parametersOf(called, given)), at, taskRun: place, nonce: knownAs(place) };
    if (!isOver(row, place)) return this.#sendNotice(row.mailboxId, notice);
    return repeatedResult(await this.#firstAnswer(row.mailboxId, notice.nonce), notice.parameters);
  }

  /** One at a time: concurrent broadcasts would each count the same free place. */
  #broadcast(broadcast: Broadcast): Promise<void> {
    return this.#turns.run('', async () => {
      const count = await this.#broadcasts.count({});
      if (count >= this.#quota) throw tooMany(count);
      await this.#broadcasts.insert(broadcast);
      this.#start(broadcast);
    });
  }

  /** Continues the broadcasts that a previous instance left unfinished. */
  async resume(): Promise<void> {
    for await (const broadcast of pages(this.#broadcasts, {})) this.#start(broadcast);
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
    const missed = [...progress.missed];
    progress.missed.clear();
    let wrong = await this.#sendAll(broadcast, missed, progress);
    const held = picking<NodeRow, 'workflow'>(this.#records.storedNodes, ['workflow']);
    for await (const group of groups(pages(held, { workflow: { $gt: '' } }, progress.upTo), NODES_CONCURRENCY)) {
      const ids = group.map(({ id }) => id);
      wrong = (await this.#sendAll(broadcast, ids, progress)) ?? wrong;
      progress.upTo = ids.at(-1) ?? progress.upTo;
      if (progress.missed.size >= MISSED) throw wrong;
    }
    if (progress.missed.size > 0) throw wrong;
    await this.#broadcasts.remove({ id: broadcast.id });
  }

  /** Delivers to all of the nodes concurrently. @returns the error of one that failed, if any */
  async #sendAll(broadcast: Broadcast, ids: readonly string[], progress: Progress): Promise<unknown> {
    let wrong: unknown;
    const sendOne = async (node: string) => {
      try {
        await this.#send.node(node, { type: 'notify', ...broadcast });
      } catch (error) {
        if (isRejected(error)) return this.#failed(node, error);
        progress.missed.add(node);
        wrong = error;
      }
    };
    await Promise.all(ids.map(sendOne));
    return wrong;
  }

  async nodeOfTask(taskId: string): Promise<string | null | undefined> {
    return (await this.#workflowOf(taskId))?.node;
  }

  async #workflowOf(taskId: string): Promise<WorkflowRow | undefined> {
    const near = await this.#records.storedWorkflows.find({ id: idRange(taskId) });
    return near.find(({ tasks }) => tasks.some(({ instanceId }) => instanceId === taskId));
  }

  async progress(taskId: string, made: { value: number; maximum: number; description: string }): Promise<boolean> {
    const row = await this.#workflowOf(taskId);
    if (row === undefined) return false;
    const vault = this.#vault;
    const description = new Scrubber(vault, secretsOf(vault, row)).text(made.description);
    await this.#send.workflow(row.id, { type: 'progress', taskId, ...made, description });
    return true;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#spreading;
  }
}
