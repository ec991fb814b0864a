/**
 * Runs the effects of steps. Every effect may run again after a crash and is harmless then: jobs have fixed ids, rows
 * are created once, and a message that was processed changes nothing.
 */

import { now } from '../../platform/lib/clock.ts';
import type { NewJob } from '../../platform/queue/port.ts';
import { type FlatError, flatten, isRejection } from '../../vocabulary/errors.ts';
import type { StartCommand } from '../actors/messages.ts';
import { messagesFrom, type NodeRow } from '../step/node.ts';
import type { Effect, StepRow, WorkflowRow } from '../step/row.ts';
import type { ActivityQueue } from './activity-queue.ts';
import type { RuntimePort } from './runtime-port.ts';
import { adder, type RuntimeQueues, type TimerJob } from './runtime-queues.ts';
import type { Sender } from './sender.ts';
import type { Worker } from './worker.ts';

export class Effects {
  readonly #port: Pick<RuntimePort, 'outbox' | 'launchChild'>;
  readonly #queues: RuntimeQueues;
  readonly #send: Sender;
  readonly #worker: Pick<Worker, 'abort'>;
  readonly #activities: Pick<ActivityQueue, 'add' | 'addAgain' | 'remove'>;
  readonly #addTimer: (job: NewJob<TimerJob>) => Promise<void>;

  constructor(
    port: Pick<RuntimePort, 'outbox' | 'launchChild'>,
    queues: RuntimeQueues,
    send: Sender,
    worker: Pick<Worker, 'abort'>,
    activities: Pick<ActivityQueue, 'add' | 'addAgain' | 'remove'>,
  ) {
    this.#port = port;
    this.#queues = queues;
    this.#send = send;
    this.#worker = worker;
    this.#activities = activities;
    this.#addTimer = adder(queues.timers);
  }

  /**
   * Runs the effects of a step, in their order; none waits for the broker. Messages to the node that follow each other are one
   * step of it: a wait that has received a notification makes room for the next wait, or the end.
   * @param isAgain they may have run before, in this process or another one
   */
  async performAll(all: readonly Effect[], row: StepRow, isAgain: boolean): Promise<void> {
    const publications = all.flatMap((effect) => (effect.kind === 'publish' ? [effect.publication] : []));
    const effects = publications.length === 0 ? all : all.filter(({ kind }) => kind !== 'publish');
    const published = publications.length === 0 ? undefined : this.#port.outbox.publish(publications);
    await Promise.all([published, this.#performEach(effects, row, isAgain)]);
  }

  async #performEach(effects: readonly Effect[], row: StepRow, isAgain: boolean): Promise<void> {
    for (let at = 0; at < effects.length; ) {
      const effect = effects[at] as Effect;
      const [message, ...others] = messagesFrom(effects, at);
      if (effect.kind !== 'send-to-node' || message === undefined) await this.perform(effect, row, isAgain);
      else await this.#send.node(effect.node, message, ...others);
      at += 1 + others.length;
    }
  }

  /** @param isAgain it may have run before, in this process or another one */
  async perform(effect: Effect, row: StepRow, isAgain: boolean): Promise<void> {
    switch (effect.kind) {
      case 'work': {
        const job = { workflow: row.id, chain: effect.chain };
        return isAgain ? this.#activities.addAgain(job) : this.#activities.add(job);
      }
      case 'timer':
        return this.timer(row.id, effect.at);
      case 'abort':
        return this.#abort(row.id, effect.operation, effect.chain);
      case 'launch':
        return this.#launch(row as WorkflowRow, effect);
      case 'notify-agent':
        return this.#notifyAgent(row as WorkflowRow, effect.operation);
      case 'create':
        return this.#create(effect.start, row as NodeRow);
      case 'publish':
        return this.#port.outbox.publish([effect.publication]);
      case 'send-to-node':
        await this.#send.node(effect.node, effect.message);
        return;
      case 'send-to-workflow':
        await this.#send.workflow(effect.workflow, effect.message);
    }
  }

  /** Skips a workflow that its node no longer holds: it was created before, and may have ended since. */
  async #create(start: StartCommand, node: NodeRow): Promise<void> {
    if (node.workflow === start.id) await this.#send.startClaimed(start, node);
  }

  /** Slightly late rather than early: a timer job that finds no due timer would leave it to the sweep. */
  timer(workflow: string, at: number): Promise<void> {
    return this.#addTimer({ id: `${workflow}-t${at}`, data: { workflow }, delayMs: Math.max(0, at - now()) + 1 });
  }

  /** The command is in the row; this ends the long poll of the node's agent. */
  async #notifyAgent({ id, node }: WorkflowRow, operation: string): Promise<void> {
    if (node !== null) return this.#queues.agentCommands.publish(node);
    const message = 'a command needs the agent of a node, and this workflow has no node; launch the graph on a node';
    const error: FlatError = { name: 'NodewrightError', message, code: 'INVALID', retry: false };
    await this.#send.workflow(id, { type: 'work.failed', operation, error });
  }

  /** An activity that runs here reports its own end. For a queued one, the end is reported here. */
  async #abort(workflow: string, operation: string, chain: string): Promise<void> {
    if (this.#worker.abort(workflow, operation)) return;
    // Another process runs it, or will start it in a moment and find it aborting.
    if (!(await this.#activities.remove(chain))) return this.#queues.aborts.publish({ workflow, operation });
    const error = flatten({ name: 'NodewrightError', message: 'the task run was cancelled', code: 'TASK_CANCELLED' });
    await this.#send.workflow(workflow, { type: 'work.failed', operation, error });
  }

  /** A rejected child (no such graph, invalid options, busy node) fails the task run that requested it. */
  async #launch(parent: WorkflowRow, effect: Extract<Effect, { kind: 'launch' }>): Promise<void> {
    try {
      await this.#port.launchChild(parent, effect);
    } catch (error) {
      if (!isRejection(error)) throw error;
      await this.#send.workflow(parent.id, {
        type: 'work.failed',
        operation: effect.operation,
        error: flatten(error),
      });
    }
  }
}
