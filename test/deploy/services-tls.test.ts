/**
 * Daemons on services that accept only TLS and passwords, with the settings of `fixtures/deploy/compose` and the
 * authority, passwords and URLs of `fixtures/deploy/authority.sh`.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import { brokerTargetOf } from '../../engine/events/broker/amqp-url.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import type { Scope } from '../support/ava/scope.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { ended, launch } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { Hearing } from '../support/servers/hearing.ts';
import { noGuardedMongoDb, startMongoDb } from '../support/servers/mongodb.ts';
import { noRabbitMq, startRabbitMq } from '../support/servers/rabbitmq.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';
import { freePort } from '../support/servers/server.ts';
import { shared } from '../support/servers/shared-resources.ts';
import { deployedText, makeAuthority, yamlOf } from '../support/source/deployment.ts';

const test = needing(noRedis ?? noRabbitMq ?? noGuardedMongoDb);

/** Redis, started by the command of the compose file. */
async function redisIn(t: Scope, secrets: string): Promise<number> {
  const port = await freePort();
  const { services } = yamlOf<{ services: { redis: { command: string[] } } }>('compose/compose.yaml');
  const [program, ...command] = services.redis.command;
  if (program !== 'redis-server') throw new Error(`found ${program}, expected redis-server`);
  const settings = command.map((word) => word.replace('/run/secrets', secrets).replace(/^6379$/, String(port)));
  const redis = await startRedis(...settings);
  t.teardown(() => redis.stop());
  return port;
}

async function rabbitIn(t: Scope, secrets: string): Promise<number> {
  let port = 0;
  const rabbit = await startRabbitMq((at) => {
    port = at;
    const tls = deployedText('compose/rabbitmq.conf')
      .replaceAll('/run/secrets', secrets)
      .replace('5671', `127.0.0.1:${at}`);
    return [tls, readFileSync(join(secrets, 'rabbitmq-password.conf'), 'utf8')];
  });
  t.teardown(() => rabbit.stop());
  return port;
}

/** The environment of a daemon, and the URLs in its files. */
const servers = shared(async (t) => {
  const secrets = join(folder(t), 'secrets');
  makeAuthority(secrets);
  const [redis, rabbit, mongodb] = await Promise.all([
    redisIn(t, secrets),
    rabbitIn(t, secrets),
    startMongoDb({ user: 'nodewright', password: 'mongodb-password-17' }),
  ]);
  t.teardown(() => mongodb.stop());
  makeAuthority(secrets, { REDIS_HOST: `127.0.0.1:${redis}`, RABBITMQ_HOST: `127.0.0.1:${rabbit}` });
  const file = (name: string) => join(secrets, name);
  // It has an authority of its own.
  writeFileSync(file('mongodb-private-url'), mongodb.url, { mode: 0o400 });
  const env = {
    REDIS_URL_FILE: file('redis-url'),
    AMQP_URL_FILE: file('amqp-url'),
    MONGODB_URL_FILE: file('mongodb-private-url'),
  };
  return {
    secrets,
    env,
    redis,
    rabbit,
    urls: [file('redis-url'), file('amqp-url')].map((path) => readFileSync(path, 'utf8').trim()),
  };
});

test.serial('an api and a worker work over TLS with passwords from files, and disclose none', async (t) => {
  const { env, urls, secrets } = await servers();
  const [redisUrl = '', amqpUrl = ''] = urls;
  const { url, socket } = brokerTargetOf(amqpUrl);
  const model = await connect(url, socket);
  t.teardown(() => model.close());
  const channel = await model.createChannel();
  await channel.assertExchange('on.events', 'topic', { durable: true });
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, 'on.events', 'graph.finished.#');
  const heard = new Hearing<string>();
  await channel.consume(queue, (message) => void (message && heard.add(message.fields.routingKey)), { noAck: true });

  const config = { ...folders, healthEndpoint: '127.0.0.1:0' };
  const api = await startDaemonProcess(t, { env, config, role: 'api' });
  const worker = await startDaemonProcess(t, { env, config, role: 'worker' });
  t.is((await worker.health('GET', '/readyz')).status, 200);
  const id = await launch(api, 'Graph.noop-example');
  t.is((await ended(api, id)).status, 'succeeded');
  await heard.until(() => heard.all.some((key) => key.includes(id)));

  const secretsOf = [redisUrl, amqpUrl, 'mongodb-password-17'].map((one) => /:([^:@]+)@/.exec(one)?.[1] ?? one);
  const shown = JSON.stringify((await api.api('GET', '/config')).body);
  for (const secret of secretsOf) {
    t.true(secret.length > 16);
    for (const text of [shown, api.log.join(), worker.log.join(), api.errors.join()]) t.false(text.includes(secret));
  }
  t.is(statSync(join(secrets, 'redis-url')).mode & 0o777, 0o400);
  t.false(api.log.some((line) => line.includes('other users can read')));
});

test.serial(
  'the services reject a connection without TLS, without a password, and with another authority',
  async (t) => {
    const { secrets, redis, rabbit } = await servers();
    const ca = readFileSync(join(secrets, 'ca.pem'));
    const ping = (options: object) => {
      const client = new Redis({
        port: redis,
        host: '127.0.0.1',
        lazyConnect: true,
        retryStrategy: () => null,
        ...options,
      });
      client.on('error', () => {});
      t.teardown(() => client.disconnect());
      return client.ping();
    };
    await t.throwsAsync(ping({}), undefined, 'without TLS');
    await t.throwsAsync(ping({ tls: {} }), undefined, 'another authority');
    await t.throwsAsync(ping({ tls: { ca } }), { message: /NOAUTH/ });
    const at = `amqps://nodewright:wrong@127.0.0.1:${rabbit}`;
    await t.throwsAsync(connect(at, { ca: [ca] }), { message: /ACCESS.REFUSED/i });
    await t.throwsAsync(connect(at), { message: /certificate/ });
    // RabbitMQ answers a plain client by closing the connection.
    const socket = connectPlain(rabbit, '127.0.0.1', () => socket.write('AMQP\0\0\u0009\u0001'));
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('error', () => resolve(text));
      socket.on('close', () => resolve(text));
    });
    t.false(answer.includes('AMQPLAIN'));
  },
);
