import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import type { ConfirmChannel } from 'amqplib';
import test from 'ava';
import fc from 'fast-check';
import { confirmLink } from '../../../../engine/events/broker/confirm-link.ts';
import { Frames, type Message } from '../../../../engine/events/broker/frames.ts';
import { codePoint } from '../../../support/data/code-point.ts';

const require = createRequire(import.meta.url);
/** amqplib's own parser of frames, which its package does not export. */
const { parseFrame, decodeFrame } = require(join(dirname(require.resolve('amqplib')), 'lib', 'frame.js'));

const FRAME_MAX = 4096;

interface Read {
  channel: number;
  id?: number;
  size?: number;
  fields?: Record<string, unknown>;
  content?: Buffer;
}

function framesIn(bytes: Buffer): Read[] {
  const frames: Read[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const frame = parseFrame(rest, FRAME_MAX);
    frames.push(decodeFrame(frame));
    rest = frame.rest;
  }
  return frames;
}

const message = (id: string, key: string, text: string): Message => ({
  id,
  key,
  text,
  size: Buffer.byteLength(text),
  type: 'graph.finished',
  timestamp: 1_764_000_000,
});

/** A channel whose socket records its writes. */
function recorded() {
  const writes: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      writes.push(chunk);
      done();
    },
    writev(chunks, done) {
      writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)));
      done();
    },
  });
  const pushConfirmCallback = () => {};
  const channel = Object.assign(new EventEmitter(), {
    ch: 1,
    connection: { stream, frameMax: FRAME_MAX },
    pushConfirmCallback,
  });
  return { link: confirmLink(channel as unknown as ConfirmChannel, 'on.events'), channel, writes };
}

const turn = () => new Promise(setImmediate);

test('amqplib reads every message back as it was, whatever its size and characters', (t) => {
  const short = fc.string({ unit: codePoint, maxLength: 60 });
  const text = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.nat({ max: 3 * FRAME_MAX }).map((n) => 'ä'.repeat(n)),
    fc.constantFrom(-9, -8, -7).map((n) => 'x'.repeat(FRAME_MAX + n)),
  );
  const messages = fc.array(fc.tuple(short, short, text), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(messages, (all) => {
      const frames = new Frames(7, FRAME_MAX, 'on.events');
      for (const [id, key, body] of all) frames.add(message(id, key, body));
      const read = framesIn(Buffer.concat(frames.take()));
      t.true(read.every(({ channel }) => channel === 7));
      for (const [id, key, body] of all) {
        const [method, header] = read.splice(0, 2);
        t.like(method?.fields, { exchange: 'on.events', routingKey: key, mandatory: false, immediate: false });
        t.like(header?.fields, { messageId: id, contentType: 'application/json', deliveryMode: 2 });
        t.like(header?.fields, { type: 'graph.finished', timestamp: 1_764_000_000, appId: 'nodewright' });
        const next = read.findIndex(({ content }) => content === undefined);
        const parts = read.splice(0, next === -1 ? read.length : next).map(({ content }) => content as Buffer);
        const content = Buffer.concat(parts);
        t.is(content.toString(), body);
        t.is(header?.size, content.length);
      }
      t.deepEqual(frames.take(), []);
    }),
    { numRuns: 200 },
  );
});

test('all messages of one turn of the event loop are one write to the socket, however large', async (t) => {
  const { link, writes } = recorded();
  for (const size of [10, 70_000, 10, 200_000]) link.publish(message('id', 'key', 'x'.repeat(size)), () => {});
  await Promise.resolve();
  link.publish(message('id', 'key', 'after a microtask'), () => {});
  await turn();
  t.is(writes.length, 1);
  link.publish(message('id', 'key', 'in the next turn'), () => {});
  await turn();
  t.is(writes.length, 2);
});

test('a message for a closed channel is rejected, and unwritten frames are dropped with their socket', async (t) => {
  const { link, channel, writes } = recorded();
  link.publish(message('id', 'key', 'text'), () => {});
  channel.connection.stream.destroy();
  await turn();
  t.deepEqual(writes, []);
  channel.emit('close');
  t.throws(() => link.publish(message('id', 'key', 'text'), () => {}), { message: /closed/ });
});

test('an id that AMQP cannot carry is rejected, and spoils no other message', async (t) => {
  const { link, writes } = recorded();
  t.throws(() => link.publish(message('i'.repeat(256), 'key', 'text'), () => {}), { message: /exceeds 255 bytes/ });
  link.publish(message('id', 'key', 'text'), () => {});
  await turn();
  t.is(framesIn(Buffer.concat(writes)).length, 3);
});
