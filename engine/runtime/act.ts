/**
 * One act, from claim to report.
 *
 * 1. An act that is aborting is not begun.
 * 2. A `once` act is begun only by the process whose claim the row holds. Another's claim that is there already means that
 *    it was begun before; if nobody sees to it any more the call fails as interrupted, unless the task's probe finds out
 *    more.
 */
import { type FlatError, flatten } from '../define/errors.ts';
import { type ActScope, actFunction, type World } from '../define/work.ts';
import type { Graph, Task } from '../library/types.ts';
import type { Peers } from '../peers/peers.ts';
import { taskKey } from '../step/draft.ts';
import type { Work, WorkflowRow } from '../step/row.ts';
import type { Watch } from '../watchdog/watchdog.ts';
import { plain } from './plain.ts';
import type { Tell } from './tell.ts';

export interface ActPort {
  pinned(hash: string): Promise<Graph>;
  tell: Tell;
  world: World;
  peers: Pick<Peers, 'id' | 'alive'>;
  watch: Watch;
}

export type Report = { type: 'work.done'; output: unknown } | { type: 'work.failed'; error: FlatError };

/** @returns undefined when the act is not this process's to run */
export async function perform(
  port: ActPort,
  row: WorkflowRow,
  work: Work,
  signal: AbortSignal,
): Promise<Report | undefined> {
  if (work.aborting) return { type: 'work.failed', error: flatten(cancelled) };
  const graph = await port.pinned(row.definitionHash);
  const task = taskOf(graph, row, work);
  const scope = scopeOf(port, row, work, signal);
  if (task.recovery === 'idempotent') return outcome(() => watched(port, row, work, () => runAct(task, work, scope)));
  return once(port, row, work, task, scope);
}

async function once(
  port: ActPort,
  row: WorkflowRow,
  work: Work,
  task: Task,
  scope: ActScope<unknown>,
): Promise<Report | undefined> {
  // Our own claim, and nothing of it runs here: it was saved, but the store went away before it said so. Not begun.
  if (work.claim !== undefined && work.claim !== port.peers.id) {
    // It only lost its lock: it goes on, and reports by itself.
    if (await port.peers.alive(work.claim, scope.signal)) return undefined;
    const found = await watched(port, row, work, () => probe(task, scope));
    if (found !== 'never-started') return found;
  }
  const over = work.claim === undefined ? {} : { over: work.claim };
  const claim = { type: 'work.claim', work: work.id, by: port.peers.id, ...over } as const;
  const told = await port.tell.workflow(row.id, claim);
  // Somebody else was first, or the call was cancelled meanwhile: not ours to run.
  if (told?.row.works[work.id]?.claim !== port.peers.id) return undefined;
  return outcome(() => watched(port, row, work, () => runAct(task, work, scope)));
}

/** Up to its first `await`. */
const watched = <T>(port: ActPort, row: WorkflowRow, work: Work, code: () => T): T =>
  port.watch({ workflow: row.id, graph: row.graphName, cause: work.src }, code);

function scopeOf(port: ActPort, row: WorkflowRow, work: Work, signal: AbortSignal): ActScope<unknown> {
  return {
    input: work.input,
    signal,
    workId: `${row.id}/${work.id}`,
    attempt: work.attempt,
    nodeId: row.node,
    world: port.world,
  };
}

const cancelled = {
  name: 'NodewrightError',
  message: 'the call was cancelled before it began',
  code: 'TASK_CANCELLED',
};

function taskOf(graph: Graph, row: WorkflowRow, work: Work): Task {
  const label = row.cells[taskKey(work.call)]?.label;
  const task = label === undefined ? undefined : graph.labels.get(label)?.task;
  if (task === undefined) throw new Error(`${graph.name}: no task for ${work.id} (${label})`);
  return task;
}

async function runAct(task: Task, work: Work, scope: ActScope<unknown>): Promise<unknown> {
  // Cancelled since its row was read: an act that never looks at its signal must not begin.
  scope.signal.throwIfAborted();
  const logic = (task.machine.implementations.actors as Record<string, unknown>)[work.src];
  return plain(await actFunction(logic)(scope));
}

async function outcome(run: () => Promise<unknown>): Promise<Report> {
  try {
    return { type: 'work.done', output: await run() };
  } catch (error) {
    return { type: 'work.failed', error: flatten(error) };
  }
}

async function probe(task: Task, scope: ActScope<unknown>): Promise<Report | 'never-started'> {
  const interrupted = {
    name: 'NodewrightError',
    message: 'the process that ran this task died; whether it took effect is unknown, and it may not run twice',
    code: 'TASK_INTERRUPTED',
    retry: false as const,
  };
  if (task.probe === undefined) return { type: 'work.failed', error: interrupted };
  const found = await outcome(() => (task.probe as NonNullable<Task['probe']>)(scope));
  if (found.type === 'work.failed') return found;
  const { state, output } = found.output as { state: string; output?: unknown };
  if (state === 'never-started') return 'never-started';
  return state === 'done' ? { type: 'work.done', output: plain(output) } : { type: 'work.failed', error: interrupted };
}
