import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { connect } from 'amqplib';
import test, { type ExecutionContext } from 'ava';
import { openBroker } from '../../../../engine/events/broker/amqp.ts';
import type { Broker } from '../../../../engine/events/broker/port.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { needing } from '../../../support/ava/needs.ts';
import { publication, series } from '../../../support/engine/publications.ts';
import { Hearing, listenOn } from '../../../support/servers/hearing.ts';
import { startProxy } from '../../../support/servers/proxy.ts';
import { noRabbitMq, type RabbitMq, startRabbitMq } from '../../../support/servers/rabbitmq.ts';

const broker = needing(noRabbitMq);
let rabbit: RabbitMq | undefined;

/** Started by the first test that uses it. */
const server = async (): Promise<RabbitMq> => {
  rabbit ??= await startRabbitMq();
  return rabbit;
};
test.after.always(() => rabbit?.stop());

interface Opened {
  connection: Broker;
  lines: Hearing<string>;
  /** The next time that the broker is up. */
  up(): Promise<void>;
}

async function open(t: ExecutionContext, url: string): Promise<Opened> {
  const lines = new Hearing<string>();
  const log = {
    info: (message: string) => lines.add(message),
    warn: (fields: object, message: string) => lines.add(`${JSON.stringify(fields)} ${message}`),
  };
  const connection = await openBroker(url, log);
  t.teardown(() => connection.close());
  let next = deferred();
  connection.onUp(() => {
    next.resolve();
    next = deferred();
  });
  return { connection, lines, up: () => (connection.up ? Promise.resolve() : next.promise) };
}

const portOf = (server: Server) => (server.address() as { port: number }).port;

async function elapsed(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work.catch(() => {});
  return performance.now() - start;
}

broker.serial('the exchange on.events is a durable topic exchange', async (t) => {
  const { url } = await server();
  const { up } = await open(t, url);
  await up();
  const model = await connect(url);
  t.teardown(() => model.close());
  const channel = await model.createChannel();
  // The broker rejects a declaration with another type or durability.
  await channel.assertExchange('on.events', 'topic', { durable: true });
  channel.on('error', () => {});
  await t.throwsAsync(channel.assertExchange('on.events', 'topic', { durable: false }), { message: /inequivalent/ });
});

broker.serial('a message is persistent JSON, and its messageId is the id of the event', async (t) => {
  const { url } = await server();
  const hearing = await listenOn(t, url);
  const { connection, up } = await open(t, url);
  await up();
  const sent = publication('w', 1, { text: 'grüße' });
  await connection.send([sent]);
  const [heard] = await hearing.until((all) => all.length === 1);
  t.like(heard, { id: sent.id, key: sent.key, body: sent.body });
  t.like(heard?.message.properties, { deliveryMode: 2, contentType: 'application/json', messageId: sent.id });
});

broker.serial('a routing key that is too long for AMQP is cut, and blocks nothing', async (t) => {
  const { url } = await server();
  const hearing = await listenOn(t, url);
  const { connection, up } = await open(t, url);
  await up();
  await connection.send([{ id: 'long', key: `node.alerts.${'ä'.repeat(200)}`, body: {} }]);
  await connection.send([{ id: 'next', key: 'next', body: {} }]);
  const [long, next] = await hearing.until((all) => all.length === 2);
  t.is(long?.key, `node.alerts.${'ä'.repeat(121)}`);
  t.is(next?.id, 'next');
});

broker.serial('a notification with fields that no property of a message can have blocks nothing', async (t) => {
  const { url } = await server();
  const hearing = await listenOn(t, url);
  const { connection, up } = await open(t, url);
  await up();
  const bodies = [{ type: 'x'.repeat(300), action: ['y'] }, { createdAt: '-271821-04-20T00:00:00.000Z' }];
  await connection.send(bodies.map((body, n) => ({ id: String(n), key: 'notification', body })));
  const heard = await hearing.until((all) => all.length === 2);
  for (const [n, { body, message }] of heard.entries()) {
    t.deepEqual(body, bodies[n] as object);
    t.is(message.properties.type, 'notification');
    t.true(Math.abs(message.properties.timestamp - Date.now() / 1_000) < 60);
  }
});

broker.serial('10,000 messages that are sent at the same time all arrive, in order', async (t) => {
  const { url } = await server();
  const hearing = await listenOn(t, url);
  const { connection, up } = await open(t, url);
  await up();
  const sent = series('w', 10_000);
  await connection.send(sent);
  const heard = await hearing.until((all) => all.length === sent.length);
  t.deepEqual(
    heard.map(({ id }) => id),
    sent.map(({ id }) => id),
  );
});

broker.serial('messages larger than a frame arrive whole, between smaller ones', async (t) => {
  const { url } = await server();
  const hearing = await listenOn(t, url);
  const { connection, up } = await open(t, url);
  await up();
  const texts = [1, 131_000, 1, 131_072, 400_000, 1].map((length) => 'ä'.repeat(length));
  await connection.send(texts.map((text, n) => publication('w', n, { text })));
  const heard = await hearing.until((all) => all.length === texts.length);
  t.true(heard.every(({ body }, n) => body.text === texts[n] && body.n === n));
});

broker.serial('send rejects within 5 s when the broker hangs, and works again when it is back', async (t) => {
  const rabbit = await server();
  const { connection, up, lines } = await open(t, rabbit.url);
  await up();
  await rabbit.pause();
  t.teardown(() => rabbit.resume());
  const took = await elapsed(t.throwsAsync(connection.send([publication('w', 1)])));
  t.true(took > 4_000 && took < 6_000, `${took} ms`);
  t.false(connection.up);
  t.regex(lines.all.at(-1) ?? '', /nothing was confirmed for 5000 ms/);
  rabbit.resume();
  await up();
  await connection.send([publication('w', 1)]);
  t.pass();
});

broker.serial(
  'a broker that blocks publishers is treated as away, and uses no memory, until it accepts messages again',
  async (t) => {
    const rabbit = await server();
    const hearing = await listenOn(t, rabbit.url);
    const { connection, up, lines } = await open(t, rabbit.url);
    await up();
    await rabbit.control('set_vm_memory_high_watermark', 'absolute', '1MB');
    let blocks = true;
    const unblock = () => rabbit.control('set_vm_memory_high_watermark', '0.4');
    // Each command takes RabbitMQ seconds of CPU time.
    t.teardown(() => blocks && unblock());
    // RabbitMQ notifies connections that publish.
    await t.throwsAsync(connection.send([publication('w', 1)]), { message: /blocks publishers/ });
    t.false(connection.up);
    t.regex(lines.all.at(-1) ?? '', /blocks publishers; events wait/);
    const before = process.memoryUsage().rss;
    const big = { text: 'x'.repeat(100_000) };
    for (let n = 0; n < 2_000; n += 1) await t.throwsAsync(connection.send([publication('w', n, big)]));
    const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
    t.true(grown < 100, `${grown} MiB of 200 MiB that were rejected`);
    const back = up();
    await unblock();
    blocks = false;
    await back;
    await connection.send([publication('w', 2)]);
    await hearing.until((all) => all.some(({ body }) => body.n === 2));
  },
);

broker.serial('a slow broker applies back-pressure: at most one window is unconfirmed', async (t) => {
  const rabbit = await server();
  const { connection, up } = await open(t, rabbit.url);
  await up();
  await rabbit.pause();
  t.teardown(() => rabbit.resume());
  const before = process.memoryUsage().rss;
  const body = { text: 'x'.repeat(100_000) };
  // Created only in its turn: the test measures the memory of the connection.
  const sends = Array.from({ length: 3_000 }, (_, n) =>
    connection.send([{ id: String(n), key: 'k', body }]).catch(() => 'rejected'),
  );
  await new Promise(setImmediate);
  const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
  t.true(grown < 150, `${grown} MiB of 300 MiB that are waiting`);
  t.deepEqual([...new Set(await Promise.all(sends))], ['rejected']);
  rabbit.resume();
});

broker.serial('a channel that the broker closes is opened again', async (t) => {
  const { url } = await server();
  const { connection, up } = await open(t, url);
  await up();
  const model = await connect(url);
  t.teardown(() => model.close());
  await (await model.createChannel()).deleteExchange('on.events');
  await t.throwsAsync(connection.send([publication('w', 1)]));
  t.false(connection.up);
  await up();
  await connection.send([publication('w', 1)]);
  t.pass();
});

broker.serial('lost connections leave nothing behind', async (t) => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  t.teardown(() => process.off('warning', warned));
  const url = new URL((await server()).url);
  const proxy = await startProxy(Number(url.port));
  t.teardown(() => proxy.stop());
  url.port = String(proxy.port);
  const { lines } = await open(t, url.href);
  // Node warns at the eleventh listener of one signal.
  for (let times = 1; times <= 12; times += 1) {
    await lines.until((all) => all.filter((line) => line === 'the AMQP broker is up').length === times);
    proxy.cut();
  }
  t.deepEqual(warnings, []);
});

broker.serial('a wrong password does not stop the start, and is not logged', async (t) => {
  const url = (await server()).url.replace('guest:guest', 'guest:s3cret-word');
  const { connection, lines } = await open(t, `${url}/?frameMax=0`);
  await t.throwsAsync(connection.send([publication('w', 1)]), { message: 'the AMQP broker is away' });
  const [line] = await lines.until((all) => all.length === 1);
  t.regex(line ?? '', /ACCESS-REFUSED/);
  t.notRegex(line ?? '', /s3cret|amqp:/);
});

test('an unusable broker does not stop the start, and is logged once for each reason', async (t) => {
  const tries = new Hearing<object>();
  const rude = createServer((socket) => tries.add(socket.end())).listen(0, '127.0.0.1');
  await once(rude, 'listening');
  t.teardown(() => rude.close());
  const { connection, lines } = await open(t, `amqp://user:s3cret-word@127.0.0.1:${portOf(rude)}`);
  t.false(connection.up);
  await tries.until((all) => all.length === 4);
  t.is(lines.all.length, 1);
  t.regex(lines.all[0] ?? '', /is away; events wait/);
  t.notRegex(lines.all[0] ?? '', /s3cret|user/);
});

test('an invalid URL stops the start without being shown', async (t) => {
  const error = await t.throwsAsync(openBroker('amqp://user:s3cret-word@host:port', { info() {}, warn() {} }));
  t.like(error, { code: 'CONFIG_INVALID' });
  t.notRegex(JSON.stringify(error, Object.getOwnPropertyNames(error)), /s3cret/);
});

test('close ends immediately during a connection attempt to a silent broker', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const connected = once(silent, 'connection');
  const { connection } = await open(t, `amqp://127.0.0.1:${portOf(silent)}`);
  const [socket] = await connected;
  const gone = once(socket, 'close');
  socket.resume();
  t.true((await elapsed(connection.close())) < 1_000);
  await gone;
});

broker.serial('close ends immediately with the broker up, hanging or away', async (t) => {
  const rabbit = await server();
  const opened = await Promise.all([1, 2, 3].map(() => open(t, rabbit.url)));
  await Promise.all(opened.map(({ up }) => up()));
  const [first, second, third] = opened.map(({ connection }) => connection) as [Broker, Broker, Broker];
  t.true((await elapsed(first.close())) < 1_000, 'up');
  await rabbit.pause();
  const sent = second.send([publication('w', 1)]);
  t.true((await elapsed(second.close())) < 1_000, 'hanging');
  await t.throwsAsync(sent);
  await rabbit.kill();
  t.true((await elapsed(third.close())) < 1_000, 'away');
  await rabbit.start();
});
