/** Bulk actions on the real engine: each workflow takes the command or rejects it, and a retry is answered once for all. */
import test, { type ExecutionContext } from 'ava';
import type { BulkActionRecord, BulkActionRequest } from '../../../../engine/api-port/index.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

const UNSAFE = 'Graph.Bulk.Unsafe';

async function open(t: ExecutionContext): Promise<TestEngine> {
  const it = await openEngine();
  t.teardown(() => it.close());
  return it;
}

async function settled(it: TestEngine, request: BulkActionRequest): Promise<BulkActionRecord> {
  const { id } = await it.engine.bulkActions.create(request);
  const read = async () => (await it.engine.bulkActions.get(id)) as BulkActionRecord;
  await it.until(async () => (await read()).status !== 'running');
  return read();
}

const outcomes = ({ items }: BulkActionRecord) => items.map(({ status, code }) => code ?? status);

/** Workflows that failed in a `once` task, which may have taken effect. */
async function unsafeOnes(it: TestEngine, count: number): Promise<string[]> {
  const options = { ledger: it.path('ledger'), line: 'x', ms: 60_000, _taskTimeout: 100 };
  const tasks = [{ label: 'once', taskName: 'Task.Fixture.WriteOnce', optionOverrides: options }];
  await it.engine.library.putGraph({ friendlyName: 'Unsafe', injectableName: UNSAFE, tasks });
  const rows = await Promise.all(Array.from({ length: count }, () => it.launch(UNSAFE)));
  for (const { id } of rows) await it.finished(id);
  return rows.map(({ id }) => id);
}

test('pause, resume and cancel: each workflow takes the command, or rejects it with its code and spoils nothing', async (t) => {
  const it = await open(t);
  const [first, second] = await Promise.all([1, 2].map(() => it.launch('Graph.Demo.InstallOs')));
  const ids = [first?.id ?? '', second?.id ?? '', 'none'];
  const act = (command: BulkActionRequest['command']) => settled(it, { command, select: { ids }, operator: 'op' });
  const paused = await act('pause');
  t.like(paused, { status: 'finished', command: 'pause', createdBy: 'op', counts: { succeeded: 2, rejected: 1 } });
  t.deepEqual(outcomes(paused), ['succeeded', 'succeeded', 'NOT_FOUND']);
  t.like(await it.get(ids[0] ?? ''), { paused: { by: 'op' } });
  t.deepEqual(outcomes(await act('resume')), ['succeeded', 'succeeded', 'NOT_FOUND']);
  t.deepEqual(outcomes(await act('resume')), ['CONFLICT', 'CONFLICT', 'NOT_FOUND']);
  t.deepEqual(outcomes(await act('cancel')), ['succeeded', 'succeeded', 'NOT_FOUND']);
  await it.finished(ids[0] ?? '');
  t.deepEqual(outcomes(await act('pause')).slice(0, 1), ['WORKFLOW_ENDED']);
});

test('a retry of many: unsafe ones are rejected, and run again when the user acknowledges it once for all', async (t) => {
  const it = await open(t);
  const ids = await unsafeOnes(it, 2);
  const failing = {
    friendlyName: 'Fails',
    injectableName: 'Graph.Bulk.Fails',
    tasks: [{ label: 'fail', taskName: 'Task.Fixture.Fail' }],
  };
  await it.engine.library.putGraph(failing);
  const { id: safe } = await it.launch('Graph.Bulk.Fails');
  await it.finished(safe);
  const select = { filter: { status: 'failed' } };
  const first = await settled(it, { command: 'retry', select });
  t.deepEqual(outcomes(first).sort(), ['RETRY_UNSAFE', 'RETRY_UNSAFE', 'succeeded']);
  const { newWorkflow = '' } = first.items.find(({ workflow }) => workflow === safe) ?? {};
  t.like(await it.get(newWorkflow), { retryOf: safe });
  const again = { command: 'retry' as const, select: { ids } };
  for (const acknowledge of [true, ['once', 'unknown']]) {
    const acknowledged = await settled(it, { ...again, acknowledge, operator: 'op' });
    t.deepEqual(outcomes(acknowledged), ['succeeded', 'succeeded']);
    const retried = await it.get(acknowledged.items[0]?.newWorkflow ?? '');
    t.like(retried, { retryOf: ids[0], operator: 'op', acknowledged: ['once'] });
  }
  await t.throwsAsync(
    settled(it, { command: 'retry', select: { ids: [...ids, safe] }, options: { defaults: { ms: 1 } } }),
    {
      message: /options are for one graph/,
    },
  );
  const faster = { defaults: { ms: 0, _taskTimeout: 10_000 } };
  const changed = await settled(it, { ...again, acknowledge: true, options: { once: faster.defaults } });
  t.is((await it.finished(changed.items[0]?.newWorkflow ?? '')).status, 'succeeded');
  t.is((await it.engine.workflows.list({ skip: 0, limit: 1, filter: { errorCode: 'TASK_TIMEOUT' } })).total >= 2, true);
});
