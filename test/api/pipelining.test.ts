/** Requests that a client sends before it has the answers to those before. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { seen } from '../support/faults/workload.ts';
import { northbound, openApi } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

async function connected(t: ExecutionContext, port: number, requests: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(requests);
  return socket;
}

test('requests of one connection are answered in sequence', async (t) => {
  const { port } = await openApi(t, open);
  const paths = Array.from({ length: 10 }, (_, n) => `/api/current/nothing/${n}`);
  const requests = paths.map((path, n) => get(path, n === 9 ? 'Connection: close\r\n' : '')).join('');
  const answers = await text(await connected(t, port, requests));
  t.deepEqual(answers.match(/\/api\/current\/nothing\/\d/g), paths);
});

test('a connection that closes leaves nothing of the requests that wait on it', async (t) => {
  const { port, engine } = await openApi(t, open);
  const socket = await connected(t, port, get('/api/current/events/stream').repeat(3));
  await once(socket, 'data');
  t.is(engine.feed.readers, 1);
  socket.destroy();
  await seen(async () => engine.feed.readers === 0);
  t.pass();
});

test('a connection on which too many requests wait is closed', async (t) => {
  const { port, engine, send } = await openApi(t, open);
  const socket = await connected(t, port, get('/api/current/events/stream').repeat(40));
  socket.resume();
  await once(socket, 'close');
  await seen(async () => engine.feed.readers === 0);
  t.is((await send('GET', '/api/current/nodes')).status, 200);
});
