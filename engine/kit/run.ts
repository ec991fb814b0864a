/**
 * A workflow that runs by pure steps, without store, queue or clock. After each step the row is serialized to JSON and back,
 * as when another process takes over, and its effects are only recorded. Time moves only with timers. Its drivers decide what
 * happens: `Course` (all goes well), `Simulation`, `play`, `replay`.
 */
import { randomUUID } from 'node:crypto';
import type { StartCommand, WorkflowMessage } from '../durable/actors/messages.ts';
import { type Env, taskRunKey } from '../durable/step/builder.ts';
import { historyOf, linesOf } from '../durable/step/publications.ts';
import type { Effect, HistoryEntry, Operation, PendingEffects, WorkflowRow } from '../durable/step/row.ts';
import { launch, step } from '../durable/step/workflow.ts';
import type { Graph } from '../library/types.ts';
import type { FlatError } from '../vocabulary/errors.ts';
import { isActive, type TaskState } from '../vocabulary/states.ts';
import { failureWith } from './call-ends.ts';

/** Values for `{{ }}` of a daemon with its defaults. */
const defaultBindings: StartCommand['bindings'] = {
  env: {},
  api: { server: 'http://127.0.0.1:9080', base: 'http://127.0.0.1:9080/api/current' },
};

export const SIMULATED_NODE = 'node-1';
const SIMULATED_TRACE = '00-11111111111111111111111111111111-1111111111111111-00';

export interface RunOptions {
  /** Values for `{{ }}`. */
  bindings?: StartCommand['bindings'];
  /** Tasks that count as done, because they succeeded in a workflow that this one repeats. */
  carried?: NonNullable<StartCommand['carried']>;
  /** The time of the launch, in ms since the epoch. */
  now?: number;
}

export class Run {
  readonly graph: Graph;
  row: WorkflowRow;
  /** ms since the epoch. */
  now = Date.parse('2026-01-01T00:00:00.000Z');
  readonly effects: Effect[] = [];
  readonly history: HistoryEntry[] = [];
  readonly pendingEffects: PendingEffects[] = [];
  /** false: rows are serialized only where the caller does. */
  isSerialized = true;
  /** The labels of operations that succeeded although they were being aborted. */
  readonly late = new Set<string>();

  constructor(
    graph: Graph,
    options: Record<string, unknown> = {},
    node: string | null = SIMULATED_NODE,
    { bindings, now, ...more }: RunOptions = {},
  ) {
    this.graph = graph;
    if (now !== undefined) this.now = now;
    const id = randomUUID();
    const start: StartCommand = {
      id,
      graphName: graph.name,
      definitionHash: graph.hash,
      node,
      mailboxId: node ?? id,
      domain: 'default',
      operator: null,
      options,
      bindings: { ...defaultBindings, ...bindings },
      parent: null,
      encrypted: false,
      traceparent: SIMULATED_TRACE,
      createdAt: new Date(this.now).toISOString(),
      ...more,
    };
    this.row = this.collectEffects(launch(start, graph, this.env()));
  }

  /** Returns a run in the same place, which continues by itself. Steps make new rows, so that both share the row. */
  fork(): this {
    const fields = Object.entries(this).map(([name, value]) => [name, copyOf(value)]);
    return Object.assign(Object.create(Object.getPrototypeOf(this)), Object.fromEntries(fields)) as this;
  }

  get isOver(): boolean {
    return !isActive(this.row.status);
  }

  private env(): Env {
    return { now: this.now, uuid: randomUUID };
  }

  private collectEffects(row: WorkflowRow): WorkflowRow {
    const pendingEffects = row.pendingEffects.at(-1) as PendingEffects;
    this.pendingEffects.push(pendingEffects);
    this.effects.push(...pendingEffects.effects);
    const { last, lines } = pendingEffects;
    const step = historyOf(row.id, pendingEffects);
    if (step !== undefined) this.history.push(...linesOf([step], last - lines.length, lines.length));
    const savedRow = this.isSerialized ? (JSON.parse(JSON.stringify(row)) as WorkflowRow) : row;
    return { ...savedRow, pendingEffects: [] };
  }

  /** Returns true if the message changed anything. */
  send(message: WorkflowMessage): boolean {
    const ending = message.type === 'work.done' ? this.row.operations[message.operation] : undefined;
    if (ending?.aborting) this.late.add(this.labelOf(ending));
    const result = step(this.row, this.graph, message, this.env());
    if (result.changed) this.row = this.collectEffects(result.row);
    else this.effects.push(...result.replies);
    return result.changed;
  }

  /** Advances to a time, by default that of the earliest timer, and fires what is due. @returns false when nothing changes */
  fireTimer(at = Math.min(...Object.values(this.row.timers).map((timer) => timer.at))): boolean {
    if (at === Number.POSITIVE_INFINITY) return false;
    this.now = Math.max(this.now, at);
    return this.send({ type: 'timer' });
  }

  get operations(): Operation[] {
    return Object.values(this.row.operations);
  }

  get openOperations(): Operation[] {
    return this.operations.filter((operation) => !operation.aborting);
  }

  /** Returns the label whose task the operation belongs to. */
  labelOf({ taskRun }: Operation): string {
    return this.row.actors[taskRunKey(taskRun)]?.label ?? '';
  }

  done(operation: Operation, output: unknown = {}): boolean {
    return this.send({ type: 'work.done', operation: operation.id, output });
  }

  fail(operation: Operation, code = 'TASK_FAILED', more: Partial<FlatError> = {}): boolean {
    return this.send({ type: 'work.failed', operation: operation.id, error: { ...failureWith(code), ...more } });
  }

  /** Reports the end of all operations that are being aborted. */
  endAborted(): void {
    for (const operation of this.operations.filter((open) => open.aborting)) this.fail(operation, 'TASK_CANCELLED');
  }

  /** Returns the state of each label. */
  states(): Record<string, TaskState> {
    return Object.fromEntries(this.row.tasks.map(({ label, state }) => [label, state]));
  }
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...value];
  if (value instanceof Set) return new Set(value);
  return value instanceof Map ? new Map(value) : value;
}
