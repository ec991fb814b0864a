/** Retries: a workflow that has ended runs again as a new one, without what succeeded. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { RetryRequest } from '../../../../engine/api-port/index.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

async function open(t: ExecutionContext): Promise<TestEngine> {
  const it = await openEngine();
  t.teardown(() => it.close());
  return it;
}

const write = (line: string) => ({ ledger: 'ledger', line, ms: 0 });

/** Three tasks in succession; `broken` fails as often as its options say. */
const graph = (middle: string) => ({
  friendlyName: 'Retried',
  injectableName: 'Graph.Test.Retried',
  tasks: [
    { label: 'first', taskName: 'Task.Fixture.Write', optionOverrides: write('first') },
    { label: 'broken', taskName: middle, waitOn: { first: 'succeeded' } },
    {
      label: 'last',
      taskName: 'Task.Fixture.Write',
      optionOverrides: write('last'),
      waitOn: { broken: 'succeeded' },
    },
  ],
});

/** A workflow that failed in its second task; the ledger has `first` once. */
async function failed(it: TestEngine, options: Record<string, unknown> = {}, middle = 'Task.Fixture.Fail') {
  await it.engine.library.putGraph(graph(middle));
  const ledger = it.path('ledger');
  const node = await it.node();
  const all = { first: { ledger }, last: { ledger }, ...options };
  const { id } = await it.launch('Graph.Test.Retried', all, node.id);
  const row = await it.finished(id);
  return { id, row, node: node.id, ledger };
}

const rejection = (t: ExecutionContext, retry: Promise<unknown>) =>
  t.throwsAsync<NodewrightError>(retry, { instanceOf: NodewrightError });

async function retried(it: TestEngine, id: string, request: RetryRequest = {}) {
  const row = await it.engine.launches.retry(id, request);
  return it.finished(row?.id ?? '');
}

test('a retry from the failed task carries over what succeeded, with its output, and runs the rest', async (t) => {
  const it = await open(t);
  const { id, row, node } = await failed(
    it,
    { broken: { failures: 3, line: 'x', ledger: it.path('ledger') } },
    'Task.Fixture.Flaky',
  );
  t.is(row.status, 'failed');
  const again = await retried(it, id, { operator: 'op', options: { broken: { failures: 0 } } });
  t.like(again, { status: 'succeeded', retryOf: id, node, operator: 'op', definitionHash: row.definitionHash });
  t.not(again.id, id);
  const [before] = row.tasks;
  t.like(again.tasks[0], {
    state: 'succeeded',
    output: before?.output,
    startedAt: before?.startedAt,
    finishedAt: before?.finishedAt,
  });
  const lines = await it.lines('ledger');
  t.deepEqual(
    lines.filter((line) => line !== 'x'),
    ['first', 'last'],
    'the first task did not run again',
  );
  t.is((await it.get(id)).status, 'failed', 'the original stays as it was');
});

test('a retry from the start runs everything, one from a label what began after it; of a succeeded one not from failed', async (t) => {
  const it = await open(t);
  const { id } = await failed(it, {}, 'Task.noop');
  t.is((await it.get(id)).status, 'succeeded');
  const error = await rejection(t, it.engine.launches.retry(id, {}) as Promise<unknown>);
  t.is(error?.code, 'CONFLICT');
  await retried(it, id, { from: 'start' });
  t.deepEqual(await it.lines('ledger'), ['first', 'last', 'first', 'last']);
  const third = await retried(it, id, { from: 'last' });
  t.is(third.status, 'succeeded');
  t.deepEqual(await it.lines('ledger'), ['first', 'last', 'first', 'last', 'last']);
  const unknown = await rejection(t, it.engine.launches.retry(id, { from: 'none' }) as Promise<unknown>);
  t.is(unknown?.code, 'INVALID');
  t.regex(unknown?.message ?? '', /^from is "none"; expected one of failed, start, first, broken, last/);
});

test('a once task that may have taken effect runs again only if it is acknowledged, and nothing starts before', async (t) => {
  const it = await open(t);
  const ledger = it.path('ledger');
  await it.engine.library.putGraph({
    friendlyName: 'Once',
    injectableName: 'Graph.Test.RetriedOnce',
    tasks: [
      { label: 'wipe', taskName: 'Task.Fixture.WriteOnce', optionOverrides: { ledger, line: 'wiped', ms: 0 } },
      { label: 'broken', taskName: 'Task.Fixture.Fail', waitOn: { wipe: 'succeeded' } },
    ],
  });
  const node = await it.node();
  const { id } = await it.launch('Graph.Test.RetriedOnce', {}, node.id);
  await it.finished(id);
  const error = await rejection(t, it.engine.launches.retry(id, { from: 'start' }) as Promise<unknown>);
  t.is(error?.code, 'RETRY_UNSAFE');
  t.deepEqual(error?.violations, [
    { path: 'acknowledge', message: 'lacks wipe, a once task that may have taken effect' },
  ]);
  t.is((await it.engine.nodes.find(node.id))?.active, null, 'the node stays free');
  // From the failed task, the once task is not run again.
  t.is((await retried(it, id)).status, 'failed');
  t.deepEqual(await it.lines('ledger'), ['wiped']);
  const wrong = { from: 'start', acknowledge: ['wipe', 'broken'] };
  t.is((await rejection(t, it.engine.launches.retry(id, wrong) as Promise<unknown>))?.code, 'INVALID');
  const again = await retried(it, id, { from: 'start', acknowledge: ['wipe'] });
  t.deepEqual(again.acknowledged, ['wipe']);
  t.deepEqual(await it.lines('ledger'), ['wiped', 'wiped']);
});

test('a request that only reads is repeated without asking; one that writes, or whose method a template computes, is not', async (t) => {
  const it = await open(t);
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end('{"method":"GET"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const asks = (label: string, method: string | undefined, after?: string) => ({
    label,
    taskName: 'Task.Run.Rest.Command',
    optionOverrides: { url, ...(method !== undefined && { method }) },
    ...(after !== undefined && { waitOn: { [after]: 'succeeded' } }),
  });
  await it.engine.library.putGraph({
    friendlyName: 'Reads',
    injectableName: 'Graph.Test.RetriedReads',
    tasks: [
      asks('lookup', undefined),
      asks('head', 'HEAD', 'lookup'),
      asks('write', 'PUT', 'head'),
      asks('computed', '{{ context.lookup.body.method }}', 'write'),
      { label: 'broken', taskName: 'Task.Fixture.Fail', waitOn: { computed: 'succeeded' } },
    ],
  });
  const { id } = await it.launch('Graph.Test.RetriedReads');
  t.is((await it.finished(id)).tasks.find(({ label }) => label === 'computed')?.state, 'succeeded');
  const error = await rejection(t, it.engine.launches.retry(id, { from: 'start' }) as Promise<unknown>);
  t.deepEqual(
    error?.violations?.map(({ message }) => message.split(',', 1)[0]),
    ['lacks write', 'lacks computed'],
  );
});

test('an active workflow and a busy node are rejected; a child is retried with its parent', async (t) => {
  const it = await open(t);
  const { id, node } = await failed(it);
  const other = await it.launch('Graph.Demo.InstallOs', {}, node);
  t.is((await rejection(t, it.engine.launches.retry(id, {}) as Promise<unknown>))?.code, 'NODE_BUSY');
  const active = await rejection(t, it.engine.launches.retry(other.id, {}) as Promise<unknown>);
  t.is(active?.code, 'CONFLICT');
  t.regex(active?.message ?? '', /is running/);
  t.is(await it.engine.launches.retry('none', {}), undefined);
});

test('a retry runs on the version of the original, or on the newest one if that has the tasks carried over', async (t) => {
  const it = await open(t);
  const { id, row } = await failed(it);
  await it.engine.library.putGraph(graph('Task.noop'));
  t.is((await retried(it, id)).definitionHash, row.definitionHash);
  const newest = await retried(it, id, { definition: 'newest' });
  t.not(newest.definitionHash, row.definitionHash);
  t.is(newest.status, 'succeeded');
  await it.engine.library.putGraph({
    ...graph('Task.noop'),
    tasks: graph('Task.noop')
      .tasks.slice(1, 2)
      .map(({ label, taskName }) => ({ label, taskName })),
  });
  const error = await rejection(t, it.engine.launches.retry(id, { definition: 'newest' }) as Promise<unknown>);
  t.is(error?.code, 'CONFLICT');
  t.regex(error?.message ?? '', /lacks first/);
});

test('options of a retry may not hold what records show instead of a secret', async (t) => {
  const it = await open(t);
  const { id } = await failed(it);
  for (const password of ['REDACTED', 'nwsealed.v1.0.abc~']) {
    const error = await rejection(
      t,
      it.engine.launches.retry(id, { options: { broken: { password } } }) as Promise<unknown>,
    );
    t.regex(error?.code ?? '', /^INVALID/, password);
  }
});
