/** The sender of a body is known, and its limits are, before it is read. */
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { NODES_PATH } from '../support/data/api-paths.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { type Api, northbound, openApi, southbound } from '../support/servers/api.ts';

const KIB = 1_024;

/** A request whose body is never sent. @returns the first line of the answer */
async function withoutBody(
  t: ExecutionContext,
  port: number,
  path: string,
  length: number,
  token = '',
): Promise<string> {
  const socket = begun(t, port, path, length, token);
  const [part] = await once(socket, 'data');
  return String(part).split('\r\n')[0] ?? '';
}

function begun(t: ExecutionContext, port: number, path: string, length: number, token: string): Socket {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  const type = 'content-type: application/json\r\n';
  const own = token === '' ? '' : `authorization: JWT ${token}\r\n`;
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${type}${own}content-length: ${length}\r\n\r\n`);
  return socket;
}

/** With the limit that daemons have by default. */
const opened = async (t: ExecutionContext): Promise<Api> =>
  openApi(t, northbound, await fakeEngine({ bodyLimit: 10 * KIB * KIB }));

const wide = (values: number) => ({ type: 'rack', name: 'r', config: { a: Array(values - 5).fill(0) } });
const post = ({ send }: Api, body: unknown, token = '') => send('POST', NODES_PATH, { body, token });

test('a sender without rights is rejected before a byte of its body is read', async (t) => {
  const api = await opened(t);
  const [token, reader] = [await api.as('Administrator'), await api.as('ReadOnly')];
  const status = (length: number, who?: string) => withoutBody(t, api.port, NODES_PATH, length, who);
  t.regex(await status(200 * KIB, 'invalid'), / 401 /);
  t.regex(await status(200 * KIB, reader), / 403 /);
  t.regex(await withoutBody(t, api.port, '/api/current/lookups', 300 * KIB, token), / 413 /);
  t.regex(await status(1_100 * KIB, token), / 413 /);
  t.regex(await status(300 * KIB), / 413 /);
  t.regex(await withoutBody(t, api.port, '/login', 17 * KIB), / 413 /);
});

test('a token in the body is found in up to 256 KiB', async (t) => {
  const api = await opened(t);
  const auth_token = await api.as('Administrator');
  const node = (name: string) => ({ auth_token, type: 'rack', name });
  const { status, body } = await post(api, node('x'.repeat(200 * KIB)));
  t.is(status, 201);
  t.is(body.auth_token, undefined);
  t.is((await post(api, { type: 'rack', name: 'r' })).status, 401);
  const path = '/api/current/workflows';
  t.is((await api.send('POST', path, { body: { ...node('x'), name: 'x'.repeat(300 * KIB) } })).status, 413);
});

test('a body has at most 20,000 values and a catalog 200,000, compressed or not', async (t) => {
  const api = await opened(t);
  const token = await api.as('Administrator');
  const { body: node } = await post(api, wide(20_000), token);
  t.is(typeof node.id, 'string');
  const { status, body } = await post(api, wide(20_001), token);
  t.is(status, 413);
  t.like(body, { code: 'TOO_LARGE', message: 'The body has more than 20000 values; send less' });
  const raw = gzipSync(JSON.stringify(wide(20_001)));
  t.is((await api.send('POST', NODES_PATH, { token, raw, headers: { 'content-encoding': 'gzip' } })).status, 413);
  const catalog = (values: number) =>
    api.send('POST', `${NODES_PATH}/${node.id}/catalogs`, {
      token,
      body: { source: 's', data: Array(values - 3).fill(0) },
    });
  t.is((await catalog(200_000)).status, 201);
  t.is((await catalog(200_001)).status, 413);
});

test('a declared length holds nothing before its bytes arrive', async (t) => {
  const api = await opened(t);
  const token = await api.as('Administrator');
  const { body: node } = await post(api, { type: 'rack', name: 'r' }, token);
  const path = `${NODES_PATH}/${node.id}/catalogs`;
  for (let n = 0; n < 12; n += 1) begun(t, api.port, path, api.engine.config.bodyLimit, token);
  t.is((await api.send('POST', path, { token, body: { source: 's', data: ['x'.repeat(8 * KIB * KIB)] } })).status, 201);
});

test('an answer reaches a sender that reads it after its last byte, on a connection that is to be closed', async (t) => {
  const api = await opened(t);
  const token = await api.as('Administrator');
  const { body: node } = await post(api, { type: 'rack', name: 'r' }, token);
  // More than the buffers of a connection hold.
  const length = 4 * KIB * KIB;
  const path = `${NODES_PATH}/${node.id}/catalogs`;
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: JWT ${token}\r\ncontent-type: application/json\r\nconnection: close\r\n`;
  const answers = Array.from({ length: 20 }, async () => {
    const socket = new Socket();
    t.teardown(() => socket.destroy());
    // A reset by the daemon discards the bytes that are not read yet.
    socket.pause().connect(api.port, '127.0.0.1').write(`${head}content-length: ${length}\r\n\r\n`);
    await new Promise<unknown>((resolve) =>
      socket.once('error', resolve).end(Buffer.alloc(length, '['), () => resolve(0)),
    );
    const parts: Buffer[] = [];
    for await (const part of socket) parts.push(part);
    return Buffer.concat(parts).toString();
  });
  for (const answer of await Promise.all(answers)) t.regex(answer, /^HTTP\/1.1 4(00|29) [\s\S]*"message":/i);
});

test('the bodies of one user are limited, and others are not kept waiting', async (t) => {
  const api = await opened(t);
  const [greedy, other] = [await api.as('Administrator', 'greedy'), await api.as('Administrator', 'other')];
  const { body: node } = await post(api, { type: 'rack', name: 'r' }, other);
  const path = `${NODES_PATH}/${node.id}/catalogs`;
  const length = api.engine.config.bodyLimit;
  const sockets = Array.from({ length: 4 }, () => begun(t, api.port, path, length, greedy));
  for (const socket of sockets) socket.write(Buffer.alloc(length - 1, ' '));
  const over = sockets.map((socket) => once(socket, 'data'));
  const [part] = await Promise.race(over);
  t.regex(String(part), / 429 [\s\S]*retry-after: 2\r\n[\s\S]*bodies of the user greedy/i);
  t.is((await api.send('POST', path, { body: { source: 's', data: [1] }, token: other })).status, 201);
  for (const socket of sockets) socket.destroy();
});

test('an object of a body has at most 20,000 keys, in a catalog too', async (t) => {
  const api = await opened(t);
  const token = await api.as('Administrator');
  const { body: node } = await post(api, { type: 'rack', name: 'r' }, token);
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 0]));
  const catalog = (data: unknown) =>
    api.send('POST', `${NODES_PATH}/${node.id}/catalogs`, { token, body: { source: 's', data } });
  const { status, body } = await catalog([keys(20_000), keys(20_000)]);
  t.is(status, 201, JSON.stringify(body).slice(0, 500));
  t.like(await catalog({ inner: keys(20_001) }), { status: 413, body: { code: 'TOO_LARGE' } });
});

test('a compressed body is limited by what it expands to', async (t) => {
  const api = await openApi(t, southbound);
  const raw = gzipSync(JSON.stringify({ text: 'x'.repeat(100 * KIB) }));
  const path = '/api/current/notification';
  t.is((await api.send('POST', path, { raw, headers: { 'content-encoding': 'gzip' } })).status, 413);
});

test('a byte order mark is no part of the body', async (t) => {
  const api = await openApi(t, { ...northbound, authEnabled: false });
  t.is((await api.send('POST', NODES_PATH, { raw: '\ufeff{"type":"rack","name":"r"}' })).status, 201);
  t.is((await api.send('POST', NODES_PATH, { raw: '{"\\u005f_proto__":{},"type":"rack","name":"r"}' })).status, 400);
});

test('a text is the same body in any encoding, whichever parser gets it, and so is a defect', async (t) => {
  const api = await openApi(t, { ...northbound, authEnabled: false });
  const answered = async (raw: string | Buffer, headers: Record<string, string> = {}) => {
    const { status, body } = await api.send('POST', NODES_PATH, { raw, headers });
    const { id: _, createdAt: __, updatedAt: ___, requestId: ____, ...rest } = body;
    return { status, rest };
  };
  const node = fc.dictionary(fc.string(), fc.jsonValue()).map((config) => ({ type: 'rack', name: 'r', config }));
  const whole = node.map((body) => JSON.stringify(body));
  const cut = fc.tuple(whole, fc.double({ min: 0, max: 1, noNaN: true }));
  const texts = fc.oneof(
    whole,
    cut.map(([text, part]) => text.slice(0, Math.ceil(part * text.length))),
    fc.constantFrom(' {}', '{}}', '[]', '7', '{"__proto__":{}}', '{"type":"rack","name":"__proto__"}', '{"a":\t1,}'),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const compressed = await answered(gzipSync(text), { 'content-encoding': 'gzip' });
      // Without a byte there is no body.
      if (text !== '') t.deepEqual(await answered(text), compressed);
    }),
    { numRuns: 200 },
  );
});
