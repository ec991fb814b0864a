/**
 * The course of a workflow in which all goes well: calls succeed, waits are answered, timers fire. It keeps account of the
 * calls that began, as workers do: a `once` activity is claimed first, and a process that finds the claim of a dead one asks
 * the probe of the task, or gives up.
 */

import type { WorkflowMessage } from '../durable/actors/messages.ts';
import type { Operation, WorkflowRow } from '../durable/step/row.ts';
import type { Graph } from '../library/types.ts';
import type { FlatError } from '../vocabulary/errors.ts';
import { failureWith } from './call-ends.ts';
import type { Sample } from './launch-samples.ts';
import { isCall, type NextStep, nextOf } from './ready.ts';
import { Run } from './run.ts';

const MAX_STEPS = 2_000;

export class Course extends Run {
  readonly sample: Sample;
  /** The course so far, in words. */
  readonly path = ['launched'];
  readonly said: WorkflowMessage[] = [];
  /** How often each activity of a `once` task began, by operation. */
  readonly begun = new Map<string, { label: string; count: number }>();
  /** Labels of `once` tasks whose effect is not known, since a process died in them; and those that began after that. */
  readonly interrupted = new Set<string>();
  readonly begunAgain = new Set<string>();
  deaths = 0;

  constructor(graph: Graph, sample: Sample) {
    super(graph, sample.options);
    this.sample = sample;
  }

  /** The next step; undefined: there is none. Calls end before waits, and limits of waits come last. */
  get nextStep(): NextStep | undefined {
    return nextOf(this, () => !this.operations.some(isCall)) ?? Object.values(this.row.timers)[0];
  }

  /** One step in which all goes well. @returns false if nothing can happen */
  step(): boolean {
    const { nextStep: next } = this;
    if (next === undefined) return false;
    const { operation } = next;
    if (operation === undefined) return this.fire();
    if (operation.aborting) return this.breaks(operation, 'stops', { code: 'TASK_CANCELLED' });
    this.begin(operation);
    const current = this.row.operations[operation.id];
    // The claim was that of a dead process, and the task has no probe.
    if (current === undefined) return true;
    const output = this.outputOf(current);
    return this.say(`${this.labelOf(current)} succeeds`, { type: 'work.done', operation: current.id, output });
  }

  /** All goes well from here on. @returns false if the workflow does not end */
  finish(): boolean {
    for (let n = 0; n < MAX_STEPS && !this.isOver; n += 1) if (!this.step()) return false;
    return this.isOver;
  }

  say(words: string, message: WorkflowMessage): boolean {
    this.path.push(words);
    this.said.push(message);
    return this.send(message);
  }

  /** The operation fails. */
  breaks(operation: Operation, words: string, more: Partial<FlatError> = {}): boolean {
    const error = { ...failureWith('TASK_FAILED'), ...more };
    return this.say(`${this.labelOf(operation)} ${words}`, { type: 'work.failed', operation: operation.id, error });
  }

  /** A worker begins an activity; it may die before it reports the end. */
  begin(operation: Operation): void {
    const label = this.labelOf(operation);
    const task = this.graph.labels.get(label)?.task;
    if (operation.kind !== 'activity' || task?.recovery !== 'once') return;
    const { count = 0 } = this.begun.get(operation.id) ?? {};
    if (count === 0 && this.interrupted.has(label)) this.begunAgain.add(label);
    if (this.claims(operation)) this.begun.set(operation.id, { label, count: count + 1 });
    else if (task.probe === undefined) {
      this.interrupted.add(label);
      this.breaks(operation, 'was interrupted', { code: 'TASK_INTERRUPTED', retry: false });
    }
  }

  /** The process dies; another one continues from the row. */
  kill(): void {
    this.path.push('killed');
    this.deaths += 1;
    this.row = JSON.parse(JSON.stringify(this.row)) as WorkflowRow;
  }

  private claims({ id }: Operation): boolean {
    const by = `process-${this.deaths}`;
    this.send({ type: 'work.claim', operation: id, by });
    return this.row.operations[id]?.claim === by;
  }

  private fire(): boolean {
    this.path.push('a timer fires');
    this.said.push({ type: 'timer' });
    return this.fireTimer();
  }

  /** Examples take turns, so that a loop that waits for one of them ends. */
  private outputOf(operation: Operation): unknown {
    const named = this.sample.outputs[this.labelOf(operation)] ?? [];
    if (named.length > 0) return named[this.row.counts.taskRuns % named.length];
    return operation.kind === 'graph' ? { workflowId: 'child', output: null } : {};
  }
}
