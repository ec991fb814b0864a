/**
 * Notifications from nodes: published to listeners, and delivered to the actor of their node. One without a node is a
 * broadcast: every node with an active workflow receives it, as if it were for that node.
 *
 * 1. When `notify` resolves, the notification can no longer be lost.
 * 2. A broadcast is stored until it is delivered to all nodes (`broadcasts.ts`).
 * 3. It is published by an effect of the step that receives it: the repetition of one with a nonce after a crash is not
 *    published twice, and the first is not lost. Without an active workflow, repetitions are not recognized, and
 *    each is published.
 */
import { randomUUID } from 'node:crypto';
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
import { contextOf } from '../../durable/step/node.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { idRange } from '../../durable/step/workflow.ts';
import type { Outbox } from '../../events/broker/outbox.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { Broadcasts } from './broadcasts.ts';
import { calledBy, knownAs, parametersOf } from './called-back.ts';
import { unknownNode } from './node-claim.ts';
import { placeOfWait } from './place-of-wait.ts';

/** Compared with the launch of a workflow (`mailbox.ts`): by the clock that all processes share. */
const noticeOf = (parameters: Record<string, unknown>) => ({
  id: randomUUID(),
  at: new Date(now()).toISOString(),
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

export class NotificationRequests implements Notifications {
  readonly #send: Sender;
  readonly #records: Pick<Records, 'storedNodes' | 'storedWorkflows'>;
  readonly #outbox: Outbox;
  readonly #vault: Vault;
  readonly #broadcasts: Pick<Broadcasts, 'add'>;

  constructor(
    { send, records }: Pick<Runtime, 'send'> & { records: Pick<Records, 'storedNodes' | 'storedWorkflows'> },
    outbox: Outbox,
    vault: Vault,
    broadcasts: Pick<Broadcasts, 'add'>,
  ) {
    this.#send = send;
    this.#records = records;
    this.#outbox = outbox;
    this.#vault = vault;
    this.#broadcasts = broadcasts;
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
    await this.#broadcasts.add({ ...notice, broadcast: true });
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
    const { row, changed } = await this.#send.node(mailboxId, { type: 'notify', ...notice, announced: publication });
    // The node was removed after it was found.
    if (row.retired && taskRun === undefined) throw unknownNode(mailboxId);
    const first = answerTo(contextOf(row).answers, nonce);
    // The workflow has ended in the meantime.
    if (first === undefined && taskRun !== undefined) return repeatedResult(first, body);
    if (first === undefined && !changed) await this.#outbox.publish([publication]);
    return first === undefined || first.id === id ? acceptedResult(body) : repeatedResult(first, body);
  }

  /** Like a callback, it is only for one task run, so that no repeat completes another wait. */
  async notifyWorkflow(
    id: string,
    given: Record<string, unknown>,
    to: NotificationTarget,
  ): Promise<NotificationResult | undefined> {
    const at = new Date(now()).toISOString();
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
    const at = new Date(now()).toISOString();
    const called = await calledBy(this.#records.storedWorkflows, nonce);
    if (called === undefined) return undefined;
    const { row, place } = called;
    const notice = { ...noticeOf(parametersOf(called, given)), at, taskRun: place, nonce: knownAs(place) };
    if (!isOver(row, place)) return this.#sendNotice(row.mailboxId, notice);
    return repeatedResult(await this.#firstAnswer(row.mailboxId, notice.nonce), notice.parameters);
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
}
