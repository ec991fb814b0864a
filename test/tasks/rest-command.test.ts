import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import anyTest, { type TestFn } from 'ava';
import { selfSignedPair } from '../../api/endpoint/self-signed.ts';
import { folder } from '../support/ava/folder.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

interface Context {
  it: TestEngine;
  server: Server;
  url: string;
  requests: { method: string; authorization: string | undefined; body: string }[];
}

const test = anyTest as TestFn<Context>;

test.before(async (t) => {
  const it = await openEngine();
  const requests: Context['requests'] = [];
  const server = createServer((request, response) => void answer(request, response, requests));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  Object.assign(t.context, { it, server, requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  await it.engine.library.putGraph({
    friendlyName: 'Rest',
    injectableName: 'Graph.Test.Rest',
    tasks: [{ label: 'it', taskName: 'Task.Run.Rest.Command' }],
  });
});
test.after.always(async (t) => {
  await t.context.it?.close();
  t.context.server?.closeAllConnections();
  t.context.server?.close();
});

const statuses: Record<string, number> = { '/missing': 404, '/busy': 503 };

async function answer(request: IncomingMessage, response: ServerResponse, seen: Context['requests']): Promise<void> {
  let body = '';
  for await (const chunk of request) body += chunk;
  seen.push({ method: request.method ?? '', authorization: request.headers.authorization, body });
  if (request.url === '/silent') return;
  if (request.url === '/trickle') return trickle(response);
  if (request.url === '/deep') return deep(response);
  if (request.url === '/long') return void response.end('x'.repeat(1024 * 1024));
  response.statusCode = statuses[request.url ?? ''] ?? 200;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ path: request.url, body }));
}

function deep(response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  response.end('['.repeat(60_000) + ']'.repeat(60_000));
}

/** Never silent, and never done. */
function trickle(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 20);
  response.once('close', () => clearInterval(timer));
}

async function send(context: Context, options: Record<string, unknown>) {
  const { id } = await context.it.launch('Graph.Test.Rest', { it: options });
  return context.it.finished(id);
}

test('the answer is the output, JSON as JSON', async (t) => {
  const row = await send(t.context, { url: `${t.context.url}/a`, method: 'POST', body: { n: 1 } });
  t.like(row.tasks[0]?.output, { statusCode: 200, body: { path: '/a', body: '{"n":1}' } });
});

test('a credential is sent, and never shown', async (t) => {
  const credential = { username: 'root', password: 'calvin' };
  const row = await send(t.context, { url: `${t.context.url}/b`, credential });
  const authorization = `Basic ${Buffer.from('root:calvin').toString('base64')}`;
  t.true(t.context.requests.some((request) => request.authorization === authorization));
  t.is(row.status, 'succeeded');
  t.false(JSON.stringify([row.options, row.tasks]).includes('calvin'));
  t.is((row.options.it as Record<string, unknown>).credential, 'REDACTED');
});

test('an unlisted status fails the task run with that status', async (t) => {
  const url = `${t.context.url}/missing`;
  const row = await send(t.context, { url });
  t.like(row.tasks[0]?.error, { code: 'REST_STATUS' });
  t.regex(row.tasks[0]?.error?.message ?? '', /answered 404/);
  t.is((await send(t.context, { url, acceptedStatusCodes: [404] })).status, 'succeeded');
  t.false(row.tasks[0]?.error?.retry, 'another attempt would get the same answer');
  const busy = await send(t.context, { url: `${t.context.url}/busy` });
  t.regex(busy.tasks[0]?.error?.message ?? '', /answered 503/);
  t.is(busy.tasks[0]?.error?.retry, undefined);
});

test('a server that does not answer in time, or sends too much, fails the task run', async (t) => {
  t.is((await send(t.context, { url: `${t.context.url}/silent`, timeoutMs: 200 })).status, 'failed');
  t.is((await send(t.context, { url: `${t.context.url}/long` })).tasks[0]?.error?.code, 'REST_TOO_LARGE');
  const { error } = (await send(t.context, { url: `${t.context.url}/deep` })).tasks[0] ?? {};
  t.like(error, { code: 'REST_TOO_LARGE', message: 'the answer is nested deeper than 64 levels' });
});

test.serial(
  'a server that never ends its answer fails the task run in time, even if garbage is collected in the meantime',
  async (t) => {
    setFlagsFromString('--expose-gc');
    const collect = setInterval(runInNewContext('gc') as () => void, 50);
    t.teardown(() => clearInterval(collect));
    t.is((await send(t.context, { url: `${t.context.url}/trickle`, timeoutMs: 500 })).status, 'failed');
  },
);

test('an invalid url is rejected before anything starts', async (t) => {
  await t.throwsAsync(() => send(t.context, { url: 'file:///etc/passwd' }), { message: /options/i });
});

test('an unknown TLS certificate is rejected, unless its authority is configured or verification is off', async (t) => {
  const pair = await selfSignedPair(folder(t));
  const server = createTlsServer(pair, (request, response) => void answer(request, response, t.context.requests));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/tls`;
  t.is((await send(t.context, { url })).tasks[0]?.error?.code, 'DEPTH_ZERO_SELF_SIGNED_CERT');
  t.is((await send(t.context, { url, ca: pair.cert.toString() })).status, 'succeeded');
  t.is((await send(t.context, { url, verifySSL: false })).status, 'succeeded');
});

test('a graph may retry a POST while there is no connection, and the server gets it once', async (t) => {
  const seen: Context['requests'] = [];
  const late = createServer((request, response) => void answer(request, response, seen));
  const listen = (port: number) => new Promise<void>((resolve) => late.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = late.address() as AddressInfo;
  await new Promise((resolve) => late.close(resolve));
  const { it } = t.context;
  const { id } = await it.launch('Graph.Fixture.Retry', {
    it: { url: `http://127.0.0.1:${port}/late`, method: 'POST' },
  });
  await it.until(async () => ((await it.get(id)).tasks[0]?.attemptErrors?.length ?? 0) > 0);
  await listen(port);
  const row = await it.finished(id);
  late.close();
  t.is(row.status, 'succeeded');
  t.true((row.tasks[0]?.attempts ?? 0) > 1);
  t.is(row.tasks[0]?.attemptErrors?.[0]?.code, 'ECONNREFUSED');
  t.is(seen.length, 1);
});

test('a POST that may have reached its server is not retried', async (t) => {
  let requests = 0;
  const rude = createServer((request) => {
    requests += 1;
    request.socket.destroy();
  });
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(rude.address() as AddressInfo).port}/`;
  const { id } = await t.context.it.launch('Graph.Fixture.Retry', { it: { url, method: 'POST' } });
  const row = await t.context.it.finished(id);
  rude.close();
  t.is(row.status, 'failed');
  t.is(row.tasks[0]?.attempts, 1);
  t.is(requests, 1);
});
