import test from 'ava';
import { logEnd } from '../../../engine/assembly/workflow-ends.ts';
import type { EventNote, WorkflowRow } from '../../../engine/durable/step/row.ts';
import { logLines } from '../../support/ava/log-lines.ts';

const row = (change: Partial<WorkflowRow>) =>
  ({
    id: 'w',
    graphName: 'Graph.x',
    node: 'n',
    operator: 'erika',
    traceparent: '00-11111111111111111111111111111111-1111111111111111-00',
    status: 'succeeded',
    error: null,
    startedAt: '2026-11-23T04:00:00.000Z',
    finishedAt: '2026-11-23T05:00:00.500Z',
    ...change,
  }) as WorkflowRow;

const finished = { events: [{ id: 'e', action: 'finished', status: 'failed' } as EventNote] };

test('a failed workflow is a warning, any other end is information, and other steps log nothing', (t) => {
  const { log, lines } = logLines();
  const error = { name: 'Error', message: 'the password is hunter2', code: 'TASK_TIMEOUT' };
  logEnd(log, finished, row({}));
  logEnd(log, finished, row({ status: 'failed', error }));
  logEnd(log, finished, row({ status: 'cancelled', node: null, operator: null, startedAt: null }));
  logEnd(log, { events: [{ id: 'e', n: 1, action: 'started', status: 'running' }] }, row({}));
  logEnd(log, { events: [] }, row({}));
  const read = lines.map((line) => JSON.parse(line));
  t.is(read.length, 3);
  const common = { msg: 'workflow ended', workflow: 'w', graph: 'Graph.x' };
  const [succeeded, failed, cancelled] = read;
  t.like(succeeded, { ...common, level: 30, status: 'succeeded', node: 'n', user: 'erika', ms: 3_600_500 });
  t.like(failed, { ...common, level: 40, status: 'failed', code: 'TASK_TIMEOUT' });
  t.like(cancelled, { ...common, level: 30, status: 'cancelled', node: null });
  t.false(lines.join('').includes('hunter2'));
});
