/** The next events of a workflow that need no test: ends of calls, and timers that limit no wait. */
import type { AnyStateNode } from 'xstate';
import { taskKey, taskRunKey } from '../durable/step/builder.ts';
import type { Operation, Timer } from '../durable/step/row.ts';
import { isUnder } from '../durable/step/state-nodes.ts';
import { nodesOf } from '../library/forms/loaded-task.ts';
import type { Graph } from '../library/types.ts';
import type { Drive } from './drive.ts';

/** An operation that a worker, an agent or another workflow would carry out. */
export const isCall = ({ kind }: Operation): boolean => kind === 'activity' || kind === 'command' || kind === 'graph';

export interface Due extends Timer {
  /** It ends a wait that only the test can end in another way. */
  limitsWait: boolean;
}

/** Returns the timers, the earliest first. */
export function timersOf(drive: Drive): Due[] {
  const waits = drive.open.filter((operation) => !isCall(operation));
  return Object.values(drive.row.timers)
    .map((timer) => ({ ...timer, limitsWait: waits.some((wait) => isLimit(drive, timer, wait)) }))
    .sort((a, b) => a.at - b.at);
}

/** Whether the timer is the task run's timeout, one of its task, or an `after` around the state that invokes it. */
function isLimit(drive: Drive, { actor, event }: Timer, wait: Operation): boolean {
  if (actor !== 'graph') return actor === taskRunKey(wait.taskRun) || actor === taskKey(wait.taskRun);
  const label = drive.labelOf(wait);
  const around = nodesOf(drive.graph.machine).find(({ id }) => event.type.endsWith(`.${id}`));
  return (
    around !== undefined && invokersOf(drive.graph, label).some((node) => node === around || isUnder(node, around))
  );
}

const invokersOf = (graph: Graph, label: string): AnyStateNode[] =>
  nodesOf(graph.machine).filter(({ invoke }) => invoke.some(({ src, id }) => graph.labelOf(String(src), id) === label));
