import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { archiveOf, type Entries } from '../support/data/archive.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, type Send, serve } from '../support/servers/api.ts';

const rules = [{ path: 'dmi.kind', equals: 'fast' }];
const gzip = { 'content-type': 'application/gzip' };
const LIMIT = 1_024 * 1_024;
const fresh = (): string => `sku ${randomUUID()}`;

let it: TestEngine;
test.before(async () => {
  it = await openEngine({ packLimit: LIMIT });
});
test.after.always(() => it?.close());

const open = { ...northbound, authEnabled: false };
const api = async (t: ExecutionContext) => serve(t, open, it.engine);

const task = (line: string, name = 'Task.Test.Say') => ({
  friendlyName: 'Say',
  injectableName: name,
  implementsTask: 'Task.Fixture.Write',
  options: { line, ledger: it.path('ledger') },
});
const graph = (name: string, taskName = 'Task.Test.Say') => ({
  friendlyName: 'G',
  injectableName: name,
  tasks: [{ label: 'say', taskName }],
});

const post = async (send: Send, entries: Entries) =>
  send('POST', '/api/current/skus/pack', { raw: await archiveOf(entries), headers: gzip });
const put = async (send: Send, id: string, entries: Entries) =>
  send('PUT', `/api/2.0/skus/${id}/pack`, { raw: await archiveOf(entries), headers: gzip });

async function skuOf(send: Send, rule: object[] = rules): Promise<string> {
  const { body } = await send('POST', '/api/current/skus', { body: { name: fresh(), rules: rule } });
  return body.id;
}

test.serial('a pack with rules creates its SKU, and nodes are assigned to it', async (t) => {
  const { send } = await api(t);
  const { id: node } = await it.node();
  await it.engine.catalogs.add(node, 'dmi', { kind: 'packed' });
  const config = { name: fresh(), rules: [{ path: 'dmi.kind', equals: 'packed' }], version: '1.2', description: 'd' };
  const made = await post(send, { 'config.json': { ...config, discoveryGraphName: 'Graph.Later' } });
  t.is(made.status, 201);
  const { size, sha256 } = made.body.packInfo;
  t.like(made.body, { name: config.name, rules: config.rules, discoveryGraphName: 'Graph.Later' });
  t.deepEqual(made.body.packInfo, { version: '1.2', description: 'd', size, sha256 });
  t.is(made.headers.get('location'), `/api/2.0/skus/${made.body.id}`);
  t.deepEqual((await send('GET', `/api/current/skus/${made.body.id}`)).body, made.body);
  await it.until(async () => (await it.engine.nodes.find(node))?.sku === made.body.id);
  const again = await post(send, { 'config.json': config });
  t.is(again.status, 409);
  t.is(again.body.message, 'duplicate name found');
  t.regex(again.body.errors[0].message, new RegExp(`belongs to the SKU ${made.body.id}`));
});

test.serial('a pack is accepted with each content type, without one, and as a file of a form', async (t) => {
  const { send } = await api(t);
  const id = await skuOf(send);
  const raw = await archiveOf({ 'config.json': { version: '1' } });
  const ofCurl = 'application/x-www-form-urlencoded';
  for (const type of ['application/gzip', 'application/x-gzip', 'application/octet-stream', ofCurl, '']) {
    const answer = await send('PUT', `/api/current/skus/${id}/pack`, { raw, headers: { 'content-type': type } });
    t.is(answer.status, 201, type);
    t.is(answer.body.packInfo.size, raw.length);
  }
  const form = new FormData();
  form.append('note', 'x');
  form.append('file', new Blob([raw]), 'pack.tar.gz');
  const formed = await send('PUT', `/api/current/skus/${id}/pack`, { raw: form });
  t.is(formed.status, 201);
  t.is(formed.body.packInfo.size, raw.length);
  const boundary = 'between';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="pack.tar.gz"\r\n\r\n`;
  const untyped = await send('PUT', `/api/current/skus/${id}/pack`, {
    raw: Buffer.concat([Buffer.from(head), raw, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  t.is(untyped.status, 201, 'a file part without a content type');
  t.is(untyped.body.packInfo.size, raw.length);
  const without = new FormData();
  without.append('other', new Blob([raw]), 'pack.tar.gz');
  t.is((await send('PUT', `/api/current/skus/${id}/pack`, { raw: without })).status, 400);
  t.is((await send('PUT', `/api/current/skus/${id}/pack`, { raw, headers: { 'content-type': 'text/x' } })).status, 415);
  t.is((await send('PUT', '/api/current/skus/none/pack', { raw, headers: gzip })).status, 404);
});

test.serial('an upload beyond the limit is rejected while it is read', async (t) => {
  const { send } = await api(t);
  const id = await skuOf(send);
  const raw = Buffer.alloc(LIMIT + 1, 'x');
  const { status, body } = await send('PUT', `/api/current/skus/${id}/pack`, { raw, headers: gzip });
  t.is(status, 413);
  t.is(body.code, 'TOO_LARGE');
  const form = new FormData();
  form.append('file', new Blob([raw]), 'pack.tar.gz');
  t.is((await send('PUT', `/api/current/skus/${id}/pack`, { raw: form })).status, 413);
});

test.serial('a rejected pack changes nothing', async (t) => {
  const { send } = await api(t);
  const id = await skuOf(send);
  const own = graph('Graph.Test.Stays', 'Task.noop');
  await put(send, id, { 'config.json': { workflowRoot: 'w', version: 'good' }, 'w/g.json': own });
  const before = (await send('GET', `/api/current/skus/${id}`)).body;
  const withTasks = (one: unknown) => ({ 'config.json': { taskRoot: 't' }, 't/a.json': one as object });
  const bad: [RegExp, Entries][] = [
    [/no config\.json/, { 'sub/config.json': {} }],
    [/not JSON/, { 'config.json': '{' }],
    [/config\.json/, { 'config.json': '[]' }],
    [/httpStaticRoot is "gone"/, { 'config.json': { httpStaticRoot: 'gone' } }],
    [/leads out/, { 'config.json': { httpStaticRoot: '../x' } }],
    [/absolute path/, { 'config.json': { taskRoot: '/etc' } }],
    [/skuConfig/, { 'config.json': { skuConfig: 5 } }],
    [/t\/a\.json/, withTasks('{')],
    [/t\/a\.json/, withTasks({ injectableName: 'Graph.Wrong' })],
    [/Task\.X/, withTasks({ friendlyName: 'X', injectableName: 'Task.X', implementsTask: 'Task.None' })],
    [/t\/a\.js; .*code/, { 'config.json': { taskRoot: 't' }, 't/a.js': 'process.exit()' }],
    [/Graph\.X/, { 'config.json': { workflowRoot: 'w' }, 'w/a.json': graph('Graph.X', 'Task.None') }],
  ];
  for (const [message, entries] of bad) {
    const { status, body } = await put(send, id, entries);
    t.is(status, 400, String(message));
    t.regex(body.message, message);
  }
  t.is((await send('PUT', `/api/current/skus/${id}/pack`, { raw: Buffer.from('no gzip'), headers: gzip })).status, 400);
  t.deepEqual((await send('GET', `/api/current/skus/${id}`)).body, before);
  t.is((await send('GET', `/api/current/workflows/graphs/Graph.Test.Stays::${id}`)).status, 200);
  for (const config of [{}, { name: 'x' }, { name: 'x', rules: [{ path: 'a', regex: '(' }] }, { name: 1, rules }]) {
    t.is((await post(send, { 'config.json': config })).status, 400, JSON.stringify(config));
  }
});

test.serial('a rejected pack is answered with all faults of all its files', async (t) => {
  const { send } = await api(t);
  const id = await skuOf(send);
  const inline = { ...task('x', 'Task.Inline'), implementsTask: 'Task.None' };
  const { status, body } = await put(send, id, {
    'config.json': { workflowRoot: 'w', taskRoot: 't' },
    't/good.json': task('fine'),
    't/bad.json': { ...task('x', 'Task.Bad'), implementsTask: 'Task.None' },
    't/broken.json': '{',
    'w/one.json': graph('Graph.One', 'Task.None'),
    'w/two.json': { ...graph('Graph.Two'), tasks: [{ label: 'a', taskDefinition: inline, waitOn: { b: 'failed' } }] },
    'w/good.json': graph('Graph.Good'),
  });
  t.is(status, 400);
  t.regex(body.message, /^The pack's t\/bad\.json \(Task\.Bad\): .*; and 3 more$/);
  t.deepEqual(body.errors.map(({ path }: { path: string }) => path).sort(), [
    't/bad.json#implementsTask',
    't/broken.json',
    'w/one.json#tasks.0.taskName',
    'w/two.json#tasks.0.taskDefinition.implementsTask',
    'w/two.json#tasks.0.waitOn.b',
  ]);
});

test.serial(
  'graphs and tasks of a pack override their names on nodes of its SKU, until the pack is removed',
  async (t) => {
    const { send } = await api(t);
    await it.engine.library.putTask(task('common'));
    await it.engine.library.putGraph(graph('Graph.Test.Say'));
    await it.engine.library.putGraph(graph('Graph.Test.Other'));
    const id = await skuOf(send, [{ path: 'dmi.kind', equals: 'says' }]);
    const { id: plain } = await it.node();
    const { id: ours } = await it.node();
    await it.engine.catalogs.add(ours, 'dmi', { kind: 'says' });
    const said = async (name: string, node: string) => {
      const before = (await it.lines('ledger')).length;
      const row = await it.finished((await it.launch(name, {}, node)).id);
      t.is(row.status, 'succeeded');
      return (await it.lines('ledger')).slice(before);
    };
    t.deepEqual(await said('Graph.Test.Say', ours), ['common']);
    const pack = {
      'config.json': { workflowRoot: 'workflows', taskRoot: 'tasks', skuConfig: { word: 'packed' } },
      'tasks/say.json': task('{{ env.word }} {{ sku.word }}'),
      'workflows/say.json': graph('Graph.Test.Say'),
      'workflows/more.json': graph('Graph.Test.More'),
    };
    t.is((await put(send, id, pack)).status, 201);
    t.is((await send('GET', `/api/current/workflows/graphs/Graph.Test.Say::${id}`)).status, 200);
    t.is((await send('GET', `/api/current/workflows/tasks/Task.Test.Say::${id}`)).status, 200);
    t.deepEqual(await said('Graph.Test.Say', ours), ['packed packed']);
    t.deepEqual(await said('Graph.Test.Other', ours), ['packed packed'], 'a graph outside of the pack finds its task');
    t.deepEqual(await said('Graph.Test.More', ours), ['packed packed']);
    t.deepEqual(await said('Graph.Test.Say', plain), ['common']);
    await t.throwsAsync(() => it.launch('Graph.Test.More', {}, plain), { code: 'NOT_FOUND' });
    const graphs = `/api/current/workflows/graphs`;
    t.is((await send('DELETE', `${graphs}/Graph.Test.Say::${id}`)).status, 409);
    const taken = { ...graph('Graph.Test.Say'), injectableName: `Graph.Test.Say::${id}` };
    t.is((await send('PUT', graphs, { body: taken })).status, 409);
    for (let times = 0; times < 2; times += 1) {
      t.is((await send('DELETE', `/api/current/skus/${id}/pack`)).status, 204);
      t.deepEqual(await said('Graph.Test.Say', ours), ['common']);
      t.deepEqual(await said('Graph.Test.Other', ours), ['common']);
      t.is((await send('GET', `${graphs}/Graph.Test.Say::${id}`)).status, 404);
    }
    t.false('packInfo' in (await send('GET', `/api/current/skus/${id}`)).body);
  },
);

test.serial('a workflow ends on the version of the pack that it started with', async (t) => {
  const { send } = await api(t);
  const id = await skuOf(send, [{ path: 'dmi.kind', equals: 'pins' }]);
  const { id: node } = await it.node();
  await it.engine.catalogs.add(node, 'dmi', { kind: 'pins' });
  const waiting = (line: string) => ({
    'config.json': { workflowRoot: 'w', taskRoot: 't' },
    't/say.json': task(line, 'Task.Test.Pinned'),
    'w/g.json': {
      friendlyName: 'G',
      injectableName: 'Graph.Test.Pinned',
      tasks: [
        { label: 'wait', taskName: 'Task.Wait.Notification' },
        { label: 'say', taskName: 'Task.Test.Pinned', waitOn: { wait: 'succeeded' } },
      ],
    },
  });
  t.is((await put(send, id, waiting('old'))).status, 201);
  const { id: workflow, definitionHash } = await it.launch('Graph.Test.Pinned', {}, node);
  await it.reached(workflow, 'wait', 'waiting');
  t.is((await put(send, id, waiting('new'))).status, 201);
  t.is((await send('DELETE', `/api/current/skus/${id}`)).status, 204);
  await it.engine.notifications.notify({}, node);
  const row = await it.finished(workflow);
  t.is(row.status, 'succeeded');
  t.is(row.definitionHash, definitionHash);
  t.is((await it.lines('ledger')).at(-1), 'old');
});

test.serial('one of several concurrent packs for one SKU is stored whole, and the others leave nothing', async (t) => {
  const { send } = await api(t);
  const id = await skuOf(send);
  const versions = ['a', 'b', 'c'];
  const answers = await Promise.all(
    versions.map((version) =>
      put(send, id, {
        'config.json': { version, workflowRoot: 'w' },
        'w/g.json': { ...graph('Graph.Test.Race', 'Task.noop'), friendlyName: version },
      }),
    ),
  );
  t.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  const { version } = (await send('GET', `/api/current/skus/${id}`)).body.packInfo;
  const { body } = await send('GET', `/api/current/workflows/graphs/Graph.Test.Race::${id}`);
  t.is(body.friendlyName, version);
});

test.serial(
  'where the configuration permits it a pack brings code with its imports, which a later start also loads',
  async (t) => {
    const own = await openEngine({ packCode: true });
    t.teardown(() => own.close());
    const { send } = await serve(t, open, own.engine);
    const id = await skuOf(send, [{ path: 'dmi.kind', equals: 'codes' }]);
    const { id: node } = await own.node();
    await own.engine.catalogs.add(node, 'dmi', { kind: 'codes' });
    const code = (run: string) => `import { defineTask, Type } from 'nodewright/define';
    import { word } from './_word.ts';
    export default defineTask({ injectableName: 'Task.Test.Code', friendlyName: 'C', recovery: 'idempotent',
      optionsSchema: Type.Object({}), run: async () => { ${run} } });`;
    const pack = (run: string) => ({
      'config.json': { taskRoot: 't', workflowRoot: 'w' },
      't/code.ts': code(run),
      't/_word.ts': "export const word: string = 'spoken';",
      'w/g.json': graph('Graph.Test.Code', 'Task.Test.Code'),
    });
    t.is((await put(send, id, pack('return { word };'))).status, 201);
    const output = async () =>
      (await own.finished((await own.launch('Graph.Test.Code', {}, node)).id)).tasks[0]?.output;
    t.deepEqual(await output(), { word: 'spoken' });
    t.is((await send('GET', `/api/current/workflows/tasks/Task.Test.Code::${id}`)).body.recovery, 'idempotent');
    const broken = await put(send, id, pack('} syntax'));
    t.is(broken.status, 400);
    t.regex(broken.body.message, /t\/code\.ts/);
    t.is(
      (await put(send, id, { ...pack('return { word };'), 't/_word.ts': 'throw new Error("at load");' })).status,
      400,
    );
    t.deepEqual(await output(), { word: 'spoken' });
    await own.engine.close();
    await own.open();
    t.deepEqual(await output(), { word: 'spoken' });
  },
);

test.serial('a drawn machine in a pack has the name of its path, and runs with the tasks of the pack', async (t) => {
  const own = await openEngine({ packCode: true });
  t.teardown(() => own.close());
  const { send } = await serve(t, open, own.engine);
  const { body: sku } = await send('POST', '/api/current/skus', { body: { name: fresh(), rules } });
  const machine = `import { setup, fromPromise } from 'xstate';
export const machine = setup({ actors: { say: fromPromise(async () => {}) } }).createMachine({
  id: 'Burn in', initial: 'a', meta: { tasks: { say: 'Task.Test.Say' } },
  states: { a: { invoke: { src: 'say', onDone: { target: '#Burn in.z' } } }, z: { type: 'final' } } });`;
  const say = { ...task('drawn'), options: { line: 'drawn', ledger: own.path('ledger') } };
  const config = { workflowRoot: 'w', taskRoot: 't' };
  const entries = { 'config.json': config, 't/say.json': say, 'w/rack/burn-in.js': machine };
  t.is((await put(send, sku.id, entries)).status, 201);
  const { id: node } = await own.node();
  await own.engine.catalogs.add(node, 'dmi', { kind: 'fast' });
  await own.until(async () => (await own.engine.nodes.find(node))?.sku === sku.id);
  const { id } = await own.launch('Graph.Rack.BurnIn', {}, node);
  t.is((await own.finished(id)).status, 'succeeded');
  t.deepEqual(await own.lines('ledger'), ['drawn']);
});
