/** A retry of several workflows: the tasks that may take effect a second time, and the workflows that wait for a choice. */
import test from 'ava';
import { type BulkAction, resultText } from '../../api/console/data/bulk-results.ts';
import { type RetryEffects, retryable, unsafeTasks } from '../../api/console/data/retry-effects.ts';

const workflows = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
const effects: RetryEffects = new Map([
  ['a', { from: 'update', unsafe: ['update'] }],
  ['b', { from: 'update', unsafe: ['update', 'reboot'] }],
  ['c', { from: 'check', unsafe: [] }],
]);
const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id).join('');

test('a task that may take effect a second time is listed once, with its workflows', (t) => {
  t.deepEqual(
    [...unsafeTasks(workflows, effects)].map(([label, some]) => [label, idsOf(some)]),
    [
      ['update', 'ab'],
      ['reboot', 'b'],
    ],
  );
});

test('workflows are retried whose tasks may all run again', (t) => {
  t.is(idsOf(retryable(workflows, effects, [])), 'cd');
  t.is(idsOf(retryable(workflows, effects, ['update'])), 'acd');
  t.is(idsOf(retryable(workflows, effects, ['update', 'reboot'])), 'abcd');
});

test('the result of an action gives the reasons in words', (t) => {
  const items = [
    { status: 'succeeded' },
    ...['RETRY_UNSAFE', 'NODE_BUSY', 'X'].map((code) => ({ status: 'rejected', code })),
  ];
  const action = { command: 'retry', status: 'finished', items } as BulkAction;
  t.is(
    resultText(action),
    '1 retried, 3 rejected: a task may have taken effect, and would run again; another workflow is active on the node; X',
  );
});
