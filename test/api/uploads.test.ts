/** The time limit of an upload: none while its bytes keep coming. */
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { openEndpoint, type TimeLimits, timeLimits } from '../../api/endpoint/server.ts';
import { bodyTooLong } from '../../engine/vocabulary/byte-limits.ts';
import { deferred } from '../support/ava/deferred.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };
const SIZE = 1_000;

interface Scene {
  socket: Socket;
  /** All received bytes, when the connection ends. */
  answer: Promise<string>;
  /** Resolves when the engine has received this number of bytes. */
  has(bytes: number): Promise<void>;
}

interface Course {
  /** ms that the engine takes for each part. */
  slow?: number;
  /** The engine rejects the upload when it has more bytes. */
  most?: number;
  /** Its length. */
  length?: number;
}

/** An upload that has begun, to an engine that counts its bytes. */
async function upload(t: ExecutionContext, change: Partial<TimeLimits>, how: Course = {}): Promise<Scene> {
  const { slow = 0, most = Number.POSITIVE_INFINITY, length = SIZE } = how;
  const engine = await fakeEngine();
  let size = 0;
  let look = () => {};
  engine.files.put = async ({ name, scope }, bytes) => {
    for await (const part of bytes) {
      size += part.length;
      look();
      await setTimeout(slow);
      if (size > most) throw bodyTooLong(most)();
    }
    const now = new Date().toISOString();
    return { name, scope, size, md5: 'x', sha256: 'x', content: 'x', createdAt: now, updatedAt: now };
  };
  const limits = { ...timeLimits, ...change };
  const listener = await openEndpoint(engine, open, pino({ level: 'silent' }), undefined, limits);
  t.teardown(() => listener.close(0));
  const socket = connect(listener.port, '127.0.0.1');
  const answer = text(socket);
  socket.write(
    `PUT /api/current/files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`,
  );
  async function has(bytes: number): Promise<void> {
    const { promise, resolve } = deferred();
    look = () => size >= bytes && resolve();
    look();
    await promise;
  }
  return { socket, answer, has };
}

const part = (bytes: number) => 'x'.repeat(bytes);

/** Number of running timers of this process. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test.serial('an upload that arrived, and was rejected before its last part was read, holds nothing', async (t) => {
  const before = timers();
  // The rest arrives while the engine has the first part, as with a template that is a little too long.
  const length = 80_000;
  const { socket, answer } = await upload(t, {}, { most: 10, slow: 300, length });
  socket.write(part(length));
  t.regex(await answer, /^HTTP\/1\.1 413 /);
  for (let turns = 0; timers() > before && turns < 100; turns += 1) await setTimeout(50);
  t.is(timers(), before);
});

test('an upload may take longer than other bodies, while its bytes keep coming', async (t) => {
  const bodyMs = 2_000;
  const { socket, answer, has } = await upload(t, { bodyMs, rate: 1 });
  const until = performance.now() + bodyMs * 1.2;
  let sent = 0;
  while (performance.now() < until && sent < SIZE - 1) {
    socket.write('x');
    sent += 1;
    await has(sent);
    await setTimeout(100);
  }
  socket.write(part(SIZE - sent));
  t.regex(await answer, /^HTTP\/1\.1 201 [\s\S]*"size":1000/);
});

test('a stalled upload is aborted', async (t) => {
  const { socket, answer, has } = await upload(t, { bodyMs: 200, rate: 1 });
  socket.write(part(SIZE - 1));
  await has(SIZE - 1);
  t.regex(await answer, /^HTTP\/1\.1 408 /);
});

test('an upload that only trickles is aborted, though it never stalls', async (t) => {
  const { socket, answer } = await upload(t, { bodyMs: 500, rate: 1_000_000 });
  const drip = setInterval(() => socket.write('x'), 20);
  t.teardown(() => clearInterval(drip));
  socket.on('error', () => clearInterval(drip));
  socket.once('close', () => clearInterval(drip));
  // A byte that is written after the daemon has closed the connection may be reset before its answer is read.
  const ending = await answer.catch(({ code }) => code);
  t.regex(ending, /^(?:HTTP\/1\.1 408 |EPIPE$|ECONNRESET$)/);
});

test('the time that the daemon itself takes does not count against the client', async (t) => {
  const { socket, answer } = await upload(t, { bodyMs: 300, rate: 1_000_000 }, { slow: 500 });
  socket.write(part(SIZE));
  t.regex(await answer, /^HTTP\/1\.1 201 /);
});
