/** The two kinds of rows in Redis: what of them filters use, and when they rest. */
import { isActive } from '../define/states.ts';
import type { NodeRow } from '../step/node.ts';
import { historyOf } from '../step/publications.ts';
import type { StepRow, WorkflowRow } from '../step/row.ts';
import { upgradedNode, upgradedWorkflow } from '../step/upgrade.ts';
import type { RowKind } from './redis-rows.ts';

/** Longer than most waits of an operation that runs, so that a row rarely comes back at once. */
const REST_AFTER_MS = 10_000;
/** Longer than MongoDB takes to answer. */
const HOLD_MS = 30_000;

export const workflowKind: RowKind<WorkflowRow> = {
  name: 'workflow',
  isRecordedAtOnce: true,
  split: ['actors', 'operations', 'timers', 'tasks'],
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
  ],
  wakeAt: ({ wakeAt }) => wakeAt,
  isOver: ({ status }) => !isActive(status),
  restAfterMs: REST_AFTER_MS,
  holdMs: HOLD_MS,
  upgraded: upgradedWorkflow,
  history: (row) => {
    const last = row.pendingEffects.at(-1);
    const step = last?.version === row.version ? historyOf(row.id, last) : undefined;
    return { lines: step === undefined ? '' : JSON.stringify(step), row: withoutLines(row) };
  },
};

export const nodeKind: RowKind<NodeRow> = {
  name: 'node',
  // Each workflow changes its node twice; only broadcasts filter nodes.
  isRecordedAtOnce: false,
  split: [],
  filtered: ['workflow', 'retired'],
  wakeAt: () => null,
  isOver: () => false,
  restAfterMs: REST_AFTER_MS,
  holdMs: HOLD_MS,
  upgraded: upgradedNode,
  history: (row) => ({ lines: '', row }),
};

/** The lines are in a list of their own. */
function withoutLines<R extends StepRow>(row: R): R {
  if (row.pendingEffects.every(({ lines }) => lines.length === 0)) return row;
  return { ...row, pendingEffects: row.pendingEffects.map((step) => ({ ...step, lines: [] })) };
}
