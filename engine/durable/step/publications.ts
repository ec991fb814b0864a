/** Builds the events and history of a step from its notes and its row. */
import { type ListedEvent, type Publication, publicationOf, type Severity } from '../../vocabulary/event.ts';
import type { WorkflowStatus } from '../../vocabulary/states.ts';
import { traceIdOf } from '../../vocabulary/traceparent.ts';
import type { EventNote, HistoryEntry, HistoryStep, PendingEffects, WorkflowRow } from './row.ts';

export const publicationsOf = (row: WorkflowRow, pendingEffects: PendingEffects): Publication[] =>
  pendingEffects.events.map((note) => {
    const publication = publicationOf(eventOf(row, pendingEffects.at, note));
    publication.traceparent = row.traceparent;
    return publication;
  });

/** By the status with which a workflow ended. */
const severityOfEnd: Partial<Record<WorkflowStatus, Severity>> = { failed: 'critical', cancelled: 'warning' };

/** Builds the payload of a graph event. */
function eventOf(row: WorkflowRow, at: string, note: EventNote): ListedEvent {
  const { id, n, action, status, progress, task, error } = note;
  const taskProgress = task === undefined ? undefined : taskProgressOf(row, task);
  return {
    id,
    version: '1.0',
    type: 'graph',
    action,
    severity: action === 'finished' ? (severityOfEnd[status] ?? 'information') : 'information',
    typeId: row.id,
    createdAt: at,
    nodeId: row.node,
    ...(row.owner !== undefined && { owner: row.owner }),
    n,
    traceId: traceIdOf(row),
    data: {
      graphId: row.id,
      graphName: row.name,
      injectableName: row.graphName,
      status,
      progress,
      taskProgress,
      error,
    },
  };
}

function taskProgressOf(row: WorkflowRow, { label, state, progress }: NonNullable<EventNote['task']>) {
  const entry = row.tasks.find((task) => task.label === label);
  return { graphId: row.id, taskId: entry?.instanceId, taskName: entry?.taskName, label, state, progress };
}

/** @returns undefined if the step has no history lines */
export function historyOf(
  workflow: string,
  { version, at, last, lines, origin }: PendingEffects,
): HistoryStep | undefined {
  if (origin === undefined) return undefined;
  const id = `${workflow}.${String(version).padStart(10, '0')}`;
  return { id, workflow, version, at, last, lines, origin };
}

/** Merges written steps with those that are still pending in the row; each once, oldest first. */
export function withUnwritten(written: readonly HistoryStep[], row: WorkflowRow): HistoryStep[] {
  const steps = new Map(written.map((step) => [step.version, step]));
  for (const pendingEffects of row.pendingEffects) {
    const step = historyOf(row.id, pendingEffects);
    if (step !== undefined) steps.set(step.version, step);
  }
  return [...steps.values()].sort((a, b) => a.version - b.version);
}

/** Returns `limit` lines of the steps; `skip` counts from the workflow's first line. */
export function linesOf(steps: readonly HistoryStep[], skip: number, limit: number): HistoryEntry[] {
  const first = steps[0];
  if (first === undefined) return [];
  const before = first.last - first.lines.length;
  const entries = steps.flatMap(({ version, at, lines, origin }) =>
    lines.map((line) => ({ version, at, ...origin, ...line })),
  );
  return entries.slice(skip - before, skip - before + limit);
}
