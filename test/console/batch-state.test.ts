/** The page of a batch: what became of each node. */
import test from 'ava';
import { type BatchWorkflow, batchRows, batchState } from '../../api/console/data/batch-state.ts';

const run = (id: string, status: BatchWorkflow['status'], given: Partial<BatchWorkflow> = {}) =>
  ({ id, status, node: `node ${id}`, batch: 'b', retryOf: null, ...given }) as BatchWorkflow;

test('the failed ones come first, a retry counts instead of its original, and nodes that wait are there', (t) => {
  const retried = { batch: null, node: 'node 2' };
  const workflows = [
    run('1', 'succeeded'),
    run('2', 'failed'),
    run('3', 'failed'),
    run('4', 'running'),
    run('5', 'failed', { ...retried, retryOf: '2' }),
    run('6', 'succeeded', { ...retried, retryOf: '5' }),
    run('7', 'failed', { batch: 'another' }),
  ];
  t.deepEqual(
    batchRows('b', ['node 9'], workflows).map(({ node, workflow, retry }) => [node, workflow?.id, retry?.id]),
    [
      ['node 3', '3', undefined],
      ['node 4', '4', undefined],
      ['node 9', undefined, undefined],
      ['node 1', '1', undefined],
      ['node 2', '2', '6'],
    ],
  );
});

test('a batch that is finished says how', (t) => {
  t.is(batchState({ status: 'finished', counts: { failed: 0, succeeded: 2 } }), 'succeeded');
  t.is(batchState({ status: 'finished', counts: { failed: 1 } }), 'completed_with_failures');
  t.is(batchState({ status: 'running', counts: {} }), 'running');
});
