/**
 * Runs the effects of steps. Every effect may run again after a crash and is harmless then: jobs have fixed ids, rows
 * are created once, and a message that was processed changes nothing.
 */
import type { StartCommand } from '../actors/messages.ts';
import { type FlatError, flatten, NodewrightError } from '../define/errors.ts';
import type { Publication } from '../define/event.ts';
import { batch } from '../lib/batch.ts';
import { now } from '../lib/clock.ts';
import type { Channel, NewJob, Queue } from '../queue/port.ts';
import type { NodeRow } from '../step/node.ts';
import type { Effect, StepRow, WorkflowRow } from '../step/row.ts';
import type { Sender } from './sender.ts';
import type { ChainJob } from './worker.ts';

export interface TimerJob {
  workflow: string;
}

/** Sent to all processes: the one that runs this activity aborts it. */
export interface AbortWord {
  workflow: string;
  operation: string;
}

export interface EffectsPort {
  send: Sender;
  chains: Queue<ChainJob>;
  timers: Queue<TimerJob>;
  aborts: Channel<AbortWord>;
  /** Notifies all processes that there is a command for this node's agent. */
  agentCommands: Channel<string>;
  /** Resolves when publication is guaranteed, even if this process dies. */
  publish(publications: readonly Publication[]): Promise<void>;
  /** @returns whether the activity runs in this process */
  abort(workflow: string, operation: string): boolean;
  /** Starts a child workflow, once. @throws NodewrightError if it is rejected */
  launchChild(parent: WorkflowRow, effect: Extract<Effect, { kind: 'launch' }>): Promise<void>;
}

const JOBS_BATCH = 500;

export class Effects {
  readonly #port: EffectsPort;
  readonly #addChain: (job: NewJob<ChainJob>) => Promise<void>;
  readonly #addTimer: (job: NewJob<TimerJob>) => Promise<void>;

  constructor(port: EffectsPort) {
    this.#port = port;
    this.#addChain = adder(port.chains);
    this.#addTimer = adder(port.timers);
  }

  async perform(effect: Effect, row: StepRow): Promise<void> {
    switch (effect.kind) {
      case 'work':
        return this.chain(row.id, effect.chain);
      case 'wake':
        return this.wake(row.id, effect.at);
      case 'abort':
        return this.#abort(row.id, effect.operation, effect.chain);
      case 'launch':
        return this.#launch(row as WorkflowRow, effect);
      case 'notify-agent':
        return this.#notifyAgent(row as WorkflowRow, effect.operation);
      case 'create':
        return this.#create(effect.start, row as NodeRow);
      case 'publish':
        return this.#port.publish([effect.publication]);
      case 'send-to-node':
        await this.#port.send.node(effect.node, effect.message);
        return;
      case 'send-to-workflow':
        await this.#port.send.workflow(effect.workflow, effect.message);
    }
  }

  /** Skips a workflow that its node no longer holds: it was created before, and may have ended since. */
  async #create(start: StartCommand, node: NodeRow): Promise<void> {
    if (node.workflow === start.id) await this.#port.send.startClaimed(start);
  }

  chain(workflow: string, chain: string): Promise<void> {
    return this.#addChain({ id: chain, data: { workflow, chain } });
  }

  /** Slightly late rather than early: a timer job that finds no due timer would leave it to the sweep. */
  wake(workflow: string, at: number): Promise<void> {
    return this.#addTimer({ id: `${workflow}-t${at}`, data: { workflow }, delayMs: Math.max(0, at - now()) + 1 });
  }

  /** The command is in the row; this ends the long poll of the node's agent. */
  async #notifyAgent({ id, node }: WorkflowRow, operation: string): Promise<void> {
    if (node !== null) return this.#port.agentCommands.publish(node);
    const message = 'a command needs the agent of a node, and this workflow has no node; launch the graph on a node';
    const error: FlatError = { name: 'NodewrightError', message, code: 'INVALID', retry: false };
    await this.#port.send.workflow(id, { type: 'work.failed', operation, error });
  }

  /** An activity that runs here reports its own end. For a queued one, the end is reported here. */
  async #abort(workflow: string, operation: string, chain: string): Promise<void> {
    if (this.#port.abort(workflow, operation)) return;
    // Another process runs it, or will start it in a moment and find it aborting.
    if (!(await this.#port.chains.remove(chain))) return this.#port.aborts.publish({ workflow, operation });
    const error = flatten({ name: 'NodewrightError', message: 'the task run was cancelled', code: 'TASK_CANCELLED' });
    await this.#port.send.workflow(workflow, { type: 'work.failed', operation, error });
  }

  /** A rejected child (no such graph, invalid options, busy node) fails the task run that requested it. */
  async #launch(parent: WorkflowRow, effect: Extract<Effect, { kind: 'launch' }>): Promise<void> {
    try {
      await this.#port.launchChild(parent, effect);
    } catch (error) {
      if (!(error instanceof NodewrightError) || error.status >= 500) throw error;
      await this.#port.send.workflow(parent.id, {
        type: 'work.failed',
        operation: effect.operation,
        error: flatten(error),
      });
    }
  }
}

/** Adds jobs of the same event loop turn in one round trip. */
function adder<Data>(queue: Queue<Data>): (job: NewJob<Data>) => Promise<void> {
  return batch(async (jobs: NewJob<Data>[]) => {
    await queue.add(jobs);
    return jobs.map(() => undefined);
  }, JOBS_BATCH);
}
