import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openRedis } from '../../../../engine/platform/queue/redis.ts';
import { optionsOf } from '../../../../engine/platform/redis/redis-url.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { onPath } from '../../../support/ava/on-path.ts';
import { logTo, openQueues, startConsumer, whole } from '../../../support/engine/redis-queues.ts';
import { Hearing } from '../../../support/servers/hearing.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
const tls = needing(noRedis ?? (onPath('openssl') ? undefined : 'openssl is not on the PATH'));

async function start(t: ExecutionContext, ...settings: string[]): Promise<RedisServer> {
  const server = await startRedis(...settings);
  t.teardown(() => server.stop());
  return server;
}

test('a URL becomes the options of the client', (t) => {
  t.deepEqual(optionsOf('redis://h'), { host: 'h', port: 6379, db: 0 });
  const full = optionsOf('rediss://us%40er:p%2Fw@[::1]:6380/3');
  t.deepEqual(full, { host: '::1', port: 6380, db: 3, username: 'us@er', password: 'p/w', tls: {} });
});

const wrong: Record<string, string> = {
  'redis://user:s3cret@host:port': 'is not a URL',
  'http://user:s3cret@host': 'is not a redis URL',
  'redis://user:s3cret@host/x': 'has a path',
  'redis://user:s3cret%@host': 'has an invalid percent-encoding',
  'redis://user:s3cret@host?enableOfflineQueue=false': 'has a parameter',
  'redis://user:s3cret@host?tlsCAFile=x': 'without TLS',
  'rediss://user:s3cret@host?tlsCAFile=/none': 'cannot be read (ENOENT)',
};
for (const [url, what] of Object.entries(wrong)) {
  test(`a URL that ${what} stops the start without being shown: ${url}`, async (t) => {
    const error = await t.throwsAsync(openRedis(url, logTo(new Hearing())), { code: 'CONFIG_INVALID' });
    t.true(error?.message.includes(what), error?.message);
    t.notRegex(whole(error), /s3cret/);
  });
}

redis.serial('a password works, and is never shown', async (t) => {
  const server = await start(t, '--requirepass', 's3cret-word');
  const url = server.url.replace('//', '//:s3cret-word@');
  const { queues, lines } = await openQueues(t, url);
  const heard = new Hearing<string>();
  const consumer = queues.queue<{ text: string }>('q').consume(async ({ text }) => heard.add(text), 1);
  await queues.queue('q').add([{ id: 'a', data: { text: 'x' } }]);
  await heard.until((all) => all.length === 1);
  // Errors are shown in an outage, for a wrong password and for a rejected command.
  await server.kill();
  await lines.until((all) => all.length === 1);
  const rejected = await t.throwsAsync(queues.queue('q').add([{ id: 'b', data: { text: 's3cret-data' } }]));
  await server.start();
  await lines.until((all) => all.includes('Redis is back'));
  await consumer.close();
  t.notRegex(lines.all.join('\n') + whole(rejected), /s3cret/);
});

redis.serial('a wrong password stops the start, and is not shown', async (t) => {
  const server = await start(t, '--requirepass', 'right');
  const lines = new Hearing<string>();
  const opened = openRedis(server.url.replace('//', '//:s3cret-word@'), logTo(lines));
  const error = await t.throwsAsync(opened, { code: 'UNAVAILABLE', message: /WRONGPASS/ });
  t.notRegex(lines.all.join('\n') + whole(error), /s3cret/);
  t.is(lines.all.length, 1, 'reported once, not for each attempt');
});

redis.serial('an error answer to a command shows neither the command nor its data', async (t) => {
  const server = await start(t);
  const { queues } = await openQueues(t, server.url);
  await queues.queue('q').add([{ id: 'a', data: {} }]);
  await server.client().set('nodewright:q:wait', 'not a list');
  const error = await t.throwsAsync(queues.queue('q').add([{ id: 'b', data: { text: 's3cret-data' } }]));
  t.like(error, { code: 'UNAVAILABLE' });
  t.regex(error?.message ?? '', /^Redis answered with an error: WRONGTYPE/);
  t.notRegex(whole(error), /s3cret/);
});

/** A private authority, and a server with a certificate of it. */
async function startTls(t: ExecutionContext): Promise<{ url: string; ca: string }> {
  const home = folder(t);
  const at = (name: string) => join(home, name);
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=test authority');
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-addext', 'subjectAltName=IP:127.0.0.1'];
  const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE'];
  openssl('req', '-x509', ...key, ...signed, ...leaf, '-keyout', at('key'), '-out', at('crt'), '-subj', '/CN=redis');
  const files = ['--tls-cert-file', at('crt'), '--tls-key-file', at('key'), '--tls-ca-cert-file', at('ca.pem')];
  const { tlsPort, url } = await startTlsServer(t, files);
  return { url: url.replace('redis:', 'rediss:').replace(/\d+$/, String(tlsPort)), ca: at('ca.pem') };
}

async function startTlsServer(t: ExecutionContext, files: string[]): Promise<{ tlsPort: number; url: string }> {
  const server = await start(t, '--tls-auth-clients', 'no', '--requirepass', 's3cret', ...files);
  const client = server.client('s3cret');
  const tlsPort = await server.freePort();
  await client.config('SET', 'tls-port', tlsPort);
  return { tlsPort, url: server.url.replace('//', '//:s3cret@') };
}

tls.serial('TLS with a private authority works when the URL names it, workers and channels included', async (t) => {
  const { url, ca } = await startTls(t);
  const { queues } = await openQueues(t, `${url}?tlsCAFile=${encodeURIComponent(ca)}`);
  const heard = new Hearing<string>();
  const consumer = queues.queue<object>('q').consume(async () => heard.add('job'), 1);
  await queues.channel('c').subscribe(() => heard.add('message'));
  await queues.queue('q').add([{ id: 'a', data: {} }]);
  await queues.channel('c').publish({});
  t.deepEqual([...(await heard.until((all) => all.length === 2))].sort(), ['job', 'message']);
  await consumer.close();
});

tls.serial('TLS with a private authority works when the environment names it', async (t) => {
  const { url, ca } = await startTls(t);
  const child = await startConsumer(t, url, 'env', '', { NODE_EXTRA_CA_CERTS: ca });
  const { queues } = await openQueues(t, `${url}?tlsCAFile=${encodeURIComponent(ca)}`);
  await queues.queue('env').add([{ id: 'a', data: { n: 5 } }]);
  t.is(await child.line(), '5');
});

tls.serial('TLS with an untrusted authority is rejected', async (t) => {
  const { url } = await startTls(t);
  const error = await t.throwsAsync(openRedis(url, logTo(new Hearing())), { code: 'UNAVAILABLE' });
  t.regex(error?.message ?? '', /certificate/);
  t.notRegex(whole(error), /s3cret/);
});
