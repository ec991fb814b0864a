/** The pure parts of a workflow's inspector, reasons, history and data: what is shown first, and its words. */
import test from 'ava';
import { failedAttempts } from '../../api/client/failed-attempts.ts';
import { remedyText, runAgain } from '../../api/client/failed-end.ts';
import { isBeginning } from '../../api/console/data/id-beginning.ts';
import { childrenByLabel, unfoldedIn } from '../../api/console/pages/workflow/child-labels.ts';
import { foldedWaits } from '../../api/console/pages/workflow/folded-waits.ts';
import { causeWords, lineText, stepWords } from '../../api/console/pages/workflow/history-words.ts';
import { inspectedTask } from '../../api/console/pages/workflow/inspected-task.ts';
import { partedEntries, wordsOfName } from '../../api/console/parts/parted-entries.ts';

type Inspected = Parameters<typeof inspectedTask>[0];
type Task = Inspected['tasks'][number];

const at = '2026-05-03T10:00:00.000Z';
const task = (label: string, state: Task['state'], more: Partial<Task> = {}): Task => ({
  label,
  taskName: 'Task.X',
  instanceId: label,
  state,
  attempts: 1,
  startedAt: at,
  finishedAt: null,
  output: null,
  error: null,
  waitingOn: null,
  dueAt: null,
  progress: null,
  callback: null,
  nextAttemptAt: null,
  maxAttempts: 1,
  attemptErrors: [],
  ...more,
});
const error = { name: 'E', code: 'OBM_FAILED', message: 'm' };

test('a reader sees the task that matters first', (t) => {
  const base: Inspected = { status: 'running', error: null, waiting: null, tasks: [] };
  const of = (more: Partial<Inspected>, chosen?: string) => inspectedTask({ ...base, ...more }, chosen)?.label;
  const tasks = [task('bootstrap', 'waiting'), task('wait-agent', 'waiting')];
  const waiting = { label: 'wait-agent', waitingOn: 'command' as const, since: at, isForAgent: true };
  t.is(of({ tasks, waiting }), 'wait-agent', 'the wait that matters');
  t.is(of({ tasks, waiting }, 'bootstrap'), 'bootstrap', 'the chosen one');
  t.is(of({ tasks: [...tasks, task('runs', 'running')] }), 'runs');
  const failed = [
    task('first', 'failed', { error: { ...error, message: 'other' } }),
    task('last', 'failed', { error }),
  ];
  t.is(of({ status: 'failed', error, tasks: failed }), 'last', 'the one whose error the workflow has');
  const cancelled = [task('began', 'cancelled'), task('later', 'cancelled', { startedAt: null })];
  t.is(of({ status: 'cancelled', tasks: cancelled }), 'began');
  t.is(of({ status: 'succeeded', tasks: failed }), undefined);
});

test('children are found by the labels of their tasks, and shown if all around them is unfolded', (t) => {
  const child = (id: string, parent: string, parentLabel: string | null) => ({ id, parent, parentLabel });
  const all = [child('old', 'w', 'run'), child('new', 'w', 'run'), child('deep', 'new', 'nap'), child('x', 'w', null)];
  const children = childrenByLabel('w', all);
  t.deepEqual(
    [...children].map(([label, { id }]) => [label, id]),
    [
      ['run', 'new'],
      ['run/nap', 'deep'],
    ],
  );
  const shown = (...labels: string[]) => unfoldedIn(children, new Set(labels)).map(([label]) => label);
  t.deepEqual(shown('run'), ['run']);
  t.deepEqual(shown('run/nap'), []);
  t.deepEqual(shown('run/nap', 'run'), ['run', 'run/nap']);
});

test('waits for a release are folded beside others, and only there', (t) => {
  const [command, release] = [{ waitingOn: 'command' as const }, { waitingOn: 'release' as const }];
  t.deepEqual(foldedWaits([command, release]), { open: [command], folded: [release] });
  t.deepEqual(foldedWaits([release]), { open: [release], folded: [] });
});

test('a failed task has all its attempts, and each code a remedy', (t) => {
  const first = { attempt: 1, at, code: 'A', message: 'm' };
  const second = { attempt: 2, at, code: error.code, message: error.message };
  const ended = task('a', 'failed', { attempts: 2, error, finishedAt: at, attemptErrors: [first] });
  t.deepEqual(failedAttempts(ended), [first, second]);
  t.deepEqual(failedAttempts({ ...ended, attemptErrors: [first, second] }), [first, second]);
  t.is(remedyText('OBM_FAILED', undefined), 'Read its message, then try again.');
  t.notRegex(remedyText('JOB_MISSING', undefined), /\]\(/, 'without links');
  t.regex(remedyText('X_OWN', ended), /the author of Task\.X defines X_OWN/);
  const undone = task('undo', 'failed', { compensates: 'a' });
  t.deepEqual(runAgain([ended, task('b', 'succeeded'), undone, task('c', 'cancelled', { startedAt: null })]), [ended]);
});

test('a history is in the words of operators', (t) => {
  const base = { version: 1, at };
  const failed = { ...base, event: 'task.failed', label: 'update', from: 'running', to: 'failed' };
  const unreached = (label: string) => ({ ...base, event: 'task.cancelled', label, from: 'pending', to: 'cancelled' });
  const moved = { ...base, event: 'work.failed', from: { on: { a: 'x', b: 'y' } }, to: { on: { a: 'x', b: 'z' } } };
  t.is(lineText(failed), 'update failed');
  t.is(lineText({ ...failed, event: 'task.running', from: 'waiting', attempt: 2 }), 'update began attempt 2');
  t.is(
    stepWords([failed, unreached('restart'), unreached('verify'), { ...base, event: 'workflow.failed' }, moved]),
    'update failed; restart, verify did not run; the workflow failed; the graph entered on: b: z',
  );
  t.is(causeWords({ by: 'ada', cause: { kind: 'user' } }), 'ada');
  t.is(causeWords({ cause: { kind: 'agent' } }), "the node's agent");
  t.is(causeWords({}), undefined);
});

test('simple values of a record are rows, nested ones are parted from them', (t) => {
  const value = { version: '2.4', targets: ['BMC', 'BIOS'], isForced: true, none: null, drives: [{ name: 'sda' }] };
  t.deepEqual(partedEntries(value), {
    simple: [
      ['version', '2.4'],
      ['targets', 'BMC, BIOS'],
      ['isForced', 'yes'],
    ],
    nested: [['drives', [{ name: 'sda' }]]],
  });
  t.deepEqual(partedEntries(null), { simple: [], nested: [] });
  t.deepEqual(
    [wordsOfName('eraseSettings'), wordsOfName('obm-service'), wordsOfName('x_Y')],
    ['erase settings', 'obm-service', 'x_Y'],
  );
});

test('the beginning of an id is no whole id', (t) => {
  t.true(isBeginning('5751df99'));
  t.true(isBeginning('5751DF99-0b'));
  t.false(isBeginning('5751df99-0b77-4a3f-9c1e-0123456789ab'), 'the whole id');
  t.false(isBeginning('nosuch'));
});
