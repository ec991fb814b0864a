import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test from 'ava';
import { Egress } from '../../../../engine/platform/lib/egress.ts';
import { openEngine } from '../../../support/engine/engine.ts';
import { northbound, serve } from '../../../support/servers/api.ts';

const nothing = { allow: [], deny: [] };

/** The URLs that are permitted. */
const permitted = (egress: Egress, urls: readonly string[]): string[] =>
  urls.filter((url) => {
    try {
      egress.check(url);
      return true;
    } catch {
      return false;
    }
  });

const addresses = [
  'http://169.254.169.254/latest',
  'http://[fe80::1]/',
  'http://127.0.0.1/',
  'http://[::1]/',
  'http://10.1.1.1/',
];

test('link-local addresses are forbidden, and loopback where users are on other machines', (t) => {
  t.deepEqual(permitted(new Egress(nothing, false), addresses), ['http://10.1.1.1/']);
  t.deepEqual(permitted(new Egress(nothing, true), addresses), addresses.slice(2));
  const disguised = [
    'http://2130706433/',
    'http://0x7f.1/',
    'http://127.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://0.0.0.0/',
  ];
  t.deepEqual(permitted(new Egress(nothing, false), disguised), []);
  t.deepEqual(permitted(new Egress(nothing, true), ['http://[fd00:ec2::254]/latest', 'http://[fd20:ce::254]/']), []);
});

test('an IPv4 address is judged in the IPv6 addresses that gateways translate to it', (t) => {
  const formsOf = (words: string) =>
    [`64:ff9b::${words}`, `64:ff9b:1::${words}`, `::ffff:0:${words}`, `2002:${words}::1`].map(
      (one) => `http://[${one}]/`,
    );
  const some = new Egress({ allow: ['10.1.0.0/16'], deny: ['10.0.0.0/8'] }, false);
  for (const words of ['7f00:1', 'a9fe:a9fe', 'a00:1']) t.deepEqual(permitted(some, formsOf(words)), [], words);
  for (const words of ['a01:1', 'b00:1']) t.deepEqual(permitted(some, formsOf(words)), formsOf(words), words);
});

test('allow permits, deny forbids, by name, address and subnet', (t) => {
  const lists = { allow: ['127.0.0.1', '*.example.com', 'repo'], deny: ['*', '10.0.0.0/8'] };
  const urls = [
    'http://127.0.0.1:9/',
    'http://127.0.0.2/',
    'https://a.example.com/',
    'https://example.com/',
    'http://REPO/x',
  ];
  t.deepEqual(permitted(new Egress(lists, false), urls), [urls[0], urls[2], urls[4]] as string[]);
  const named = new Egress({ allow: ['a.example.com.'], deny: ['*.example.com'] }, false);
  t.deepEqual(permitted(named, ['http://b.example.com./', 'http://B.example.com/', 'http://a.example.com/']), [
    'http://a.example.com/',
  ]);
  const some = new Egress({ allow: ['10.1.0.0/16'], deny: ['10.0.0.0/8'] }, false);
  t.deepEqual(permitted(some, ['http://10.1.2.3/', 'http://10.2.2.3/', 'http://192.168.1.1/']), [
    'http://10.1.2.3/',
    'http://192.168.1.1/',
  ]);
});

test('a name is judged by the address that is connected to', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const reached = (egress: Egress) =>
    new Promise<string>((resolve) => {
      const socket: Socket = connect({ host: 'localhost', port, lookup: egress.lookup, family: 4 });
      socket.once('connect', () => resolve('connected'));
      socket.once('error', ({ message }) => resolve(message));
      t.teardown(() => socket.destroy());
    });
  t.is(await reached(new Egress(nothing, true)), 'connected');
  t.is(await reached(new Egress({ allow: ['localhost'], deny: [] }, false)), 'connected');
  t.regex(
    await reached(new Egress(nothing, false)),
    /requests to localhost \(127\.0\.0\.1\) are not permitted; choose another host/,
  );
});

test('REST tasks and hooks of a daemon that others reach do not reach its loopback', async (t) => {
  const endpoint = { port: 0, routers: 'northbound-api-router' as const };
  const it = await openEngine({ httpEndpoints: [{ ...endpoint, address: '0.0.0.0' }] });
  t.teardown(() => it.close());
  const tasks = [{ label: 'it', taskName: 'Task.Run.Rest.Command' }];
  await it.engine.library.putGraph({ friendlyName: 'Send', injectableName: 'Graph.Send', tasks });
  const row = await it.finished((await it.launch('Graph.Send', { it: { url: 'http://127.0.0.1:9/' } })).id);
  t.like(row, { status: 'failed', error: { code: 'EGRESS_DENIED' } });
  const open = { ...northbound, authEnabled: false };
  const { send } = await serve(t, open, it.engine);
  const { status, body } = await send('POST', '/api/current/hooks', { body: { url: 'http://169.254.169.254/' } });
  t.is(status, 400);
  t.like(body.errors[0], { path: 'url' });
});
