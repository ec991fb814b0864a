import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { selfSignedPair } from '../../api/endpoint/self-signed.ts';
import { startDaemon } from '../../api/process/daemon.ts';
import { greeting } from '../../api/process/greeting.ts';
import { folder } from '../support/ava/folder.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound, southbound } from '../support/servers/api.ts';

function closable(closed: string[]) {
  return async () => ({ ...(await fakeEngine()), close: async () => void closed.push('engine') });
}

test('listening is logged once, when every endpoint answers; stop closes them and then the engine', async (t) => {
  const lines: string[] = [];
  // The line is logged at every level, because the starting process waits for it.
  const log = pino({ level: 'silent' }, { write: (line: string) => void lines.push(line) });
  const closed: string[] = [];
  const config = { ...(await fakeEngine()).config, httpEndpoints: [northbound, southbound] };
  const daemon = await startDaemon(config, log, closable(closed));
  const [line, ...others] = lines.filter((text) => text.includes('listening'));
  t.deepEqual(others, []);
  for (const { address, port } of daemon.listeners) {
    t.true(line?.includes(`"address":"${address}","port":${port}`));
    const { status } = await fetch(`http://${address}:${port}/readyz`, { headers: { connection: 'close' } });
    t.is(status, 200);
  }
  await Promise.all([daemon.stop(), daemon.stop()]);
  t.deepEqual(closed, ['engine']);
  await t.throwsAsync(fetch(`http://127.0.0.1:${daemon.listeners[0]?.port}/healthz`));
});

test('an address in use stops the start, with everything closed again', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const closed: string[] = [];
  const config = { ...(await fakeEngine()).config, httpEndpoints: [northbound, { ...southbound, port }] };
  const error = await t.throwsAsync(startDaemon(config, pino({ level: 'silent' }), closable(closed)));
  t.is(error?.message, `cannot listen on 127.0.0.1:${port} (EADDRINUSE)`);
  t.deepEqual(closed, ['engine']);
});

test('https without a readable certificate stops the start with a message', async (t) => {
  const https = { ...northbound, httpsEnabled: true, httpsCert: '/no/such/cert.pem', httpsKey: '/no/such/key.pem' };
  const config = { ...(await fakeEngine()).config, httpEndpoints: [https] };
  const error = await t.throwsAsync(startDaemon(config, pino({ level: 'silent' }), closable([])));
  t.regex(error?.message ?? '', /cert\.pem cannot be read \(ENOENT\)/);
});

test('an authority file without a certificate stops the start with a message', async (t) => {
  const dataDir = folder(t);
  await selfSignedPair(dataDir);
  const pair = { httpsCert: join(dataDir, 'https-cert.pem'), httpsKey: join(dataDir, 'https-key.pem') };
  const https = { ...southbound, httpsEnabled: true, ...pair, httpsCa: pair.httpsKey };
  const config = { ...(await fakeEngine()).config, httpEndpoints: [https] };
  const error = await t.throwsAsync(startDaemon(config, pino({ level: 'silent' }), closable([])));
  t.regex(error?.message ?? '', /https-key\.pem is not a PEM certificate$/);
});

test('https with a configured certificate works beside http, each on its port', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'nodewright-'));
  t.teardown(() => rm(dataDir, { recursive: true }));
  const { cert } = await selfSignedPair(dataDir);
  const pair = { httpsCert: join(dataDir, 'https-cert.pem'), httpsKey: join(dataDir, 'https-key.pem') };
  const httpEndpoints = [{ ...northbound, httpsEnabled: true, ...pair }, northbound, southbound];
  const config = { ...(await fakeEngine()).config, httpEndpoints };
  const daemon = await startDaemon(config, pino({ level: 'silent' }, { write: () => {} }), closable([]));
  t.teardown(() => daemon.stop());
  const agent = new Agent({ connect: { ca: cert } });
  for (const [at, [scheme, status]] of [
    ['https', 401],
    ['http', 401],
    ['http', 404],
  ].entries()) {
    const url = `${scheme}://127.0.0.1:${daemon.listeners[at]?.port}/api/current/nodes`;
    const { statusCode, body } = await request(url, { dispatcher: agent });
    t.is(statusCode, status as number);
    await body.dump();
  }
  await agent.close();
});

test('https without a certificate generates one in dataDir, keeps it, and only the owner can read its key', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'nodewright-'));
  t.teardown(() => rm(dataDir, { recursive: true }));
  const config = { ...(await fakeEngine()).config, dataDir, httpEndpoints: [{ ...northbound, httpsEnabled: true }] };
  const create = async () => ({ ...(await fakeEngine({ dataDir })), close: async () => {} });
  const daemon = await startDaemon(config, pino({ level: 'silent' }, { write: () => {} }), create);
  t.teardown(() => daemon.stop());
  const cert = await readFile(join(dataDir, 'https-cert.pem'));
  // Trusting exactly this certificate proves that it is well formed and contains the address.
  const agent = new Agent({ connect: { ca: cert } });
  const { statusCode, body } = await request(`https://127.0.0.1:${daemon.listeners[0]?.port}/healthz`, {
    dispatcher: agent,
  });
  t.is(statusCode, 200);
  await body.dump();
  await agent.close();
  const certificate = new X509Certificate(cert);
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  for (const address of own.filter((one) => !one.startsWith('fe80'))) t.truthy(certificate.checkIP(address), address);
  t.is((await stat(join(dataDir, 'https-key.pem'))).mode & 0o777, 0o600);
  t.deepEqual((await selfSignedPair(dataDir)).cert, cert);
});

test('the line for the terminal has an address that a browser takes, and says where the first user is created', (t) => {
  const [health, north] = [{ routers: 'health-router' }, { routers: 'northbound-api-router' }] as const;
  const of = (address: string, httpsEnabled: boolean) =>
    greeting(
      [
        { ...health, httpsEnabled },
        { ...north, httpsEnabled },
      ],
      [
        { address: '127.0.0.1', port: 1 },
        { address, port: 8080 },
      ],
      false,
    );
  t.is(of('0.0.0.0', false), 'nodewright is ready: http://127.0.0.1:8080/ui (create the first user there)');
  t.is(of('fe80::1', true), 'nodewright is ready: https://[fe80::1]:8080/ui (create the first user there)');
  t.is(greeting([], [], true), undefined);
});
