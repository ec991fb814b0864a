import test from 'ava';
import { failedTask } from '../../../engine/vocabulary/failed-task.ts';

const task = (label: string, state: 'succeeded' | 'failed' | 'timeout', message?: string) => ({
  label,
  state,
  error: message === undefined ? null : { message },
});

test('the task whose error the workflow has is the one that failed it, with the label before its message or without', (t) => {
  const tasks = [task('first', 'succeeded'), task('a', 'failed', 'it broke'), task('b', 'timeout', 'too long')];
  for (const message of ['it broke', 'a: it broke']) t.is(failedTask(tasks, { message })?.label, 'a');
  t.is(failedTask(tasks, { message: 'an error of the graph' })?.label, 'b');
  t.is(failedTask(tasks, null)?.label, 'b');
  t.is(failedTask([task('first', 'succeeded')], { message: 'm' }), undefined);
});
