/**
 * Plays a workflow to its end in the way that all goes well: calls succeed, waits are answered, timers fire. It keeps
 * account of the calls that began, as workers do: a `once` activity is claimed first, and a process that finds the claim of
 * a dead one asks the probe of the task, or gives up.
 */

import type { WorkflowMessage } from '../durable/actors/messages.ts';
import type { Operation, WorkflowRow } from '../durable/step/row.ts';
import { isActive } from '../vocabulary/states.ts';
import type { Drive } from './drive.ts';
import type { Sample } from './launch-samples.ts';
import { isCall, timersOf } from './ready.ts';

const STEPS_LIMIT = 2_000;

/** A step: an end of an operation, or a timer. */
export interface NextStep {
  words: string;
  operation?: Operation;
}

export class Player {
  readonly drive: Drive;
  readonly #sample: Sample;
  /** The course so far, in words. */
  readonly path: string[];
  readonly said: WorkflowMessage[];
  /** How often each activity of a `once` task began, by operation. */
  readonly begun: Map<string, { label: string; count: number }>;
  /** Labels of `once` tasks whose effect is not known, since a process died in them; and those that began after that. */
  readonly interrupted: Set<string>;
  readonly begunAgain: Set<string>;
  #process: number;

  constructor(drive: Drive, sample: Sample, from?: Player) {
    this.drive = drive;
    this.#sample = sample;
    this.path = [...(from?.path ?? ['launched'])];
    this.said = [...(from?.said ?? [])];
    this.begun = new Map(from?.begun);
    this.interrupted = new Set(from?.interrupted);
    this.begunAgain = new Set(from?.begunAgain);
    this.#process = from === undefined ? 1 : from.#process;
  }

  fork(): Player {
    return new Player(this.drive.fork(), this.#sample, this);
  }

  get isOver(): boolean {
    return !isActive(this.drive.row.status);
  }

  /** The next step; undefined: there is none. */
  get next(): NextStep | undefined {
    const { operations, row } = this.drive;
    const operation =
      operations.find(({ aborting }) => aborting) ??
      operations.find(isCall) ??
      operations.find(({ kind }) => kind === 'notification');
    if (operation !== undefined) return { words: this.drive.labelOf(operation), operation };
    const [timer] = timersOf(this.drive).filter(({ limitsWait }) => !limitsWait);
    const parked = operations[0];
    if (timer === undefined && parked !== undefined) return { words: this.drive.labelOf(parked), operation: parked };
    return Object.keys(row.timers).length > 0 ? { words: 'a timer fires' } : undefined;
  }

  /** One step in which all goes well. @returns false if nothing can happen */
  step(): boolean {
    const { next } = this;
    if (next === undefined) return false;
    if (next.operation === undefined) return this.#wake();
    if (next.operation.aborting) return this.fail(next.operation, 'TASK_CANCELLED', 'stops');
    this.begin(next.operation);
    const current = this.drive.row.operations[next.operation.id];
    // The claim was that of a dead process, and the task has no probe.
    if (current === undefined) return true;
    return this.say(`${next.words} succeeds`, {
      type: 'work.done',
      operation: current.id,
      output: this.#outputOf(current),
    });
  }

  /** All goes well from here on. @returns false if the workflow does not end */
  finish(): boolean {
    for (let n = 0; n < STEPS_LIMIT && !this.isOver; n += 1) if (!this.step()) return false;
    return this.isOver;
  }

  say(words: string, message: WorkflowMessage): boolean {
    this.path.push(words);
    this.said.push(message);
    return this.drive.send(message);
  }

  fail(operation: Operation, code: string, words = 'fails', retry?: false): boolean {
    const error = { name: 'Error', message: 'the call failed', code, ...(retry === false && { retry }) };
    return this.say(`${this.drive.labelOf(operation)} ${words}`, {
      type: 'work.failed',
      operation: operation.id,
      error,
    });
  }

  /** A worker begins an activity; it may die before it reports the end. */
  begin(operation: Operation): void {
    if (operation.kind !== 'activity') return;
    const label = this.drive.labelOf(operation);
    const task = this.drive.graph.labels.get(label)?.task;
    if (task?.recovery !== 'once') return;
    const { count = 0 } = this.begun.get(operation.id) ?? {};
    if (count === 0 && this.interrupted.has(label)) this.begunAgain.add(label);
    if (this.#claims(operation)) this.begun.set(operation.id, { label, count: count + 1 });
    else if (task.probe === undefined) {
      this.interrupted.add(label);
      this.fail(operation, 'TASK_INTERRUPTED', 'was interrupted', false);
    }
  }

  /** The process dies; another one continues from the row. */
  kill(): void {
    this.path.push('killed');
    this.#process += 1;
    this.drive.row = JSON.parse(JSON.stringify(this.drive.row)) as WorkflowRow;
  }

  #claims({ id }: Operation): boolean {
    const by = `process-${this.#process}`;
    this.drive.send({ type: 'work.claim', operation: id, by });
    return this.drive.row.operations[id]?.claim === by;
  }

  #wake(): boolean {
    const times = Object.values(this.drive.row.timers).map(({ at }) => at);
    this.drive.now = Math.max(this.drive.now, Math.min(...times));
    return this.say('a timer fires', { type: 'wake' });
  }

  /** Examples take turns, so that a loop that waits for one of them ends. */
  #outputOf(operation: Operation): unknown {
    const named = this.#sample.outputs[this.drive.labelOf(operation)] ?? [];
    if (named.length > 0) return named[this.drive.row.counts.taskRuns % named.length];
    return operation.kind === 'graph' ? { workflowId: 'child', output: null } : {};
  }
}
