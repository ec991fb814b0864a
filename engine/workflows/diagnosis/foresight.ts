/**
 * Predicts the step at the limit of a wait. A step is pure: the one that the timer will cause is taken on the row of
 * today, and described instead of saved. So the sentence cannot differ from what the engine does.
 */
import { randomUUID } from 'node:crypto';
import { isTaskRun } from '../../durable/step/builder.ts';
import type { TaskEntry, WorkflowRow } from '../../durable/step/row.ts';
import { step } from '../../durable/step/workflow.ts';
import type { Watch } from '../../durable/watchdog/watchdog.ts';
import type { Graph } from '../../library/types.ts';
import { provenanceOf } from '../../library/versions/provenance.ts';
import { innermostStates } from '../../vocabulary/state-words.ts';
import { isActive, isTaskRunEnd } from '../../vocabulary/states.ts';

/** @param at ms since the epoch @returns undefined if the step cannot be taken */
export function atTime(row: WorkflowRow, graph: Graph, at: number, watch: Watch): WorkflowRow | undefined {
  const take = () => step(row, graph, { type: 'timer' }, { now: at, uuid: randomUUID });
  try {
    const result = watch({ workflow: row.id, graph: row.graphName, cause: 'why', ...provenanceOf(graph) }, take);
    return result.changed ? result.row : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the difference as a sentence, about the label of the wait first. */
export function change(before: WorkflowRow, after: WorkflowRow, label: string | null): string {
  const end = endPart(before, after);
  const parts = [taskPart(before, after, label), end ?? graphPart(before, after)];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? 'nothing changes that a record shows' : said.join('; ');
}

function taskPart(before: WorkflowRow, after: WorkflowRow, label: string | null): string | undefined {
  const [was, is] = [entryOf(before, label), entryOf(after, label)];
  if (was === undefined || is === undefined) return undefined;
  if (isTaskRunEnd(is.state)) return endOf(is);
  if (is.state === 'running' && (was.waitingOn === 'retry' || was.waitingOn === 'bmc')) {
    const of = is.maxAttempts === undefined ? '' : ` of ${is.maxAttempts}`;
    return `attempt ${is.attempts}${of} of \`${is.label}\` begins`;
  }
  if (isStopping(after, is.label)) return `\`${is.label}\` times out (TASK_TIMEOUT) when what it runs has stopped`;
  return is.waitingOn === was.waitingOn ? undefined : `\`${is.label}\` is ${is.state}`;
}

function endOf({ label, state, error }: TaskEntry): string {
  if (state === 'succeeded') return `\`${label}\` succeeds`;
  if (state === 'cancelled') return `\`${label}\` is cancelled`;
  return `\`${label}\` ${state === 'timeout' ? 'times out' : 'fails'}${error === null ? '' : ` (${error.code})`}`;
}

function graphPart(before: WorkflowRow, after: WorkflowRow): string | undefined {
  const [from, to] = [before, after].map(({ actors }) => innermostStates(actors.graph?.snapshot.value));
  const entered = to?.filter((path) => !from?.includes(path)) ?? [];
  return entered.length === 0 ? undefined : `the graph continues in \`${entered.join(', ')}\``;
}

function endPart(before: WorkflowRow, after: WorkflowRow): string | undefined {
  if (after.status === before.status) return undefined;
  const { code } = after.error ?? {};
  return `the workflow ends as ${after.status}${code === undefined || isActive(after.status) ? '' : ` (${code})`}`;
}

const entryOf = ({ tasks }: WorkflowRow, label: string | null) => tasks.find((entry) => entry.label === label);

const isStopping = ({ actors }: WorkflowRow, label: string): boolean =>
  Object.entries(actors).some(
    ([key, actor]) => isTaskRun(key) && actor.label === label && actor.snapshot.value === 'stopping',
  );
