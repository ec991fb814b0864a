/**
 * The steps of a list-of-tasks graph, pure: a ledger with the state of each task, and the tasks that an end makes ready.
 *
 * 1. A task starts when all its waits are met and, with `anyOf`, at least one of its alternatives.
 * 2. A task with a wait that can no longer be met is skipped; a skipped task never counts as `finished`.
 * 3. A task that ends other than `succeeded` fails the graph, unless it has ignoreFailure or some task waits for that
 *    end. ignoreFailure only keeps the graph running: a task that waits for `succeeded` is still skipped. JOB_MISSING
 *    always fails the graph: no attempt was made, so a graph that continues could succeed without having done anything.
 * 4. The graph is done when no task is running or can start.
 *
 * A step examines only the successors of the task that ended, in an order that settles each task once.
 */

import { copyOf } from '../../platform/lib/copy.ts';
import type { FlatError } from '../../vocabulary/errors.ts';
import type { TaskRunEnd, TaskState } from '../../vocabulary/states.ts';
import { type ListEntry, topologicalOrder, type WaitOn, waitOnOf } from './list-json.ts';

/** The context of a list graph's machine. */
export interface Ledger {
  states: Record<string, TaskState>;
  /** Outputs of the tasks that succeeded. */
  outputs: Record<string, unknown>;
  /** Why the graph failed. */
  error: FlatError | null;
  /** Number of tasks that are not settled yet. */
  open: number;
}

interface PlannedWait extends WaitOn {
  label: string;
  /** Positions in the plan of the tasks that wait for it; ascending. */
  after: number[];
  /** Final states of it that do not fail the graph. */
  handled: ReadonlySet<string>;
}

export interface ListPlan {
  tasks: readonly PlannedWait[];
  index: ReadonlyMap<string, number>;
}

/** How a task ended. */
export type End =
  | { state: 'succeeded'; output: unknown }
  | { state: Exclude<TaskRunEnd, 'succeeded'>; error: FlatError };

export interface ListStep {
  ledger: Ledger;
  /** Labels to start, in the plan's order. */
  start: string[];
}

/** @param entries validated entries */
export function listPlanOf(entries: readonly ListEntry[]): ListPlan {
  const byLabel = new Map(entries.map((entry) => [entry.label, entry]));
  const order = topologicalOrder(entries);
  const index = new Map(order.map((label, at) => [label, at]));
  const after = order.map(() => new Set<number>());
  const handled = order.map((label) => new Set<string>(byLabel.get(label)?.ignoreFailure ? anyFailure : []));
  const waits = order.map((label) => waitOnOf(byLabel.get(label)!));
  waits.forEach(({ all, any }, at) => {
    for (const { on, states } of [...all, ...any.flat()]) {
      after[index.get(on)!]!.add(at);
      for (const state of states) handled[index.get(on)!]!.add(state);
    }
  });
  const tasks = order.map((label, at) => ({ label, ...waits[at]!, after: [...after[at]!], handled: handled[at]! }));
  return { tasks, index };
}

const anyFailure = ['failed', 'timeout', 'cancelled'];

/** Returns the ledger of a new workflow, and its first tasks. */
export function beginList(plan: ListPlan): ListStep {
  const states = Object.fromEntries(plan.tasks.map(({ label }) => [label, 'pending' as TaskState]));
  const ledger: Ledger = { states, outputs: {}, error: null, open: plan.tasks.length };
  return { ledger, start: settle(plan, ledger, new Set(plan.tasks.keys())) };
}

/** Returns the next ledger; the given one is not modified. An end of a task that is not running changes nothing. */
export function taskEnded(plan: ListPlan, before: Ledger, label: string, end: End): ListStep {
  const task = plan.tasks[plan.index.get(label) ?? -1];
  if (task === undefined || before.states[label] !== 'running') return { ledger: before, start: [] };
  const states = { ...before.states, [label]: end.state };
  const outputs = copyOf(before.outputs);
  if (end.state === 'succeeded') outputs[label] = end.output ?? null;
  const ledger: Ledger = { states, outputs, error: before.error, open: before.open - 1 };
  if (end.state === 'succeeded' || (task.handled.has(end.state) && end.error.code !== 'JOB_MISSING')) {
    return { ledger, start: settle(plan, ledger, new Set(task.after)) };
  }
  const { name, message, code } = end.error;
  return { ledger: { ...ledger, error: { name, message: `${label}: ${message}`, code } }, start: [] };
}

/** Starts or skips tasks in the ledger. In ascending order, because each task comes after those that it waits for. */
function settle(plan: ListPlan, ledger: Ledger, dirty: Set<number>): string[] {
  const start: string[] = [];
  const last = plan.tasks.length;
  for (let at = Math.min(...dirty, last); at < last; at++) {
    const task = plan.tasks[at]!;
    if (!dirty.has(at) || ledger.states[task.label] !== 'pending') continue;
    const verdict = judge(task, ledger.states);
    if (verdict === 'open') continue;
    ledger.states[task.label] = verdict === 'met' ? 'running' : 'skipped';
    if (verdict === 'met') start.push(task.label);
    else {
      ledger.open -= 1;
      for (const next of task.after) dirty.add(next);
    }
  }
  return start;
}

type Verdict = 'met' | 'open' | 'never';

function judge({ all, any }: WaitOn, states: Ledger['states']): Verdict {
  const must = together(all, states);
  if (must === 'never' || any.length === 0) return must;
  let best: Verdict = 'never';
  for (const alternative of any) {
    const verdict = together(alternative, states);
    if (verdict === 'met') return must;
    if (verdict === 'open') best = 'open';
  }
  return best;
}

function together(waits: WaitOn['all'], states: Ledger['states']): Verdict {
  let verdict: Verdict = 'met';
  for (const { on, states: wanted } of waits) {
    const state = states[on] ?? 'skipped';
    if (wanted.includes(state)) continue;
    if (state !== 'pending' && state !== 'running') return 'never';
    verdict = 'open';
  }
  return verdict;
}
