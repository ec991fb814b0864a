/**
 * A simulated workflow: the engine's own steps, without a daemon, a worker or a clock. Nothing happens by itself: `until`
 * and `advance` let calls end and timers fire, in order, until they are done.
 *
 * 1. Calls (activities, commands of agents, child graphs) end as `EndsOfCalls` says. They take no time.
 * 2. A wait for a notification ends only by `notify`, `done` or `fail`, or by a timer in `advance`: `until` does not let
 *    the time of a wait pass. A wait for a release ends when nothing else can happen.
 * 3. After each step the row is serialized to JSON and back.
 * 4. Wrong arguments throw INVALID; a call that does not fit the state of the workflow throws CONFLICT, with the last
 *    steps.
 */

import type { HistoryEntry, Operation } from '../durable/step/row.ts';
import { nodesOf } from '../library/forms/machine-nodes.ts';
import type { FlatError } from '../vocabulary/errors.ts';
import { isActive, type TaskState, type WorkflowStatus } from '../vocabulary/states.ts';
import { type CallEnds, checkLabel, EndsOfCalls, ofKind, type TaskOutputs } from './call-ends.ts';
import { misuse, namesText, unfitError } from './misuse.ts';
import { stateText, timeText, traceLine, valueText } from './readable.ts';
import { nextOf, timersOf } from './ready.ts';
import type { Run } from './run.ts';
import { spanOf } from './span.ts';

/** A label of a simulated workflow. */
export interface SimulatedTask {
  state: TaskState;
  attempts: number;
  output: unknown;
  error: FlatError | null;
}

const STEPS_LIMIT = 10_000;

export class Simulation {
  readonly #run: Run;
  readonly #ends: EndsOfCalls;
  readonly #start: number;
  readonly #lines: string[] = [];
  #shownCount = 0;

  constructor(run: Run, ends: CallEnds = {}, outputs: TaskOutputs = {}) {
    this.#run = run;
    this.#ends = new EndsOfCalls(run.graph, ends, outputs);
    this.#start = run.now;
  }

  get status(): WorkflowStatus {
    return this.#run.row.status;
  }

  /** The state value of the graph's machine, as XState has it; for a list of tasks `working`, `done` or `failed`. */
  get value(): unknown {
    return this.#run.row.actors.graph?.snapshot.value ?? null;
  }

  /** The context of the graph's machine. */
  get context(): unknown {
    return this.#run.row.actors.graph?.snapshot.context ?? null;
  }

  /** The output of the graph; null before it has succeeded. */
  get output(): unknown {
    return this.#run.row.output;
  }

  /** Why the workflow failed; null if it did not. */
  get error(): FlatError | null {
    return this.#run.row.error;
  }

  /** By label. */
  get tasks(): Record<string, SimulatedTask> {
    return Object.fromEntries(
      this.#run.row.tasks.map(({ label, state, attempts, output, error }) => [
        label,
        { state, attempts, output, error },
      ]),
    );
  }

  /** ms since the launch. */
  get elapsedMs(): number {
    return this.#run.now - this.#start;
  }

  /** The trace so far, as lines without ids and dates. A line with `>` is a call of the test. */
  get trace(): string[] {
    this.#note();
    return [...this.#lines];
  }

  /** The history, as the API shows it. */
  get history(): readonly HistoryEntry[] {
    return this.#run.history;
  }

  /**
   * Lets calls end and timers fire until a state is active or a label has begun; without an argument, until the workflow
   * has ended.
   * @param where a state, as `waiting` or `erasing.booting`, or a label
   * @throws NodewrightError INVALID if the graph has neither; CONFLICT if the workflow does not reach it without another call
   * of the test
   */
  until(where?: string): this {
    return this.#until(where, () => false);
  }

  /**
   * The same, but each wait for a notification that nothing else ends is answered.
   * @param answers parameters of the notifications, in order; further ones have none
   */
  answering(answers: readonly Record<string, unknown>[], where?: string): this {
    const remainingAnswers = [...answers];
    return this.#until(where, () => {
      if (!this.#run.openOperations.some(({ kind }) => kind === 'notification')) return false;
      this.notify(remainingAnswers.shift());
      return true;
    });
  }

  #until(where: string | undefined, unblock: () => boolean): this {
    const isThere = where === undefined ? () => !isActive(this.status) : this.#condition(where);
    const goal = where === undefined ? 'its end' : `'${where}'`;
    for (let n = 0; !isThere(); n += 1) {
      if (!isActive(this.status)) throw this.#stoppedError(`the workflow ${this.#endText()} before ${goal}`, goal);
      if (n >= STEPS_LIMIT)
        throw this.#stoppedError(`${goal} not reached after ${STEPS_LIMIT} steps`, 'a graph that does not loop');
      if (this.#go(Number.POSITIVE_INFINITY) || unblock()) continue;
      throw this.#stoppedError(`${this.#blockedOn()} before ${goal}`, goal);
    }
    return this;
  }

  /**
   * Lets this time pass: calls end, and timers fire when they are due.
   * @param span ms, or a text such as `90s`, `1h 30m`, `2d`
   */
  advance(span: string | number): this {
    const end = this.#run.now + spanOf(span);
    this.#say(`advance ${timeText(spanOf(span))}`);
    for (let n = 0; isActive(this.status); n += 1) {
      if (n >= STEPS_LIMIT) throw this.#stoppedError(`no end after ${STEPS_LIMIT} steps`, 'a graph that does not loop');
      if (this.#go(end)) continue;
      const [timer] = timersOf(this.#run);
      if (timer === undefined || timer.at > end) break;
      this.#run.fireTimer();
    }
    this.#run.now = Math.max(this.#run.now, end);
    return this;
  }

  /**
   * Delivers a notification of the node.
   * @param data its parameters
   * @param label absent: the task that has waited longest receives it
   */
  notify(data: Record<string, unknown> = {}, label?: string): this {
    if (label !== undefined) checkLabel(this.#run.graph, label, 'notify');
    const wait = this.#run.openOperations.find(
      (operation) =>
        operation.kind === 'notification' && (label === undefined || this.#run.labelOf(operation) === label),
    );
    if (wait === undefined) {
      const wanted = label === undefined ? 'a task that waits' : `'${label}' waiting`;
      throw this.#stoppedError(
        `no wait for a notification (${this.#openText()})`,
        `${wanted} for a notification`,
        'call until() first',
      );
    }
    this.#say(`notify ${valueText(data)}`);
    this.#run.send({ type: 'work.done', operation: wait.id, output: data, notification: 'notification' });
    return this;
  }

  /** Ends the open call or wait of a label. @param output absent: as a call that is not given in `ends` */
  done(label: string, output?: unknown): this {
    const operation = this.#openOf(label, 'done');
    const result = output === undefined ? this.#ends.defaultOutput(label, operation) : ofKind(operation, output, 0);
    this.#say(`done ${label} ${valueText(result)}`);
    this.#run.done(operation, result);
    return this;
  }

  /** Fails the open call or wait of a label; the retry policy decides whether another attempt follows. */
  fail(label: string, code = 'TASK_FAILED', message?: string): this {
    const operation = this.#openOf(label, 'fail');
    this.#say(`fail ${label} ${code}`);
    this.#run.fail(operation, code, message === undefined ? {} : { message });
    return this;
  }

  /** Cancels the workflow. Its tasks stop, and compensations run, with the next `until` or `advance`. */
  cancel(): this {
    if (!isActive(this.status))
      throw this.#stoppedError(`a workflow that ${this.#endText()}`, 'an active one', 'cancel it earlier');
    this.#say('cancel');
    this.#run.send({ type: 'cancel' });
    return this;
  }

  /**
   * The daemon dies and another process continues from the row. Open activities of `once` tasks without a probe end as
   * TASK_INTERRUPTED; all others run again.
   */
  crash(): this {
    this.#say('crash');
    for (const operation of this.#run.openOperations) {
      const task = this.#run.graph.labels.get(this.#run.labelOf(operation))?.task;
      if (operation.kind !== 'activity' || task?.recovery !== 'once' || task.probe !== undefined) continue;
      this.#run.fail(operation, 'TASK_INTERRUPTED', { message: 'the daemon died while the task ran', retry: false });
    }
    return this;
  }

  /** Does the next thing that happens by itself, if it is due by `end`. @returns false if nothing is due */
  #go(end: number): boolean {
    const run = this.#run;
    const next = nextOf(run, (wait) => this.#ends.isGivenFor(run.labelOf(wait)));
    if (next === undefined || next.at > end) return false;
    const { operation } = next;
    if (operation === undefined) return run.fireTimer(next.at);
    if (operation.aborting) return run.fail(operation, 'TASK_CANCELLED');
    return operation.kind === 'release' ? run.done(operation) : this.#end(operation);
  }

  #end(call: Operation): boolean {
    const end = this.#ends.next(this.#run.labelOf(call), call);
    if ('output' in end) return this.#run.done(call, end.output);
    return this.#run.fail(call, end.error.code, end.error);
  }

  #condition(where: string): () => boolean {
    const { machine, labels, name } = this.#run.graph;
    const states = nodesOf(machine).map(({ path }) => path.join('.'));
    const hasState = states.includes(where);
    if (!hasState && !labels.has(where)) {
      const actual = `no state and no label '${where}'`;
      throw misuse(
        actual,
        `one of ${name}`,
        `its states are ${namesText(states.slice(1))}; its labels are ${namesText(labels.keys())}`,
      );
    }
    const isInState = () =>
      stateText(this.value)
        .split(', ')
        .some((state) => `${state}.`.startsWith(`${where}.`));
    const hasBegun = () => ['running', 'waiting'].includes(this.tasks[where]?.state ?? '');
    return () => (hasState && isInState()) || (labels.has(where) && hasBegun());
  }

  #openOf(label: string, what: string): Operation {
    checkLabel(this.#run.graph, label, what);
    const operation = this.#run.openOperations.find((operation) => this.#run.labelOf(operation) === label);
    if (operation !== undefined) return operation;
    const state = this.tasks[label]?.state;
    throw this.#stoppedError(
      `'${label}' ${state} (${this.#openText()})`,
      'a call or wait of it',
      `call until('${label}') first`,
    );
  }

  #openText(): string {
    return `open: ${namesText(this.#run.openOperations.map((operation) => `${this.#run.labelOf(operation)} (${operation.kind})`))}`;
  }

  #endText(): string {
    return `has ended as ${this.status}${this.error === null ? '' : ` (${this.error.code}: ${this.error.message})`}`;
  }

  #blockedOn(): string {
    const waits = this.#run.openOperations.map(
      (operation) => `'${this.#run.labelOf(operation)}' that waits for a ${operation.kind}`,
    );
    return waits.length === 0 ? `nothing that could happen in ${stateText(this.value)}` : waits.join(' and ');
  }

  /** An error with the last lines of the trace. */
  #stoppedError(actual: string, expected: string, advice = "end waits by notify(), done(), fail(), or advance('24h')") {
    const last = this.trace.slice(-5).join('\n  ');
    return unfitError(actual, expected, `${advice}; the last steps were\n  ${last}`);
  }

  #say(line: string): void {
    this.#note();
    this.#lines.push(`${timeText(this.elapsedMs)} > ${line}`);
  }

  #note(): void {
    for (const entry of this.#run.history.slice(this.#shownCount)) this.#lines.push(traceLine(entry, this.#start));
    this.#shownCount = this.#run.history.length;
  }
}
