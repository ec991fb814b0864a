/** Requests to NetBox: wrong answers have a code and a sentence, outages are waited for, the token stays with the configured address. */
import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { Command } from 'commander';
import { addressingNetBox, netBoxAddressOf } from '../../../api/cli/netbox/netbox-address.ts';
import { NetBox } from '../../../api/cli/netbox/netbox-client.ts';
import { NetBoxError } from '../../../api/cli/netbox/netbox-error.ts';
import { appendFilter, readDevices } from '../../../api/cli/netbox/read-devices.ts';
import { type FakeNetBox, startFakeNetBox } from '../../support/servers/fake-netbox.ts';
import { freePort } from '../../support/servers/server.ts';
import { twoServers } from './scene.ts';

const open = (t: ExecutionContext, { url, token }: Pick<FakeNetBox, 'url' | 'token'>): NetBox => {
  const netBox = new NetBox({ url, token, ca: undefined }, new AbortController().signal);
  t.teardown(() => netBox.close());
  return netBox;
};

const answers =
  (status: number, type: string, text: string, headers = {}) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
    return true;
  };

const JSON_TYPE = 'application/json';
const wrong = [
  [403, JSON_TYPE, '{"detail":"Invalid v1 token"}', 'NETBOX_UNAUTHORIZED'],
  [403, JSON_TYPE, '{"detail":"You do not have permission to perform this action."}', 'NETBOX_FORBIDDEN'],
  [200, 'text/html', '<h1>Welcome</h1>', 'NETBOX_UNEXPECTED'],
  [302, 'text/html', '', 'NETBOX_UNEXPECTED'],
  [200, JSON_TYPE, '{"hello":', 'NETBOX_UNEXPECTED'],
  [200, JSON_TYPE, '{"name":"another service"}', 'NETBOX_UNEXPECTED'],
  [200, JSON_TYPE, '{"netbox-version":"3.7.8"}', 'NETBOX_VERSION'],
  [400, JSON_TYPE, '{"site":["Select a valid choice."]}', 'NETBOX_REJECTED'],
  [500, JSON_TYPE, '{"error":"boom\\u001b[2J"}', 'NETBOX_UNEXPECTED'],
] as const;

test('each wrong answer is an error with its code, without the token and without characters that a terminal obeys', async (t) => {
  const fake = await startFakeNetBox(t);
  const netBox = open(t, fake);
  for (const [status, type, text, code] of wrong) {
    fake.behave = answers(status, type, text);
    const error = await t.throwsAsync(netBox.checkVersion(), { instanceOf: NetBoxError }, `${status} ${text}`);
    t.is(error?.code, code, text);
    t.false(['nbt_', '\u001b'].some((part) => error?.message.includes(part)));
  }
  fake.behave = undefined;
  await netBox.checkVersion();
  const error = await t.throwsAsync(readDevices(netBox, [['role', 'nope']]), { instanceOf: NetBoxError });
  t.regex(
    error?.message ?? '',
    /role: Select a valid choice\. nope is not one of the available choices \(NETBOX_REJECTED\)/,
  );
});

test('a NetBox that is away is NETBOX_UNAVAILABLE; one that is busy is asked again, but not to create something twice', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const error = await t.throwsAsync(open(t, { url, token: 'x' }).checkVersion(), { instanceOf: NetBoxError });
  t.regex(error?.message ?? '', /ECONNREFUSED \(NETBOX_UNAVAILABLE\)/);
  const fake = await startFakeNetBox(t);
  const netBox = open(t, fake);
  let requests = 0;
  fake.behave = (request, response) => {
    requests += 1;
    return requests < 3 && answers(503, 'text/html', 'busy')(request, response);
  };
  await netBox.checkVersion();
  t.is(requests, 3);
  requests = 0;
  await t.throwsAsync(netBox.post('extras/journal-entries/', {}), { message: /answers 503 \(NETBOX_UNAVAILABLE\)/ });
  t.is(requests, 1);
  requests = 0;
  fake.behave = (request, response) => {
    requests += 1;
    return answers(429, JSON_TYPE, '{}', { 'retry-after': '3600' })(request, response);
  };
  await t.throwsAsync(netBox.checkVersion(), { message: /answers 429/ });
  t.is(requests, 1, 'an hour is no pause');
});

test('a list is read to its end although pages are smaller than asked for, and links to another host are not followed', async (t) => {
  const fake = await startFakeNetBox(t);
  fake.add(...[1, 2, 3, 4, 5].map((id) => ({ id, name: `d${id}`, macs: [`02:00:00:00:00:0${id}`] })));
  const devices = await readDevices(open(t, fake), []);
  t.deepEqual(
    devices.map(({ name, macs }) => [name, macs.length]),
    [1, 2, 3, 4, 5].map((id) => [`d${id}`, 1]),
  );
});

test('a list of records that are none, or of more than one may have, ends with an error although it has a next page', async (t) => {
  const fake = await startFakeNetBox(t);
  const netBox = open(t, fake);
  const page = (results: string) => answers(200, JSON_TYPE, `{"next":"${fake.url}/next","results":[${results}]}`);
  for (const [results, message] of [
    ['1', /JSON without results, .*\(NETBOX_UNEXPECTED\)/],
    [`{}${',{}'.repeat(200_000)}`, /more than 100000 records; .*\(NETBOX_REJECTED\)/],
  ] as const) {
    let requests = 0;
    fake.behave = (request, response) => {
      requests += 1;
      // A second request gets the end of the list.
      return requests === 1
        ? page(results)(request, response)
        : answers(200, JSON_TYPE, '{"results":[]}')(request, response);
    };
    await t.throwsAsync(netBox.list('dcim/devices/'), { message });
    t.is(requests, 1);
  }
});

test('MACs of NetBox before 4.2, of interfaces for management, and of bonds', async (t) => {
  const fake = await startFakeNetBox(t);
  fake.add(twoServers[0]);
  const device = { id: 1, display: 'srv-01' };
  const type = { value: '1000base-t' };
  fake.interfaces.push(
    { id: 1, device, type, mgmt_only: true, mac_address: '02:00:00:00:0A:01' },
    { id: 2, device, type: { value: 'lag' }, mgmt_only: false, mac_address: '02:00:00:00:0A:02' },
    { id: 3, device, type, mgmt_only: false, mac_address: '02-00-00-00-0A-03' },
  );
  const [first] = await readDevices(open(t, fake), []);
  t.deepEqual(first?.macs, ['02:00:00:00:01:01', '02:00:00:00:0a:03']);
});

test('a filter that NetBox does not have is refused, because NetBox would return all devices; so is an address without a token', (t) => {
  t.deepEqual(appendFilter('site=fra1', appendFilter('cf_owner=a b')), [
    ['cf_owner', 'a b'],
    ['site', 'fra1'],
  ]);
  for (const text of ['sitee=fra1', 'site', 'site=', '=x', 'limit=1'])
    t.throws(() => appendFilter(text), { message: /NAME one of id/ });
  t.throws(() => netBoxAddressOf({ netbox: 'ftp://x' }), { message: /found the URL "ftp:\/\/x" of NetBox/ });
  t.throws(() => netBoxAddressOf({ netbox: 'https://user:secret@x' }), {
    message: /^found the URL "https:\/\/REDACTED@x"/,
  });
  t.throws(() => netBoxAddressOf({ netbox: 'https://x', tokenFile: '/nowhere' }), { message: /\/nowhere: ENOENT/ });
  t.notRegex(addressingNetBox(new Command()).helpInformation(), /--token[ ,]/);
});
