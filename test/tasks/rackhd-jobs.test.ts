/** Tasks that do the jobs of RackHD: what they send to the agent, and what they read and write. */
import { createServer } from 'node:http';
import anyTest, { type TestFn } from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openEngine();
});
test.after.always((t) => t.context.it?.close());

let graphs = 0;

/** Launches a graph of these tasks, each after the one before. */
async function launched(it: TestEngine, node: string | null, ...tasks: object[]) {
  graphs += 1;
  const name = `Graph.Test.Rackhd${graphs}`;
  await it.engine.library.putGraph({
    friendlyName: name,
    injectableName: name,
    tasks: tasks.map((one, n) => ({
      label: `t${n}`,
      ...one,
      ...(n > 0 && { waitOn: { [`t${n - 1}`]: 'succeeded' } }),
    })),
  });
  return it.launch(name, {}, node);
}

const asking = () => ({ agent: 'one', waitMs: 20_000, signal: new AbortController().signal });

test('scripts are fetched, run with a sudo that may be missing, and accept 0 besides the given codes', async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const row = await launched(it, node, {
    taskDefinition: {
      friendlyName: 'x',
      injectableName: 'Task.Mine.Scripts',
      implementsTask: 'Task.Base.Linux.Commands',
      options: {
        commands: [
          { command: 'sudo id', acceptedResponseCodes: [1] },
          { downloadUrl: "http://10.0.0.1/a/it's.sh?x=$(id)" },
        ],
      },
      properties: {},
    },
  });
  const first = await it.engine.agents.next(node, asking());
  t.regex(first?.cmd ?? '', /sudo\(\) \{[\s\S]*\nsudo id$/);
  await it.engine.agents.report(node, [{ id: first?.id ?? '', exitCode: 0, stdout: 'root', stderr: '' }]);
  const second = await it.engine.agents.next(node, asking());
  t.true(second?.cmd.includes("fetch 'http://10.0.0.1/a/it'\\''s.sh?x=$(id)' it_s.sh && "), second?.cmd);
  t.true(second?.cmd.endsWith('\n./it_s.sh'), second?.cmd);
  await it.engine.agents.report(node, [{ id: second?.id ?? '', exitCode: 0, stdout: '', stderr: '' }]);
  t.is((await it.finished(row.id)).status, 'succeeded');
});

test('the output of well-known commands becomes a catalog, whose values later tasks get', async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const row = await launched(
    it,
    node,
    { taskName: 'Task.Linux.Catalog', optionOverrides: { commands: ['sudo lshw -json'] } },
    { taskName: 'Task.Catalogs.ProvideValue', optionOverrides: { source: 'lshw', path: 'id' } },
    {
      taskName: 'Task.Get.Catalog.Values',
      optionOverrides: { requestedData: [{ source: 'lshw', keys: { whole: 'data', name: 'data.id' } }] },
    },
    {
      taskName: 'Task.Evaluate.Condition',
      optionOverrides: { when: '{{ context.lshw.id }}', equals: '{{ context.name }}' },
    },
    { taskName: 'Task.Catalogs.ProvideValue', optionOverrides: { source: 'lshw', path: 'none' } },
  );
  const given = await it.engine.agents.next(node, asking());
  t.like(given?.catalog, { source: 'lshw', format: 'json' });
  await it.engine.agents.report(node, [{ id: given?.id ?? '', exitCode: 0, stdout: '{"id":"box"}', stderr: '' }]);
  const { tasks } = await it.finished(row.id);
  t.deepEqual(tasks[1]?.output, { lshw: { id: 'box' } });
  t.deepEqual(tasks[2]?.output, { whole: { id: 'box' }, name: 'box' });
  t.is(tasks[3]?.state, 'succeeded');
  t.like(tasks[4]?.error, { code: 'CATALOG_VALUE_MISSING' });
});

test('an answer of REST becomes a catalog; pollers, obms and passwords are made; what there is not is left out', async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ method: request.method }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const row = await launched(
    it,
    node,
    {
      taskName: 'Task.Rest.Catalog',
      optionOverrides: { url: `http://127.0.0.1:${port}/`, method: 'POST', data: { a: 1 }, source: 'answer' },
    },
    { taskName: 'Task.Obm.CreateSettings', optionOverrides: { service: 'noop-obm-service', config: {} } },
    {
      taskName: 'Task.Pollers.Create',
      optionOverrides: {
        pollers: [
          { type: 'ipmi', pollInterval: 60_000, config: { command: 'sel' } },
          { type: 'wsman', config: { command: 'powerthermal' } },
          { type: 'ucs', config: { command: 'ucs.led' } },
        ],
      },
    },
    { taskName: 'Task.Generate.Password', optionOverrides: { user: 'root' } },
    { taskName: 'Task.Sku.Assign' },
    { taskName: 'Task.Graph.RunSku' },
  );
  const { status, tasks } = await it.finished(row.id);
  t.is(status, 'succeeded', JSON.stringify(tasks.map(({ error }) => error)));
  t.deepEqual((await it.engine.catalogs.latestOf(node, 'answer'))?.data, { method: 'POST' });
  t.deepEqual(tasks[1]?.output, { service: 'noop-obm-service' });
  t.deepEqual(tasks[2]?.output, { created: ['ipmi sel', 'wsman powerthermal'], leftOut: ['ucs ucs.led'] });
  const { items } = await it.engine.pollers.list({ filter: { node }, skip: 0, limit: 10 });
  t.deepEqual(items.map(({ type, config }) => `${type} ${config.command}`).sort(), [
    'ipmi sel',
    'redfish power',
    'redfish thermal',
  ]);
  t.regex(JSON.stringify(tasks[3]?.output), /"password":"nwsealed\./);
  t.deepEqual(tasks[4]?.output, { sku: null });
  t.deepEqual(tasks[5]?.output, { sku: null, workflowId: null });
});

test('the calls of a Docker host are made in order, and a rejected one ends the task', async (t) => {
  const { it } = t.context;
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => {
      response.statusCode = request.url?.includes('gone') ? 404 : request.url?.endsWith('/create') ? 201 : 204;
      response.setHeader('content-type', 'application/json').end(response.statusCode === 201 ? '{"Id":"c1"}' : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const exec = [
    // biome-ignore lint/suspicious/noThenProperty: RackHD's name for the calls after one
    { method: 'run', args: ['img', {}], then: [{ method: 'stop', args: ['c1', {}] }] },
    { method: 'start', args: ['gone', {}] },
    { method: 'list', args: [{ all: 1 }] },
  ];
  const row = await launched(it, null, { taskName: 'Task.Docker', optionOverrides: { exec, port } });
  t.like((await it.finished(row.id)).tasks[0]?.error, { code: 'REST_STATUS' });
  t.deepEqual(seen, [
    'POST /containers/create',
    'POST /containers/c1/start',
    'POST /containers/c1/stop',
    'POST /containers/gone/start',
  ]);
});
