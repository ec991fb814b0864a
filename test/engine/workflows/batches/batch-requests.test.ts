/** Batches on the real engine: one graph on many nodes, with limits. */
import test, { type ExecutionContext } from 'ava';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

async function open(t: ExecutionContext): Promise<TestEngine> {
  const it = await openEngine();
  t.teardown(() => it.close());
  return it;
}

const nodesOf = (it: TestEngine, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await it.node()).id));

const batchOf = async (it: TestEngine, id: string) => {
  const batch = await it.engine.batches.get(id);
  if (batch === undefined) throw new Error(`there is no batch ${id}`);
  return batch;
};

test('a busy node and an unknown one are rejected, and all others are launched', async (t) => {
  const it = await open(t);
  const [busy = '', ...free] = await nodesOf(it, 30);
  await it.launch('Graph.Demo.InstallOs', {}, busy);
  const { id } = await it.engine.batches.create({
    name: 'Graph.Demo.InstallOs',
    options: {},
    nodes: [busy, ...free, 'none', free[0] as string],
    operator: 'op',
  });
  // On a busy machine the first wave is answered before it is complete.
  await it.until(async () => (await batchOf(it, id)).status === 'finished');
  const batch = await batchOf(it, id);
  t.deepEqual(batch.launched.map(({ node }) => node).sort(), free.toSorted());
  t.deepEqual(
    batch.rejected.map(({ node, code }) => [node, code]),
    [
      [busy, 'NODE_BUSY'],
      ['none', 'NOT_FOUND'],
    ],
  );
  t.like(batch, { status: 'finished', launchedBy: 'op', waiting: [] });
  const [first] = batch.launched;
  t.like(await it.get(first?.workflow ?? ''), { node: first?.node, operator: 'op', status: 'running' });
  await t.throwsAsync(() => it.engine.batches.create({ name: 'Graph.None', options: {}, nodes: free }), {
    message: /Graph definition not found/,
  });
});

test('with a limit, workflows are launched as others end, and never more at a time', async (t) => {
  const it = await open(t);
  const nodes = await nodesOf(it, 5);
  const { id, launched, waiting } = await it.engine.batches.create({
    name: 'Graph.Demo.InstallOs',
    options: {},
    nodes,
    concurrency: 2,
  });
  t.is(launched.length, 2);
  t.is(waiting.length, 3);
  const done = new Set<string>();
  while (done.size < nodes.length) {
    const batch = await batchOf(it, id);
    t.true(batch.counts.running <= 2);
    const next = batch.launched.find(({ workflow }) => !done.has(workflow));
    if (next === undefined) {
      await it.until(async () => (await batchOf(it, id)).launched.length > done.size);
      continue;
    }
    await it.engine.control.cancel(next.workflow);
    await it.finished(next.workflow);
    done.add(next.workflow);
  }
  await it.until(async () => (await batchOf(it, id)).status === 'finished');
  t.deepEqual(
    (await batchOf(it, id)).launched.map(({ node }) => node),
    nodes,
  );
});

test('after too many failures no more are launched, and the rest is rejected', async (t) => {
  const it = await open(t);
  await it.engine.library.putGraph({
    friendlyName: 'Fails',
    injectableName: 'Graph.Test.Fails',
    tasks: [{ label: 'fail', taskName: 'Task.Fixture.Fail' }],
  });
  const nodes = await nodesOf(it, 6);
  const { id } = await it.engine.batches.create({
    name: 'Graph.Test.Fails',
    options: {},
    nodes,
    concurrency: 2,
    maxFailures: 2,
  });
  await it.until(async () => (await batchOf(it, id)).status === 'stopped');
  const batch = await batchOf(it, id);
  t.is(batch.launched.length, 2);
  t.deepEqual([...new Set(batch.rejected.map(({ code }) => code))], ['BATCH_STOPPED']);
  t.is(batch.rejected.length, 4);
});

test('a cancelled batch launches no more and cancels what is active; again is no error, after the end it is', async (t) => {
  const it = await open(t);
  const nodes = await nodesOf(it, 4);
  const { id } = await it.engine.batches.create({
    name: 'Graph.Demo.InstallOs',
    options: {},
    nodes,
    concurrency: 2,
  });
  for (const _ of [1, 2]) t.is((await it.engine.batches.cancel(id, 'op'))?.status, 'cancelled');
  await it.until(async () => (await batchOf(it, id)).counts.cancelled === 2);
  const batch = await batchOf(it, id);
  t.is(batch.rejected.length, 2);
  const { id: other } = await it.engine.batches.create({ name: 'Graph.noop-example', options: {}, nodes });
  await it.until(async () => (await batchOf(it, other)).counts.succeeded === 4);
  await t.throwsAsync(() => it.engine.batches.cancel(other) as Promise<unknown>, { message: /is finished/ });
  t.is(await it.engine.batches.cancel('none'), undefined);
});
