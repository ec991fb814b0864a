/** The next events of a workflow that need no test: ends of calls, and timers that limit no wait. */
import type { AnyStateNode } from 'xstate';
import { taskKey, taskRunKey } from '../durable/step/builder.ts';
import type { Operation, Timer } from '../durable/step/row.ts';
import { isUnder } from '../durable/step/state-nodes.ts';
import { nodesOf } from '../library/forms/machine-nodes.ts';
import type { Graph } from '../library/types.ts';
import type { Run } from './run.ts';

/** An operation that a worker, an agent or another workflow would carry out. */
export const isCall = ({ kind }: Operation): boolean => kind === 'activity' || kind === 'command' || kind === 'graph';

/** An operation ends, or timers fire at a time (ms since the epoch). */
export interface NextStep {
  operation?: Operation;
  at: number;
}

/**
 * Returns what happens next by itself: a call that is to stop has stopped, a call ends or a wait gets its answer, a timer
 * fires, and, if nothing else can happen, a wait for a release ends. Undefined: nothing happens by itself.
 */
export function nextOf(run: Run, hasAnswer: (operation: Operation) => boolean): NextStep | undefined {
  const { operations, now } = run;
  const ending =
    operations.find(({ aborting }) => aborting) ??
    operations.find((operation) => isCall(operation) || (operation.kind === 'notification' && hasAnswer(operation)));
  if (ending !== undefined) return { operation: ending, at: now };
  const timer = timersOf(run).find(({ limitsWait }) => !limitsWait);
  if (timer !== undefined) return { at: timer.at };
  const parked = operations.find(({ kind }) => kind === 'release');
  const isAlone = !operations.some(({ kind }) => kind === 'notification');
  return parked !== undefined && isAlone ? { operation: parked, at: now } : undefined;
}

export interface DueTimer extends Timer {
  /** It ends a wait that only the test can end in another way. */
  limitsWait: boolean;
}

/** Returns the timers, the earliest first. */
export function timersOf(run: Run): DueTimer[] {
  const waits = run.openOperations.filter((operation) => !isCall(operation));
  return Object.values(run.row.timers)
    .map((timer) => ({ ...timer, limitsWait: waits.some((wait) => isLimit(run, timer, wait)) }))
    .sort((a, b) => a.at - b.at);
}

/** Whether the timer is the task run's timeout, one of its task, or an `after` around the state that invokes it. */
function isLimit(run: Run, { actor, event }: Timer, wait: Operation): boolean {
  if (actor !== 'graph') return actor === taskRunKey(wait.taskRun) || actor === taskKey(wait.taskRun);
  const label = run.labelOf(wait);
  const around = nodesOf(run.graph.machine).find(({ id }) => event.type.endsWith(`.${id}`));
  return around !== undefined && invokersOf(run.graph, label).some((node) => node === around || isUnder(node, around));
}

const invokersOf = (graph: Graph, label: string): AnyStateNode[] =>
  nodesOf(graph.machine).filter(({ invoke }) => invoke.some(({ src, id }) => graph.labelOf(String(src), id) === label));
