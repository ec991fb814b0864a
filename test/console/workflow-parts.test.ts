/** The pure parts of the pages of workflows: filters in the address, steps of a history, bars, and texts of commands. */
import test from 'ava';
import { hasReason, mayHaveCertificate } from '../../api/console/pages/workflow/filled-tabs.ts';
import { takenSteps, workflowAfter } from '../../api/console/pages/workflow/history-steps.ts';
import { MOST_TEXTS, outputTexts } from '../../api/console/pages/workflow/output-texts.ts';
import { barTone, ticks, timelineRows } from '../../api/console/pages/workflow/timeline-bars.ts';
import { foldedRows } from '../../api/console/pages/workflows/folded-rows.ts';
import {
  addressOfChoice,
  choiceOf,
  isInView,
  parametersOfChoice,
} from '../../api/console/pages/workflows/list-choice.ts';
import { workflowStatuses } from '../../engine/vocabulary/states.ts';

test('only an ended workflow that erased drives may have a certificate, and so a tab for it', (t) => {
  const tasks = [{ taskName: 'Task.Drive.SecureErase' }];
  t.true(mayHaveCertificate({ status: 'failed', tasks }));
  t.false(mayHaveCertificate({ status: 'running', tasks }));
  t.false(mayHaveCertificate({ status: 'succeeded', tasks: [] }));
});

test('a workflow says why while it is active and when it failed; the others have no such tab', (t) => {
  t.deepEqual(
    workflowStatuses.filter((status) => hasReason({ status })),
    ['pending', 'running', 'failed'],
  );
});

const now = new Date(2026, 4, 3, 15, 0, 0);

test('filters are in the address, and nothing else of the address filters', (t) => {
  const choice = choiceOf({ status: 'failed', graph: 'Graph.Drive', node: '', other: 'x' });
  t.deepEqual(choice, { status: 'failed', graph: 'Graph.Drive' });
  t.is(addressOfChoice(choice), '/ui/workflows?status=failed&graph=Graph.Drive');
  t.is(addressOfChoice({ view: '' }), '/ui/workflows');
});

test('views and filters are parameters of the list', (t) => {
  t.like(parametersOfChoice({ view: 'stuck', graph: 'Graph.D' }, { now }), {
    stuck: true,
    'injectableName.prefix': 'Graph.D',
    sort: '-createdAt',
  });
  t.like(parametersOfChoice({ view: 'failed-today' }, { now }), {
    status: 'failed',
    'finishedAt.gte': new Date(2026, 4, 3).toISOString(),
    sort: '-finishedAt',
  });
  for (const view of ['active', 'running', 'waiting']) t.is(parametersOfChoice({ view }, { now })?.active, true);
  t.is(parametersOfChoice({ batch: 'b' }, { now })?.batch, 'b');
  const waits = { waiting: {}, paused: null };
  t.deepEqual(
    ['active', 'running', 'waiting'].map((view) => isInView({ view }, waits)),
    [true, false, true],
  );
  t.is(parametersOfChoice({ view: 'mine' }, { now, user: 'otto' })?.launchedBy, 'otto');
  t.is(parametersOfChoice({ node: 'rack' }, { now, nodes: ['a', 'b'] })?.node, 'a,b');
  t.is(parametersOfChoice({ node: 'rack' }, { now, nodes: [] }), undefined, 'no node has the name');
  const id = '5ab53d60-a39b-4d9b-9bae-af495f89f3d1';
  t.is(parametersOfChoice({ node: id }, { now })?.node, id);
});

test('a time range is a span before now, or two times', (t) => {
  t.like(parametersOfChoice({ since: '24h' }, { now }), {
    'createdAt.gte': new Date(now.getTime() - 86_400_000).toISOString(),
    'createdAt.lt': undefined,
  });
  const [from, to] = ['2026-05-01T10:00:00.000Z', '2026-05-01T12:00:00.000Z'];
  t.like(parametersOfChoice({ from, to }, { now }), { 'createdAt.gte': from, 'createdAt.lt': to });
  t.is(parametersOfChoice({ since: 'bogus' }, { now })?.['createdAt.gte'], undefined);
});

const wait = (label: string, waitingOn: 'child' | 'notification') => ({
  label,
  waitingOn,
  since: '2026-05-03T10:00:00.000Z',
  isForAgent: false,
});
const listed = (id: string, root: string | null, waiting: ReturnType<typeof wait> | null = null) => ({
  id,
  root,
  parent: root,
  waiting,
  createdAt: id === 'newer' ? '2026-05-03T10:00:01.000Z' : '2026-05-03T10:00:00.000Z',
});

test('children are folded under their top, which says what they wait for; one without its top has a row', (t) => {
  const rows = [
    listed('newer', 'top', wait('report', 'notification')),
    listed('older', 'top'),
    listed('other', 'elsewhere'),
    listed('top', null, wait('install', 'child')),
  ];
  const shown = (unfolded: ReadonlySet<string>) =>
    foldedRows(rows, unfolded).map(({ id, children, isBelow, below }) => [id, children, isBelow, below?.label]);
  const folded = [
    ['other', 0, false, undefined],
    ['top', 2, false, 'report'],
  ];
  t.deepEqual(shown(new Set()), folded);
  t.deepEqual(shown(new Set(['top'])), [...folded, ['older', 0, true, undefined], ['newer', 0, true, undefined]]);
});

const task = (label: string) => ({
  label,
  state: 'succeeded' as const,
  attempts: 2,
  maxAttempts: 3,
  waitingOn: null,
});
const lines = [
  { version: 1, at: '2026-05-03T10:00:00.000Z', event: 'workflow.running', from: 'pending', to: 'running' },
  { version: 1, at: '2026-05-03T10:00:00.000Z', event: 'task.running', label: 'a', from: 'pending', to: 'running' },
  { version: 1, at: '2026-05-03T10:00:00.000Z', event: 'launch', from: 'pending', to: 'one' },
  {
    version: 4,
    at: '2026-05-03T10:00:02.000Z',
    event: 'task.waiting',
    label: 'a',
    to: 'waiting',
    error: { code: 'ECONNREFUSED', message: 'm' },
  },
  { version: 5, at: '2026-05-03T10:00:05.000Z', event: 'task.running', label: 'a', to: 'running', attempt: 2 },
  { version: 7, at: '2026-05-03T10:00:09.000Z', event: 'task.succeeded', label: 'a', to: 'succeeded', attempt: 2 },
  { version: 7, at: '2026-05-03T10:00:09.000Z', event: 'work.done', from: 'one', to: { two: { x: 'y' } } },
];

test('lines of one version are one step, after which the workflow is as it was then', (t) => {
  const steps = takenSteps(lines);
  t.deepEqual(
    steps.map(({ version, lines: own }) => [version, own.length]),
    [
      [1, 3],
      [4, 1],
      [5, 1],
      [7, 2],
    ],
  );
  const today = [task('a'), task('b')];
  const after = (count: number) => {
    const { value, tasks } = workflowAfter(steps, count, today);
    return [value, ...tasks.map(({ state, attempts }) => `${state} ${attempts}`)];
  };
  t.deepEqual(after(0), [null, 'pending 0', 'pending 0']);
  t.deepEqual(after(1), ['one', 'running 1', 'pending 0']);
  t.deepEqual(after(2), ['one', 'waiting 1', 'pending 0']);
  t.deepEqual(after(3), ['one', 'running 2', 'pending 0']);
  t.deepEqual(after(4), [{ two: { x: 'y' } }, 'succeeded 2', 'pending 0']);
  t.deepEqual(today, [task('a'), task('b')], 'the workflow of today is as it was');
});

test('a timeline has the spans of each task, with what ended them', (t) => {
  const [row, ...others] = timelineRows(lines);
  t.is(others.length, 0);
  const begin = Date.parse('2026-05-03T10:00:00.000Z');
  t.deepEqual(
    row?.bars.map(({ state, attempt, from, to, error }) => [state, attempt, from - begin, to && to - begin, error]),
    [
      ['running', 1, 0, 2_000, 'ECONNREFUSED'],
      ['waiting', 1, 2_000, 5_000, undefined],
      ['running', 2, 5_000, 9_000, undefined],
    ],
  );
  t.is(timelineRows(lines.slice(0, 2))[0]?.bars[0]?.to, undefined, 'it continues');
});

test('an axis has few, round times', (t) => {
  for (const span of [1, 900, 61_000, 3_600_000, 40 * 86_400_000]) {
    const found = ticks(1_000_003, 1_000_003 + span, 6);
    t.true(found.length <= 7, `${span}`);
    t.true(found.every((at) => at >= 1_000_003 && at <= 1_000_003 + span));
  }
  t.deepEqual(ticks(500, 4_500, 5), [1_000, 2_000, 3_000, 4_000]);
});

test('a bar has the tone of its end: a cancelled task did not fail, and what waits is never blue', (t) => {
  const cancelled = { code: 'TASK_CANCELLED', message: 'm' };
  const ends = [
    { at: lines[1]?.at ?? '', event: 'task.running', label: 'a', to: 'running' },
    { at: lines[3]?.at ?? '', event: 'task.waiting', label: 'a', to: 'waiting' },
    { at: lines[4]?.at ?? '', event: 'task.cancelled', label: 'a', to: 'cancelled', error: cancelled },
  ];
  const [row] = timelineRows(ends);
  t.deepEqual(row?.bars.map(barTone), ['succeeded', 'cancelled']);
  t.deepEqual(timelineRows(ends.slice(0, 2))[0]?.bars.map(barTone), ['succeeded', 'waiting']);
  t.is(barTone({ state: 'running', from: 1, to: undefined, error: undefined }), 'running');
  t.is(barTone({ state: 'running', from: 1, to: 2, next: 'failed', error: 'X' }), 'failed');
});

test('texts of commands are found in outputs, with their exit codes, and no more than a limit', (t) => {
  const output = { results: [{ exitCode: 2, stdout: 'out', stderr: '' }, { stdout: 5 }], note: 'no text of a command' };
  t.deepEqual(outputTexts([{ label: 'run', output }]), [
    { task: 'run', path: 'results.0.stdout', text: 'out', exitCode: 2 },
  ]);
  const many = Array.from({ length: 500 }, () => ({ stdout: 'x', stderr: 'y' }));
  t.is(outputTexts([{ label: 'run', output: many }]).length, MOST_TEXTS);
  t.deepEqual(outputTexts([{ label: 'none', output: null }]), []);
});
