/** A simulated workflow after some moves, and what can happen next. */

import { isTaskRun } from '../durable/step/builder.ts';
import type { HistoryEntry, Timer } from '../durable/step/row.ts';
import { redact } from '../vocabulary/conceal.ts';
import type { FlatError } from '../vocabulary/errors.ts';
import type { TaskState, WaitingOn, WorkflowStatus } from '../vocabulary/states.ts';
import type { EndsOfCalls } from './call-ends.ts';
import { timersOf } from './ready.ts';
import type { Run } from './run.ts';
import type { Simulation } from './simulation.ts';

export interface PlayView {
  status: WorkflowStatus;
  value: unknown;
  output: unknown;
  error: FlatError | null;
  /** ms since the launch. */
  elapsedMs: number;
  tasks: {
    label: string;
    taskName: string;
    state: TaskState;
    attempts: number;
    maxAttempts: number;
    waitingOn: WaitingOn | null;
    output: unknown;
    error: FlatError | null;
  }[];
  /** The latest lines, oldest first. */
  trace: string[];
  /** The latest entries, oldest first. */
  history: (Pick<HistoryEntry, 'event' | 'label' | 'from' | 'to' | 'attempt' | 'error'> & { atMs: number })[];
  /** Calls and waits whose end is to be chosen. */
  open: { label: string; kind: string; attempt: number; output: unknown }[];
  /** The earliest first. */
  timers: { label: string | null; about: string; atMs: number }[];
}

const LINES = 1_000;
const VALUE_BYTES = 64 * 1024;

export function viewOf(run: Run, simulation: Simulation, ends: EndsOfCalls): PlayView {
  const { status, value, output, error, elapsedMs, trace, history } = simulation;
  const start = run.now - elapsedMs;
  const open = run.openOperations.map((operation) => {
    const label = run.labelOf(operation);
    const { kind, attempt } = operation;
    return { label, kind, attempt, output: shownValue(ends.defaultOutput(label, operation)) };
  });
  const timers = timersOf(run).map((timer) => ({ ...aboutTimer(run, timer), atMs: timer.at - start }));
  return {
    status,
    value,
    output: shownValue(output),
    error,
    elapsedMs,
    tasks: tasksOf(run),
    trace: trace.slice(-LINES),
    history: history.slice(-LINES).map((entry) => lineOf(entry, start)),
    open,
    timers,
  };
}

const tasksOf = (run: Run): PlayView['tasks'] =>
  run.row.tasks.map(({ label, taskName, state, attempts, maxAttempts = 1, waitingOn, output, error }) => {
    return { label, taskName, state, attempts, maxAttempts, waitingOn, output: shownValue(output ?? null), error };
  });

function lineOf({ at, event, label, from, to, attempt, error }: HistoryEntry, start: number): PlayView['history'][0] {
  return {
    atMs: Date.parse(at) - start,
    event,
    ...(label !== undefined && { label }),
    from,
    to,
    ...(attempt !== undefined && { attempt }),
    ...(error !== undefined && { error }),
  };
}

/** Without secrets; a large value is left out. */
function shownValue(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > VALUE_BYTES ? `(${text.length} characters of JSON)` : redact([], value);
}

/** XState's id of an `after` is `xstate.after.<delay>.<state>`. */
const EVENT = /^xstate\.after\.([^.]*)\.(.+)$/;

const meanings: Record<string, string> = {
  timeout: 'the time limit of the task',
  backoff: 'the next attempt',
  circuit: 'the end of the open circuit of the BMC',
  grace: 'the limit for calls to stop',
};

function aboutTimer(run: Run, { actor, event }: Timer): { label: string | null; about: string } {
  const [, delay = '', state = event.type] = EVENT.exec(event.type) ?? [];
  const label = run.row.actors[actor.replace(/^task:/, 'taskRun:')]?.label ?? null;
  if (isTaskRun(actor)) return { label, about: meanings[delay] ?? state };
  return { label, about: `after ${delay} in ${state}` };
}
