/** The workflows of a cause are those that the daemon has counted to it. */
import test from 'ava';
import { isOfCause } from '../../api/console/data/caused-workflow.ts';
import { newestOfNodes } from '../../api/console/data/newest-of-nodes.ts';
import { withoutNumbers } from '../../engine/durable/step/failure-cause.ts';

const failed = (label: string, message: string) => {
  const error = { code: 'X', message };
  return { waiting: null, error, tasks: [{ label, state: 'failed' as const, error }] };
};

test('a failed workflow is of the cause that has its task, and its message without numbers and ids', (t) => {
  const text = '10.1.2.3:443 answered 503 (try 2) for 5ab53d60-a39b-4d9b-9bae-af495f89f3d1 [52:54:00:00:12:04]';
  const cause = { kind: 'failed' as const, task: 'update', message: withoutNumbers(text) };
  t.true(isOfCause(cause, failed('update', text)));
  t.true(isOfCause(cause, failed('update', text.replace('503', '500').replace('10.1.2.3', '10.9.9.9'))));
  t.false(isOfCause(cause, failed('update', text.replace('answered', 'refused'))));
  t.false(isOfCause(cause, failed('erase', text)));
});

test('a stuck workflow is of the cause that has the task which waits', (t) => {
  const waiting = { label: 'boot', waitingOn: 'bmc' as const, since: '2026-05-03T10:00:00.000Z', isForAgent: false };
  const cause = { kind: 'stuck' as const, task: 'boot', message: 'a sentence' };
  t.true(isOfCause(cause, { waiting, error: null, tasks: [] }));
  t.false(isOfCause({ ...cause, task: null }, { waiting, error: null, tasks: [] }));
});

test('of several failures of a node the newest is listed, with their number', (t) => {
  const run = (id: string, node: string | null) => ({ id, node });
  const listed = newestOfNodes([run('4', 'a'), run('3', 'b'), run('2', 'a'), run('1', null), run('0', null)]);
  t.deepEqual(
    listed.map(({ workflow: { id }, count }) => `${id} ${count}`),
    ['4 2', '3 1', '1 1', '0 1'],
  );
});
