import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as later } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { openEndpoint, timeLimits } from '../../api/endpoint/server.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { folder } from '../support/ava/folder.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound, openApi, PASSWORD, southbound } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };

test('an unknown path is 404 and a wrong method 405 with Allow', async (t) => {
  const { send } = await openApi(t, open);
  const { status, body } = await send('GET', '/api/current/nothing');
  t.is(status, 404);
  t.like(body, { code: 'NOT_FOUND', status: 404 });
  for (const [method, path, allow] of [
    ['PUT', '/api/current/nodes', 'POST, GET, HEAD'],
    ['DELETE', '/api/2.0/workflows/graphs', 'GET, HEAD, PUT'],
    ['GET', '/login', 'POST, DELETE'],
    ['OPTIONS', '/healthz', 'GET, HEAD'],
  ] as const) {
    const rejected = await send(method, path);
    t.is(rejected.status, 405, path);
    t.is(rejected.headers.get('allow'), allow);
  }
});

test('a body that is not a JSON object is 400, one of another type 415, a long one 413', async (t) => {
  const { send, engine } = await openApi(t, open);
  const post = (raw: string, headers = {}) => send('POST', '/api/current/nodes', { raw, headers });
  for (const raw of ['{', '[1]', '5', '"x"', '{"__proto__": {}}']) t.is((await post(raw)).status, 400, raw);
  t.is((await post('{}', { 'content-type': 'text/plain' })).status, 415);
  t.is((await post('{}', { 'content-encoding': 'nonsense' })).status, 415);
  t.is((await post('not gzip', { 'content-encoding': 'gzip' })).status, 400);
  const long = await post(JSON.stringify({ name: 'x'.repeat(engine.config.bodyLimit) }));
  t.is(long.status, 413);
  t.is(long.body.code, 'TOO_LARGE');
});

test('a rejected value is not quoted, because it may be a secret', async (t) => {
  const { send } = await openApi(t, open);
  const { body } = await send('POST', '/login', { raw: '{"username":"a","password":"hunter2"' });
  t.is(body.code, 'INVALID');
  t.false(JSON.stringify(body).includes('hunter2'));
});

test('a string with NUL is 400 at any place', async (t) => {
  const { send } = await openApi(t, open);
  const node = (change: object) => send('POST', '/api/current/nodes', { body: { type: 'rack', name: 'r', ...change } });
  t.is((await node({ name: 'a\0b' })).status, 400);
  t.is((await node({ config: { 'k\0': 1 } })).status, 400);
  t.is((await node({ config: { deep: [{ x: '\0' }] } })).status, 400);
  t.is((await send('GET', '/api/current/nodes?name=%00')).status, 400);
  t.is((await send('GET', '/api/current/nodes/a%00b')).status, 400);
});

test('a string with half of a character is 400 at any place, because one daemon would keep it and another could not', async (t) => {
  const { send } = await openApi(t, open);
  const node = (change: object) => send('POST', '/api/current/nodes', { body: { type: 'rack', name: 'r', ...change } });
  for (const change of [{ name: 'a\ud800' }, { config: { '\udc00': 1 } }, { config: { deep: [{ x: '\ud800' }] } }]) {
    const { status, body } = await node(change);
    t.is(status, 400);
    t.regex(body.message, /half of a character/);
  }
  t.is((await node({ name: '\u{1f600}' })).status, 201);
});

test('a body that is nested too deep is 400', async (t) => {
  const { send } = await openApi(t, open);
  const raw = `{"type":"rack","name":"r","config":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  t.is((await send('POST', '/api/current/nodes', { raw })).status, 400);
});

test('a client that sends its body too slowly is disconnected', async (t) => {
  const limits = { ...timeLimits, bodyMs: 100 };
  const log = pino({ level: 'silent' });
  const listener = await openEndpoint(await fakeEngine(), open, log, undefined, limits);
  t.teardown(() => listener.close(0));
  const socket = connect(listener.port, '127.0.0.1');
  const head = 'POST /api/current/nodes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  socket.write(`${head}Content-Length: 9\r\n\r\n{`);
  t.regex(await text(socket), /^HTTP\/1\.1 408 /);
});

/** ms; longer than a busy machine keeps a process waiting. */
const short = { ...timeLimits, headersTimeout: 1_000, requestTimeout: 2_000, connectionsCheckingInterval: 20 };

test('a client that sends its headers too slowly is disconnected', async (t) => {
  const listener = await openEndpoint(await fakeEngine(), open, pino({ level: 'silent' }), undefined, short);
  t.teardown(() => listener.close(0));
  const socket = connect(listener.port, '127.0.0.1');
  socket.write('POST /api/current/nodes HTTP/1.1\r\nHost: x\r\n');
  t.regex(await text(socket), /^HTTP\/1\.1 408 /);
});

test.serial('a request that came in time is answered after a stall of the process', async (t) => {
  const listener = await openEndpoint(await fakeEngine(), open, pino({ level: 'silent' }), undefined, short);
  t.teardown(() => listener.close(0));
  const sockets = Array.from({ length: 2 }, () => connect(listener.port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // Connections are accepted in their order. No other test delays this one, which would then be too late.
  const last = connect(listener.port, '127.0.0.1');
  last.end('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  t.regex(await text(last), /^HTTP\/1\.1 200 /);
  const [whole, part] = sockets as [Socket, Socket];
  whole.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  part.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * short.headersTimeout);
  t.regex(await text(whole), /^HTTP\/1\.1 200 /);
  t.regex(await text(part), /^HTTP\/1\.1 408 /);
});

test('a client that begins no handshake is disconnected', async (t) => {
  const secure = { ...open, httpsEnabled: true };
  const engine = await fakeEngine({ dataDir: folder(t) });
  const listener = await openEndpoint(engine, secure, pino({ level: 'silent' }), undefined, short);
  t.teardown(() => listener.close(0));
  const socket = connect(listener.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket.resume(), 'close');
  t.pass();
});

test('an idle connection is kept for longer than load balancers keep theirs, and than headers may take', async (t) => {
  const listener = await openEndpoint(await fakeEngine(), open, pino({ level: 'silent' }), undefined, short);
  t.teardown(() => listener.close(0));
  const socket = connect(listener.port, '127.0.0.1').setEncoding('utf8');
  const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  socket.write(request);
  t.regex((await once(socket, 'data'))[0], /^HTTP\/1\.1 200 .*\r\nKeep-Alive: timeout=75\r\n/s);
  await later(2 * short.requestTimeout);
  socket.end(request);
  t.regex(await text(socket), /^HTTP\/1\.1 200 /);
});

test('a client that does not read its answers is disconnected', async (t) => {
  const limits = { ...timeLimits, silentMs: 300 };
  const listener = await openEndpoint(await fakeEngine(), open, pino({ level: 'silent' }), undefined, limits);
  t.teardown(() => listener.close(0));
  const socket = connect(listener.port, '127.0.0.1').pause();
  const [error] = await Promise.all([
    once(socket, 'close').catch(({ code }) => code),
    untilClosed(socket, 'GET /api/current/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100)),
  ]);
  t.regex(error, /^(ECONNRESET|EPIPE)$/);
});

/** Writes as long as the server does not close the connection. */
async function untilClosed(socket: Socket, text: string): Promise<void> {
  for (; !socket.destroyed; await later(20)) socket.write(text);
}

test('one sender has a part of the connections, and all senders have a number; the others are closed', async (t) => {
  const listener = await openEndpoint(
    await fakeEngine(),
    open,
    pino({ level: 'silent' }),
    undefined,
    timeLimits,
    4, // connections
  );
  t.teardown(() => listener.close(0));
  const sockets: Socket[] = [];
  const from = async (localAddress: string) => {
    const socket = connect({ port: listener.port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => {}).write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    return Promise.race([once(socket, 'data').then(String), once(socket, 'close').then(() => 'closed')]);
  };
  for (const _ of Array(3)) t.regex(await from('127.0.9.1'), /^HTTP\/1\.1 200 /);
  t.is(await from('127.0.9.1'), 'closed');
  t.regex(await from('127.0.9.2'), /^HTTP\/1\.1 200 /);
  t.is(await from('127.0.9.3'), 'closed');
  sockets[0]?.destroy();
  for (let last = 'closed'; last === 'closed'; ) last = await from('127.0.9.1');
  t.pass();
});

test('a valid request id is kept, and any other is replaced', async (t) => {
  const { send } = await openApi(t, open);
  const sane = await send('GET', '/api/current/nothing', { headers: { 'x-request-id': 'abc-1' } });
  t.is(sane.headers.get('x-request-id'), 'abc-1');
  t.is(sane.body.requestId, 'abc-1');
  const odd = await send('GET', '/healthz', { headers: { 'x-request-id': 'a b;c' } });
  t.regex(odd.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
});

test('an internal error is 500 with a fixed message', async (t) => {
  const { send, engine } = await openApi(t, open);
  engine.nodes.list = () => Promise.reject(new Error('password is hunter2'));
  const { status, body } = await send('GET', '/api/current/nodes');
  t.is(status, 500);
  t.is(body.code, 'INTERNAL');
  t.false(JSON.stringify(body).includes('hunter2'));
});

test('health, readiness and metrics need no token, except metrics for users', async (t) => {
  const north = await openApi(t);
  const south = await openApi(t, southbound);
  for (const { send } of [north, south]) {
    t.is((await send('GET', '/healthz')).status, 200);
    t.is((await send('GET', '/readyz')).status, 200);
  }
  t.is((await north.send('GET', '/metrics')).status, 401);
  const metrics = await south.send('GET', '/metrics');
  t.true(metrics.headers.get('content-type')?.startsWith('text/plain'));
  t.true(metrics.body.includes('nodewright_fake 1'));
  t.true(metrics.body.includes('nodewright_http_requests_total{method="GET",route="/healthz",status="200"} 1'));
});

test('readiness is 503 while a store is away', async (t) => {
  const { send, engine } = await openApi(t, open);
  engine.away = new NodewrightError('UNAVAILABLE', 'The store does not answer');
  const { status, body, headers } = await send('GET', '/readyz');
  t.is(status, 503);
  t.is(body.code, 'UNAVAILABLE');
  t.is(headers.get('retry-after'), '5');
});

test('every answer forbids guesses of its type, and northbound no cache keeps one with a token', async (t) => {
  const [north, south] = [await openApi(t), await openApi(t, southbound)];
  await north.as('Administrator', 'root');
  const credentials = { username: 'root', password: PASSWORD };
  const answers = [
    await north.send('POST', '/login', { body: credentials }),
    await north.send('POST', '/redfish/v1/SessionService/Sessions', { body: { UserName: 'root', Password: PASSWORD } }),
    await north.send('GET', '/api/current/nodes'),
    await north.send('GET', '/docs'),
    await north.send('GET', '/nothing'),
  ];
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 401, 200, 404],
  );
  for (const { headers } of [...answers, await south.send('GET', '/healthz'), await south.send('GET', '/nothing')]) {
    t.is(headers.get('x-content-type-options'), 'nosniff');
  }
  for (const { headers } of answers) t.regex(headers.get('cache-control') ?? '', /^no-(store|cache)$/);
  for (const { headers } of answers.slice(0, 3)) t.is(headers.get('cache-control'), 'no-store');
  t.regex(answers[3]?.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
});

test('a client that waits with its body sends it only after its headers were accepted', async (t) => {
  const api = await openApi(t);
  const token = await api.as('Administrator');
  const answer = (headers: string, body: string) => {
    const socket = connect(api.port, '127.0.0.1');
    const head = `POST /api/current/nodes HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n`;
    socket.write(`${head}Content-Type: application/json\r\n${headers}\r\n`);
    socket.once('data', () => (body === '' ? socket.end() : socket.write(body)));
    return text(socket);
  };
  const body = '{"type":"rack","name":"r"}';
  const authorization = `Authorization: JWT ${token}\r\n`;
  t.regex(
    await answer(`${authorization}Content-Length: ${body.length}\r\n`, body),
    /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /,
  );
  t.regex(await answer(`${authorization}Content-Length: 9999999\r\n`, ''), /^HTTP\/1\.1 413 /);
  t.regex(await answer('Authorization: JWT x\r\nContent-Length: 9\r\n', ''), /^HTTP\/1\.1 401 /);
});

test('two Host headers are 400', async (t) => {
  const { port } = await openApi(t, open);
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n');
  const answer = await text(socket);
  t.regex(answer, /^HTTP\/1\.1 400 /);
  t.regex(answer, /found 2 headers, expected one/);
});

test('HEAD is answered like GET, without a body', async (t) => {
  const { send } = await openApi(t, open);
  const { status, body } = await send('HEAD', '/healthz');
  t.is(status, 200);
  t.is(body, '');
});

test('a client that disconnects in the middle of its body affects no other', async (t) => {
  const { send, port } = await openApi(t, open);
  const socket = connect(port, '127.0.0.1');
  socket.write(
    'POST /api/current/nodes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );
  await once(socket, 'connect');
  socket.destroy();
  await once(socket, 'close');
  t.is((await send('GET', '/healthz')).status, 200);
});

test('a request that takes too long in the engine is answered 503', async (t) => {
  const { send, engine } = await openApi(t, open);
  Object.assign(engine.nodes, { list: () => new Promise(() => {}) });
  const { status, headers } = await send('GET', '/api/current/nodes');
  t.is(status, 503);
  t.true(Number(headers.get('retry-after')) > 0);
});
