import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { rangeOf } from '../../api/http/content.ts';
import { archiveOf, type Entries } from '../support/data/archive.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, type Send, serve, southbound } from '../support/servers/api.ts';

let it: TestEngine;
test.before(async () => {
  it = await openEngine({ env: { site: 'lab' }, servicePublicIp: '10.0.0.1', packLimit: 4 * 1_024 * 1_024 });
});
test.after.always(() => it?.close());

const open = { ...northbound, authEnabled: false };

async function endpoints(t: ExecutionContext) {
  const north = await serve(t, open, it.engine);
  const south = await serve(t, southbound, it.engine);
  return { north: north.send, south: south.send, port: south.port };
}

const plain = { 'content-type': 'text/plain' };
const keep = (send: Send, path: string, raw: string | Buffer) =>
  send('PUT', `/api/current${path}`, { raw, headers: plain });

/** A node of a SKU with this pack. */
async function nodeWith(send: Send, kind: string, entries: Entries): Promise<{ node: string; sku: string }> {
  const { id: node } = await it.node();
  const rules = [{ path: 'dmi.kind', equals: kind }];
  const { body } = await send('POST', '/api/current/skus', { body: { name: kind, rules } });
  await it.engine.catalogs.add(node, 'dmi', { kind });
  const raw = await archiveOf(entries);
  const put = await send('PUT', `/api/current/skus/${body.id}/pack`, { raw, headers: { 'content-type': '' } });
  if (put.status !== 201) throw new Error(`the pack gave ${put.status}: ${put.body.message}`);
  return { node, sku: body.id };
}

test.serial('a part of a file, or a compressed one, does not become the file', async (t) => {
  const { north } = await endpoints(t);
  const path = '/api/current/files/whole';
  t.is((await keep(north, '/files/whole', 'the whole file')).status, 201);
  const put = (headers: Record<string, string>) =>
    north('PUT', path, { raw: 'file', headers: { ...plain, ...headers } });
  t.is((await put({ 'content-range': 'bytes 10-13/14' })).status, 400);
  t.is((await put({ 'content-encoding': 'gzip' })).status, 415);
  t.is((await north('GET', path)).body, 'the whole file');
  t.is((await put({ 'content-encoding': 'identity' })).status, 201);
});

test.serial('a write with a condition that the stored file does not satisfy changes nothing', async (t) => {
  const { north } = await endpoints(t);
  for (const path of ['/api/current/files/shared', '/api/current/profiles/library/linux.ipxe']) {
    const etag = async () => (await north('GET', path)).headers.get('etag') ?? '';
    const put = async (raw: string, headers: Record<string, string>) =>
      (await north('PUT', path, { raw, headers: { ...plain, ...headers } })).status;
    const remove = async (version: string) =>
      (await north('DELETE', path, { headers: { 'if-match': version } })).status;
    await put('one', {});
    const first = await etag();
    t.is(await put('two', { 'if-match': first }), 201);
    const second = await etag();
    t.is(await put('three', { 'if-match': first }), 412);
    t.is(await put('three', { 'if-none-match': '*' }), 412);
    t.is(await remove(first), 412);
    t.is((await north('GET', path)).body, 'two');
    const puts = await Promise.all(['3', '4', '5', '6'].map((text) => put(text, { 'if-match': second })));
    t.deepEqual(puts.sort(), [201, 412, 412, 412]);
    t.is(await remove(await etag()), 204);
  }
  const fresh = (headers: Record<string, string>) =>
    north('PUT', '/api/current/files/fresh', { raw: 'new', headers: { ...plain, ...headers } });
  const { status, body } = await fresh({ 'if-match': '*' });
  t.is(status, 412);
  t.is(body.code, 'PRECONDITION_FAILED');
  t.is((await fresh({ 'if-none-match': '*' })).status, 201);
});

test.serial('templates, profiles and files are put, listed, read, replaced and removed', async (t) => {
  const { north } = await endpoints(t);
  for (const [list, record, content] of [
    ['/templates/metadata', '/templates/metadata/a.b', '/templates/library/a.b'],
    ['/profiles/metadata', '/profiles/metadata/a.b', '/profiles/library/a.b'],
    ['/files', '/files/metadata/dir%2Fa.b', '/files/dir%2Fa.b'],
  ] as const) {
    const name = decodeURIComponent(record.split('/').at(-1) ?? '');
    t.is((await north('GET', `/api/current${record}`)).status, 404);
    const made = await keep(north, content, 'first');
    t.is(made.status, 201);
    t.is(made.headers.get('location'), `/api/2.0${record}`);
    const sha256 = createHash('sha256').update('first').digest('hex');
    const md5 = createHash('md5').update('first').digest('hex');
    t.like(made.body, { name, size: 5, md5, sha256 });
    t.deepEqual((await north('GET', `/api/2.0${record}`)).body, made.body);
    t.deepEqual((await north('GET', `/api/2.0${list}?name=${encodeURIComponent(name)}`)).body, [made.body]);
    t.is((await north('GET', `/api/current${content}`)).body, 'first');
    const again = await keep(north, content, 'the second');
    t.is(again.status, 201);
    t.like(again.body, { createdAt: made.body.createdAt, size: 10 });
    t.is((await north('GET', `/api/current${content}`)).body, 'the second');
    t.is((await north('DELETE', `/api/current${content}`)).status, 204);
    t.is((await north('DELETE', `/api/current${content}`)).status, 404);
    t.is((await north('GET', `/api/current${content}`)).status, 404);
  }
});

test.serial('names that lead to other folders, and names that are too long, are rejected', async (t) => {
  const { north } = await endpoints(t);
  for (const name of ['%2e%2e%2fx', 'a%2f..%2fb', 'a%00', 'a%5cb', '%2fetc', 'x'.repeat(600)]) {
    t.is((await keep(north, `/files/${name}`, 'x')).status, 400, name);
  }
  t.is((await keep(north, '/templates/library/long', 'x'.repeat(1_100_000))).status, 413);
  t.is((await keep(north, '/files/long', Buffer.alloc(4 * 1_024 * 1_024 + 1))).status, 413);
  t.is((await north('GET', '/api/current/files/metadata/long')).status, 404);
});

test.serial('a template is rendered with the variables of its node', async (t) => {
  const { north, south } = await endpoints(t);
  const { id } = await it.node();
  await it.engine.lookups.create({ macAddress: '00:11:22:33:44:AA', ipAddress: '10.1.1.9', node: id });
  const { id: workflow } = await it.launch('Graph.Demo.InstallOs', {}, id);
  const line =
    '<%= server %>:<%= port %> <%= macaddress %> <%= ipaddress %> <%= env.site %> <%= api.base %> <%= file.server %> ' +
    '<%= node.name %> <%= nodeId %> <%= typeof context %> <%- "<b>" %><%= "<" %>';
  await keep(north, '/templates/library/boot.ipxe', line);
  await keep(north, '/profiles/library/boot.ipxe', line);
  const { name } = (await it.engine.nodes.find(id)) ?? {};
  const base = 'http://10.0.0.1:9080';
  const wanted = `10.0.0.1:9080 00:11:22:33:44:aa 10.1.1.9 lab ${base}/api/current ${base} ${name} ${id} object <b>&lt;`;
  for (const kind of ['templates', 'profiles']) {
    const { status, body, headers } = await south('GET', `/api/current/${kind}/boot.ipxe?nodeId=${id}`);
    t.is(status, 200);
    t.is(body, wanted);
    t.is(headers.get('content-type'), 'text/plain; charset=utf-8');
    t.is((await south('GET', `/api/2.0/${kind}/none?nodeId=${id}`)).status, 404);
    t.is((await south('GET', `/api/2.0/${kind}/boot.ipxe?nodeId=none`)).status, 404);
  }
  t.is(await it.engine.files.profile('boot.ipxe', id, { env: { site: 'other' } }), wanted.replace('lab', 'other'));
  await it.engine.control.cancel(workflow);
});

test.serial('a template that fails to render, or does not end, is reported and delays no other', async (t) => {
  const { north, south } = await endpoints(t);
  const bad: [string, string, RegExp][] = [
    ['unknown', 'a\n<%= nothing %>', /unknown does not render: line 2: 'nothing' is not defined/],
    ['broken', '<% if ( { %>', /broken does not render/],
    ['endless', '<% for (;;) {} %>', /it takes too long/],
    ['large', '<%- "x".repeat(5e6) %>', /longer than/],
    ['curious', '<%= this.constructor.constructor("return process")() %>', /process is not defined|'process'/],
    ['including', '<%- include("/etc/passwd") %>', /include is not available/],
  ];
  for (const [name, line] of bad) await keep(north, `/templates/library/${name}`, line);
  await keep(north, '/templates/library/good', 'good <%= server %>');
  const asked = bad.map(async ([name, , message]) => {
    const { status, body } = await south('GET', `/api/current/templates/${name}`);
    t.is(status, 400, name);
    t.regex(body.message, message);
  });
  t.is((await south('GET', '/api/current/templates/good')).body, 'good 10.0.0.1');
  await Promise.all(asked);
  t.is((await south('GET', '/api/current/templates/good')).body, 'good 10.0.0.1');
});

test.serial('a node gets the files of its SKU first, then the global ones', async (t) => {
  const { north, south, port } = await endpoints(t);
  const { node, sku } = await nodeWith(north, 'served', {
    'config.json': {
      httpStaticRoot: 'static',
      httpTemplateRoot: 'templates',
      httpProfileRoot: 'profiles',
      skuConfig: { a: 1 },
    },
    'static/a/b.txt': 'of the SKU',
    'templates/t': 'SKU <%= sku.name %> <%= sku.a %> <%= env.a %>',
    'profiles/p': 'SKU',
    'secret.txt': 'not served',
  });
  const { id: other } = await it.node();
  await keep(north, '/files/a%2Fb.txt', 'for all');
  await keep(north, '/files/common.txt', 'common');
  await keep(north, '/templates/library/t', 'all');
  await keep(north, '/profiles/library/p', 'all');
  const got = async (path: string, id = node) => (await south('GET', `${path}?nodeId=${id}`)).body;
  t.is(await got('/a/b.txt'), 'of the SKU');
  t.is(await got('/a/b.txt', other), 'for all');
  t.is(await got('/common.txt'), 'common');
  t.is(await got('/api/current/templates/t'), 'SKU served 1 1');
  t.is(await got('/api/current/templates/t', other), 'all');
  t.is(await got('/api/current/profiles/p'), 'SKU');
  t.is((await south('GET', '/a/b.txt')).body, 'for all', 'an unknown sender');
  t.is((await south('GET', '/a/b.txt?nodeId=none')).status, 404);
  const paths = [
    '/secret.txt',
    '/config.json',
    '/static/a/b.txt',
    '/../secret.txt',
    '/a/../../secret.txt',
    '/a',
    '/',
    '/a/',
  ];
  const coded = [
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%252e%252e%252fsecret.txt',
    '/a%00',
    '/a%5c..%5cb',
    '/%',
    '//a/b.txt',
  ];
  for (const path of [...paths, ...coded]) t.is((await raw(port, path, node)).status, 404, path);
  const lookup = await it.engine.lookups.create({ macAddress: '00:11:22:33:44:BB', ipAddress: '127.0.0.1', node });
  t.is((await south('GET', '/a/b.txt')).body, 'of the SKU', 'the address identifies the sender');
  await it.engine.lookups.remove(lookup.id);
  t.is((await north('GET', '/a/b.txt')).status, 404, 'only nodes get files at the root');
  t.is((await south('POST', '/a/b.txt', { body: {} })).status, 404);
  await north('DELETE', `/api/current/skus/${sku}/pack`);
  t.is(await got('/a/b.txt'), 'for all');
  t.is(await got('/api/current/templates/t'), 'all');
});

test.serial(
  "a user's file for one SKU is served to nodes of that SKU before the pack's file and all others",
  async (t) => {
    const { north, south } = await endpoints(t);
    const pack = { 'config.json': { httpTemplateRoot: 'templates' }, 'templates/scoped': 'pack' };
    const { node, sku } = await nodeWith(north, 'scoped', pack);
    const { id: other } = await it.node();
    for (const [path, southbound] of [
      ['/templates/library/scoped', '/api/current/templates/scoped'],
      ['/profiles/library/scoped', '/api/current/profiles/scoped'],
      ['/files/scoped', '/api/current/files/scoped'],
    ] as const) {
      const record = path.replace('library', 'metadata').replace('/files/', '/files/metadata/');
      const own = `${path}?scope=${sku}`;
      t.is((await keep(north, path, 'all')).body.scope, 'global');
      const made = await keep(north, own, 'own');
      t.is(made.body.scope, sku);
      t.is((await north('GET', made.headers.get('location') ?? '')).body.scope, sku);
      t.is((await north('GET', `/api/current${own}`)).body, 'own', path);
      t.is((await north('GET', `/api/current${path}?scope=global`)).body, 'all');
      const got = async (id: string) => (await south('GET', `${southbound}?nodeId=${id}`)).body;
      if (!path.startsWith('/files')) {
        t.is(await got(node), 'own', path);
        t.is(await got(other), 'all', path);
      }
      t.is((await keep(north, `${path}?scope=none`, 'x')).status, 400);
      t.is((await north('DELETE', `/api/current${own}`)).status, 204);
      const isPacked = path.startsWith('/templates');
      t.is((await north('DELETE', `/api/current${own}`)).status, isPacked ? 409 : 404);
      if (!path.startsWith('/files')) t.is(await got(node), isPacked ? 'pack' : 'all');
      t.is((await north('GET', `/api/current${record}?scope=${sku}`)).status, isPacked ? 200 : 404);
    }
  },
);

test.serial(
  'a template and a profile of a pack are read by the scope of its SKU, until the pack is removed',
  async (t) => {
    const { north } = await endpoints(t);
    const roots = { httpTemplateRoot: 'templates', httpProfileRoot: 'p', httpStaticRoot: 's' };
    const { sku } = await nodeWith(north, 'read', {
      'config.json': roots,
      'templates/one': 'of the pack',
      'p/two': '',
      's/f': '',
    });
    const of = (path: string) => north('GET', `/api/2.0${path}?scope=${sku}`);
    const md5 = createHash('md5').update('of the pack').digest('hex');
    t.like((await of('/templates/metadata/one')).body, { name: 'one', scope: sku, size: 11, md5 });
    t.is((await of('/templates/library/one')).body, 'of the pack');
    t.like((await of('/profiles/metadata/two')).body, { name: 'two', scope: sku, size: 0 });
    for (const path of ['/templates/metadata/two', '/files/metadata/f', '/templates/metadata/..%2Fconfig.json'])
      t.is((await of(path)).status, 404, path);
    t.is((await north('GET', '/api/2.0/templates/metadata/one')).status, 404);
    t.is((await north('GET', '/api/2.0/templates/metadata/one?scope=none')).status, 404);
    await north('DELETE', `/api/current/skus/${sku}/pack`);
    t.is((await of('/templates/metadata/one')).status, 404);
  },
);

test.serial('files are listed by their scope', async (t) => {
  const { north } = await endpoints(t);
  const { body: sku } = await north('POST', '/api/current/skus', {
    body: { name: 'by scope', rules: [{ path: 'dmi.kind', equals: 'by scope' }] },
  });
  await keep(north, '/templates/library/by-scope', 'all');
  await keep(north, `/templates/library/by-scope?scope=${sku.id}`, 'own');
  const listed = async (scope: string) =>
    (await north('GET', `/api/current/templates/metadata?name=by-scope&scope=${scope}`)).body.map(
      (one: { scope: string }) => one.scope,
    );
  t.deepEqual(await listed(sku.id), [sku.id]);
  t.deepEqual(await listed('global'), ['global']);
  t.deepEqual((await listed(`global,${sku.id}`)).sort(), ['global', sku.id].sort());
});

/** Sent unchanged: fetch would normalize the path. */
async function raw(port: number, path: string, node: string): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, path: `${path}?nodeId=${node}`, headers: { connection: 'close' } }, (response) => {
      void text(response).then(() => resolve({ status: response.statusCode ?? 0 }), reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}

test.serial('a file is sent as a whole, in ranges, or not at all when the client has it', async (t) => {
  const { north, south } = await endpoints(t);
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, at) => at % 10).join(''));
  const { node } = await nodeWith(north, 'ranges', { 'config.json': { httpStaticRoot: '.' }, 'big.txt': bytes });
  await keep(north, '/files/big-too.txt', bytes);
  for (const path of [`/big.txt?nodeId=${node}`, '/big-too.txt', '/api/current/files/big-too.txt']) {
    const get = (headers: Record<string, string>, method = 'GET') => south(method, path, { headers });
    const all = await get({});
    t.is(all.status, 200);
    t.is(all.body, bytes.toString());
    t.is(all.headers.get('content-length'), String(bytes.length));
    t.is(all.headers.get('accept-ranges'), 'bytes');
    const etag = all.headers.get('etag') ?? '';
    t.is(etag, `"${createHash('sha256').update(bytes).digest('hex')}"`);
    const head = await get({}, 'HEAD');
    t.is(head.status, 200);
    t.is(head.body, '');
    t.is(head.headers.get('content-length'), String(bytes.length));
    const part = await get({ range: 'bytes=5-14' });
    t.is(part.status, 206);
    t.is(part.body, '5678901234');
    t.is(part.headers.get('content-range'), `bytes 5-14/${bytes.length}`);
    t.is((await get({ range: 'bytes=-3' })).body, '789');
    t.is((await get({ range: `bytes=${bytes.length - 2}-` })).body, '89');
    const beyond = await get({ range: `bytes=${bytes.length}-` });
    t.is(beyond.status, 416);
    t.is(beyond.headers.get('content-range'), `bytes */${bytes.length}`);
    t.is((await get({ 'if-none-match': etag })).status, 304);
    t.is((await get({ 'if-none-match': '"other"' })).status, 200);
    t.is((await get({ range: 'bytes=0-0', 'if-range': etag })).status, 206);
    t.is((await get({ range: 'bytes=0-0', 'if-range': '"other"' })).status, 200);
  }
});

test.serial('a range is within the file, whatever range is requested', (t) => {
  const header = fc.oneof(
    fc.tuple(fc.nat(200), fc.nat(200)).map(([from, to]) => `bytes=${from}-${to}`),
    fc.nat(200).map((from) => `bytes=${from}-`),
    fc.nat(200).map((last) => `bytes=-${last}`),
    fc.constantFrom('bytes=0-1,3-4', 'lines=1-2', 'bytes=-', 'bytes=a-b', `bytes=${'9'.repeat(400)}-`),
    fc.string(),
  );
  fc.assert(
    fc.property(header, fc.nat(150), (said, size) => {
      const range = rangeOf(said, size);
      return !range || (range.start >= 0 && range.start <= range.end && range.end < size);
    }),
  );
  t.pass();
});
