/** The lines of a watched workflow. */
import test from 'ava';
import { changeLine, changesOf } from '../../api/cli/watch/watch-changes.ts';
import { progressBar, taskLines, titleOf } from '../../api/cli/watch/watch-lines.ts';
import type { WatchState } from '../../api/cli/watch/watched-workflow.ts';
import type { Workflow, WorkflowTask } from '../../api/cli/workflow-of.ts';
import { remainingText } from '../../api/client/usual-time.ts';

const START = '2026-11-01T10:00:00.000Z';
const NOW = Date.parse('2026-11-01T10:04:00.000Z');
const icons = { done: 'v', failed: 'x', open: '>', none: '.' };

const task = (label: string, rest: Partial<WorkflowTask>): WorkflowTask =>
  ({
    label,
    instanceId: label,
    state: 'pending',
    attempts: 0,
    maxAttempts: 1,
    startedAt: null,
    finishedAt: null,
    error: null,
    waitingOn: null,
    dueAt: null,
    nextAttemptAt: null,
    attemptErrors: [],
    progress: null,
    ...rest,
  }) as WorkflowTask;

const stateOf = (
  tasks: WorkflowTask[],
  rest: Partial<WatchState> = {},
  workflow: Partial<Workflow> = {},
): WatchState => ({
  workflow: {
    id: 'w',
    injectableName: 'Graph.X',
    status: 'running',
    progress: { value: 1, maximum: 4, percentage: '25%', description: '' },
    startedAt: START,
    finishedAt: null,
    updatedAt: START,
    error: null,
    tasks,
    ...workflow,
  } as Workflow,
  why: null,
  node: 'r1s5',
  usual: null,
  away: null,
  ...rest,
});

const attempt = { attempt: 1, at: START, code: 'OBM_UNREACHABLE', message: 'connect ECONNREFUSED' };
const usual = { p50: 600_000, p90: 900_000, runs: 31 };

test('a bar shows a share, within its bounds', (t) => {
  t.is(progressBar(0), '[----------] 0%');
  t.is(progressBar(0.67), '[#######---] 67%');
  t.is(progressBar(7), '[##########] 100%');
});

test('the time that is left follows the median, then the 90th percentile; a late one says how late it is', (t) => {
  t.is(remainingText(null, 5), '');
  t.is(remainingText(usual, 240_000), 'about 6 min left');
  t.is(remainingText(usual, 660_000), 'about 4 min left');
  t.is(remainingText(usual, 1_860_000), '3.1 times its usual 10 min');
});

test('the title has the state, the progress and the time that is left, and says when there is no connection', (t) => {
  t.is(titleOf(stateOf([], { usual }), NOW), 'Graph.X on r1s5: running  [###-------] 25%  about 6 min left');
  t.regex(titleOf(stateOf([], { away: 'gone' }), NOW), /no connection, tries again: gone$/);
  const finishedAt = '2026-11-01T10:02:03.000Z';
  t.is(titleOf(stateOf([], {}, { status: 'failed', finishedAt }), NOW), 'Graph.X on r1s5: failed  in 2 min 3 s');
});

test('each task has a line with its attempts, its error, its wait and its progress', (t) => {
  const finishedAt = '2026-11-01T10:00:04.100Z';
  const nextAttemptAt = '2026-11-01T10:04:30.000Z';
  const waits = { startedAt: START, state: 'waiting', attempts: 2, maxAttempts: 3 } as const;
  const lines = taskLines(
    stateOf(
      [
        task('disks', {
          state: 'failed',
          startedAt: START,
          finishedAt,
          attempts: 3,
          maxAttempts: 3,
          error: { ...attempt, name: '' },
        }),
        task('memory', { state: 'succeeded', startedAt: START, finishedAt, attemptErrors: [attempt] }),
        task('power', { ...waits, waitingOn: 'retry', nextAttemptAt, attemptErrors: [attempt] }),
        task('install', {
          state: 'running',
          startedAt: START,
          progress: { value: 2, maximum: 8, percentage: '25%', description: 'packages\u001b[2J' },
        }),
        task('back', { ...waits, waitingOn: 'notification', maxAttempts: 1 }),
        task('later', {}),
      ],
      {
        why: {
          waits: [{ label: 'back', detail: '', usualMs: usual }],
        } as unknown as WatchState['why'],
      },
    ),
    icons,
    NOW,
  );
  t.deepEqual(lines, [
    'x disks    failed  3/3  connect ECONNREFUSED (OBM_UNREACHABLE)  4 s',
    'v memory   ok  4 s',
    '> power    4 min  next attempt in 30 s  2/3  connect ECONNREFUSED (OBM_UNREACHABLE)',
    '> install  [###-------] 25%  packages  running',
    "> back     [####------] 40%  about 6 min left  waits for the node's notification",
    '. later    pending',
  ]);
});

test('a pipe gets a line for each change, once', (t) => {
  const first = stateOf([task('a', { state: 'running', startedAt: START }), task('b', {})]);
  t.deepEqual(changesOf(undefined, first).map(changeLine), [
    `${START}  Graph.X on r1s5  running`,
    `${START}  a  running`,
  ]);
  t.deepEqual(changesOf(first, first), []);
  const second = stateOf(
    [task('a', { state: 'succeeded' }), task('b', { state: 'failed', error: { ...attempt, name: '' } })],
    {},
    { status: 'failed', error: { ...attempt, name: '' } },
  );
  t.deepEqual(changesOf(first, second).map(changeLine), [
    `${START}  a  succeeded`,
    `${START}  b  failed  connect ECONNREFUSED (OBM_UNREACHABLE)`,
    `${START}  Graph.X on r1s5  failed  connect ECONNREFUSED (OBM_UNREACHABLE)`,
  ]);
});
