/**
 * Properties of every workflow that has ended, whatever happened to it: it ended once and left nothing behind, its tasks
 * took permitted steps, and what it did was undone, if it did not succeed.
 */

import type { HistoryEntry } from '../durable/step/row.ts';
import { countText } from '../vocabulary/count-texts.ts';
import { isActive, isTaskRunEnd } from '../vocabulary/states.ts';
import { namesText } from './misuse.ts';
import type { Run } from './run.ts';

/** The possible next states of a task. */
const permitted: Record<string, readonly string[]> = {
  // A task without a wait succeeds in the step that begins it.
  pending: ['running', 'waiting', 'succeeded', 'failed', 'cancelled', 'skipped'],
  running: ['waiting', 'running', 'succeeded', 'failed', 'timeout', 'cancelled'],
  waiting: ['running', 'waiting', 'succeeded', 'failed', 'timeout', 'cancelled'],
};
/** The states that may follow the end of a label, because it is entered again. */
const again = ['running', 'waiting', 'failed'];

/** Returns the violations of a workflow, as sentences. */
export function violationsAtEnd(run: Run): string[] {
  if (isActive(run.row.status)) return ['the workflow does not end'];
  return [...leftovers(run), ...events(run), ...forbiddenSteps(run), ...compensationOrder(run)];
}

function leftovers({ row }: Run): string[] {
  const active = row.tasks.filter(({ state }) => !isTaskRunEnd(state) && state !== 'skipped');
  const count = Object.keys(row.operations).length + Object.keys(row.timers).length;
  return [
    ...(active.length > 0
      ? [`it has ended, and these tasks are active: ${namesText(active.map(({ label }) => label))}`]
      : []),
    ...(count > 0 || row.timerAt !== null ? ['it has ended, and operations or timers are left'] : []),
  ];
}

/** Also the node: it is released by a message of the workflow. */
function events({ pendingEffects, effects, row }: Run): string[] {
  const notes = pendingEffects.flatMap((step) => step.events);
  const counted = (['started', 'finished'] as const).flatMap((action) => {
    const count = notes.filter((note) => note.action === action).length;
    return count === 1 ? [] : [`it published '${action}' ${countText(count, 'time')}`];
  });
  const freed = effects.filter(({ kind, ...effect }) => kind === 'send-to-node' && isEnd(effect)).length;
  return freed === 1 || row.mailboxId === row.id ? counted : [...counted, `it released its node ${freed} times`];
}

const isEnd = (effect: object): boolean => 'message' in effect && (effect.message as { type: string }).type === 'ended';

/** Returns the forbidden steps of tasks so far. */
export const forbiddenSteps = ({ history }: Run): string[] =>
  history
    .filter(({ label, from, to }) => label !== undefined && from !== to)
    .filter(({ from, to }) => !(permitted[String(from)] ?? again).includes(String(to)))
    .map(({ label, from, to }) => `the task ${label} went from ${from} to ${to}`);

/** The compensations began in the reverse order of the ends of their runs, and no other began. */
export function compensationOrder({ graph, history, row, late }: Run): string[] {
  const compensationOf = (label = '') => graph.labels.get(label)?.compensation;
  const isUndone = ({ label = '', event, from }: HistoryEntry) =>
    event === 'task.succeeded' || (from !== 'pending' && (compensationOf(label)?.partial || late.has(label)));
  const ends = history.filter(
    ({ label, event }) => compensationOf(label) !== undefined && /^task\.(succ|fail|time|canc)/.test(event),
  );
  const expected =
    row.status === 'succeeded'
      ? []
      : ends
          .filter(isUndone)
          .map(({ label }) => compensationOf(label)?.label)
          .reverse();
  const actualOrder = history
    .filter(({ label = '', from }) => graph.labels.get(label)?.compensates !== undefined && from === 'pending')
    .filter(({ event }) => event !== 'task.skipped')
    .map(({ label }) => label);
  // A label that ran more than once is compensated as often; only its first compensation begins from `pending`.
  const first = [...new Set(expected)];
  if (JSON.stringify(actualOrder) === JSON.stringify(first)) return [];
  return [`compensations: found ${namesText(actualOrder.map(String))}; expected ${namesText(first.map(String))}`];
}
