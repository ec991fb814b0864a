/** The two kinds of rows: what of them filters use, and when they rest. */
import { isActive } from '../../vocabulary/states.ts';
import { contextOf, type NodeRow } from '../step/node.ts';
import { historyOf } from '../step/publications.ts';
import type { HistoryStep, Operation, PendingEffects, WorkflowRow } from '../step/row.ts';
import type { RowKind } from './redis-rows.ts';

/** Longer than most waits of an operation that runs, so that a row rarely comes back immediately. */
const REST_AFTER_MS = 10_000;
/** Longer than MongoDB takes to answer. */
const HOLD_MS = 30_000;

export const workflowKind: RowKind<WorkflowRow> = {
  name: 'workflow',
  isRecordedAtOnce: true,
  filtered: [
    'node',
    'status',
    'domain',
    'name',
    'graphName',
    'createdAt',
    'startedAt',
    'finishedAt',
    'definitionHash',
    'root',
    'launchedBy',
  ],
  fixed: ['node'],
  timerAt: ({ timerAt }) => timerAt,
  isOver: ({ status }) => !isActive(status),
  lifetimeMs: ({ createdAt, finishedAt }) => Date.parse(finishedAt ?? createdAt) - Date.parse(createdAt),
  isClaim,
  restAfterMs: REST_AFTER_MS,
  holdMs: HOLD_MS,
  historyStep,
  history: (row) => {
    const step = historyStep(row);
    const lines = step === undefined ? '' : JSON.stringify(step);
    return { lines, shown: { pendingEffects: row.pendingEffects.map(withoutLines) } };
  },
};

export const nodeKind: RowKind<NodeRow> = {
  name: 'node',
  // Each workflow changes its node twice; only broadcasts filter nodes.
  isRecordedAtOnce: false,
  filtered: ['workflow', 'retired'],
  fixed: [],
  timerAt: () => null,
  isOver: () => false,
  lifetimeMs: () => 0,
  holderOf,
  restAfterMs: REST_AFTER_MS,
  holdMs: HOLD_MS,
  historyStep: () => undefined,
  history: () => ({ lines: '' }),
};

/** Returns the history of the row's last step. */
function historyStep({ id, version, pendingEffects }: WorkflowRow): HistoryStep | undefined {
  const last = pendingEffects.at(-1);
  return last?.version === version ? historyOf(id, last) : undefined;
}

/** A launch drops what an idle node has, and the end of the holder drops all but the answers and the hold mark. */
function holderOf({ pending, retired, workflow, snapshot }: NodeRow): string | undefined {
  const { answers, holdMark = null } = contextOf({ snapshot });
  if (pending || retired || holdMark !== null) return undefined;
  if (workflow === null) return '';
  return answers.length === 0 ? workflow : undefined;
}

/**
 * Whether the step is a launch, or one after which a process or an agent does something that must not be repeated.
 * Steps copy what they change. The node of a launch needs none: its row is saved before, so that a replica has it too.
 */
function isClaim(row: WorkflowRow, before: WorkflowRow | undefined): boolean {
  if (before === undefined) return true;
  for (const id in row.operations) {
    const operation = row.operations[id] as Operation;
    if (operation.claim !== undefined && operation !== before.operations[id]) return true;
  }
  for (const key in row.actors) {
    const sent = row.actors[key]?.sent;
    if (sent !== undefined && sent !== before.actors[key]?.sent) return true;
  }
  return false;
}

/** The lines are in a list of their own. */
const withoutLines = (step: PendingEffects): PendingEffects => {
  if (step.lines.length === 0) return step;
  const { version, at, last, effects, events } = step;
  return { version, at, last, effects, lines: [], events };
};
