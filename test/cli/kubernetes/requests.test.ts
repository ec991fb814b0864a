/** Requests to Kubernetes: wrong answers have a code and a sentence, outages are waited for, the token stays with the configured address. */
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Command } from 'commander';
import { requestIn } from '../../../api/cli/kubernetes/annotations.ts';
import { metalOperator } from '../../../api/cli/kubernetes/ironcore-server.ts';
import { addressingKubernetes, kubernetesAddressOf } from '../../../api/cli/kubernetes/kubernetes-address.ts';
import { Kubernetes } from '../../../api/cli/kubernetes/kubernetes-client.ts';
import { KubernetesError } from '../../../api/cli/kubernetes/kubernetes-error.ts';
import { metal3 } from '../../../api/cli/kubernetes/metal3-host.ts';
import { listPath } from '../../../api/cli/kubernetes/parked-server.ts';
import { folder } from '../../support/ava/folder.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../../support/servers/fake-kubernetes.ts';
import { hostOf } from '../../support/servers/fake-operators.ts';
import { freePort } from '../../support/servers/server.ts';

const hosts = listPath(metal3);

const open = (t: ExecutionContext, { url, token }: Pick<FakeKubernetes, 'url' | 'token'>): Kubernetes => {
  const kubernetes = new Kubernetes({ url, token: () => token, ca: undefined }, new AbortController().signal);
  t.teardown(() => kubernetes.close());
  return kubernetes;
};

const JSON_TYPE = 'application/json';
const answers =
  (status: number, type: string, text: string, headers = {}) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
    return true;
  };

/** Answers in the form of kube-apiserver, and of other services. */
const wrong = [
  [401, JSON_TYPE, '{"kind":"Status","message":"Unauthorized"}', 'KUBERNETES_UNAUTHORIZED'],
  [403, JSON_TYPE, '{"message":"nodes is forbidden: User \\"x\\" cannot list resource"}', 'KUBERNETES_FORBIDDEN'],
  [404, 'text/plain; charset=utf-8', '404 page not found', 'KUBERNETES_REJECTED'],
  [400, JSON_TYPE, '{"message":"unable to parse requirement: found \'b\\u001b[2J\'"}', 'KUBERNETES_REJECTED'],
  [410, JSON_TYPE, '{"reason":"Expired","message":"The provided continue parameter is too old"}', 'KUBERNETES_GONE'],
  [200, 'text/html', '<h1>Welcome</h1>', 'KUBERNETES_UNEXPECTED'],
  [302, 'text/html', '', 'KUBERNETES_UNEXPECTED'],
  [200, JSON_TYPE, '{"hello":', 'KUBERNETES_UNEXPECTED'],
  [200, JSON_TYPE, '{"hello":"another service"}', 'KUBERNETES_UNEXPECTED'],
] as const;

test('each wrong answer is an error with its code, without the token and without characters that a terminal obeys', async (t) => {
  const fake = await startFakeKubernetes(t, 'metal3.io');
  const kubernetes = open(t, fake);
  for (const [status, type, text, code] of wrong) {
    fake.behave = answers(status, type, text);
    const error = await t.throwsAsync(kubernetes.list(hosts, {}), { instanceOf: KubernetesError }, text);
    t.is(error?.code, code, text);
    t.false(['eyJ', '\u001b'].some((part) => error?.message.includes(part)));
  }
  fake.behave = undefined;
  fake.put(hostOf('h1', '02:00:00:00:01:01'));
  await t.throwsAsync(kubernetes.patch(`${hosts}/h1`, { metadata: { resourceVersion: '1' } }), {
    message: /the object has been modified; .* \(KUBERNETES_CONFLICT\)$/,
  });
});

test('a Kubernetes that is away is KUBERNETES_UNAVAILABLE; one that is busy is asked again, unless it wants a long pause', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  await t.throwsAsync(open(t, { url, token: 'x' }).get('/apis'), {
    message: /ECONNREFUSED \(KUBERNETES_UNAVAILABLE\)/,
  });
  const fake = await startFakeKubernetes(t, 'metal3.io');
  const kubernetes = open(t, fake);
  fake.behave = (request, response) =>
    fake.requests.length < 3 && answers(429, JSON_TYPE, '{}', { 'retry-after': '1' })(request, response);
  await kubernetes.get('/apis');
  t.is(fake.requests.length, 3);
  fake.behave = answers(429, JSON_TYPE, '{}', { 'retry-after': '3600' });
  await t.throwsAsync(kubernetes.get('/apis'), { message: /answers 429/ });
  t.is(fake.requests.length, 4, 'an hour is no pause');
});

test('a list is read to its end, and a watch yields what comes after it', async (t) => {
  const fake = await startFakeKubernetes(t, 'metal3.io');
  const kubernetes = open(t, fake);
  for (const n of [1, 2, 3, 4, 5]) fake.put(hostOf(`h${n}`, `02:00:00:00:00:0${n}`));
  const { items, resourceVersion } = await kubernetes.list(hosts, {});
  t.is(items.length, 5);
  fake.change('h3', { metadata: { annotations: { a: 'b\nc' } } });
  const types: unknown[] = [];
  for await (const { type } of kubernetes.watch(hosts, {}, resourceVersion, new AbortController().signal)) {
    types.push(type);
    if (types.length === 2) fake.endWatches();
  }
  t.deepEqual(types, ['MODIFIED', 'BOOKMARK']);
  fake.behave = answers(200, JSON_TYPE, '{"type":\n');
  const broken = kubernetes.watch(hosts, {}, '1', new AbortController().signal);
  await t.throwsAsync(broken.next(), { message: /a watch without JSON, .*\(KUBERNETES_UNEXPECTED\)/ });
});

test('a list that is none, has too many objects, or never ends is an error', async (t) => {
  const fake = await startFakeKubernetes(t, 'metal3.io');
  const kubernetes = open(t, fake);
  const page = (items: string) => `{"metadata":{"resourceVersion":"1","continue":"next"},"items":[${items}]}`;
  for (const [items, requests, message] of [
    ['1', 1, /JSON without a list, .*\(KUBERNETES_UNEXPECTED\)/],
    [`{}${',{}'.repeat(200_000)}`, 1, /more than 50000 objects; narrow it \(KUBERNETES_REJECTED\)/],
    ['', 1_000, /a list of more than 1000 pages, .*\(KUBERNETES_UNEXPECTED\)/],
  ] as const) {
    const before = fake.requests.length;
    fake.behave = answers(200, JSON_TYPE, page(items));
    await t.throwsAsync(kubernetes.list(hosts, {}), { message });
    t.is(fake.requests.length - before, requests);
  }
});

test('the address is that of the options, else of the pod, whose token is read again; a token is not sent in the clear', (t) => {
  const own = folder(t);
  const token = join(own, 'token');
  writeFileSync(token, 'first\n');
  writeFileSync(join(own, 'ca.crt'), 'PEM');
  const address = kubernetesAddressOf({ server: 'https://k8s:6443/', tokenFile: token });
  t.is(address.url, 'https://k8s:6443');
  writeFileSync(token, 'second\n');
  t.is(address.token(), 'second');
  t.is(kubernetesAddressOf({ server: 'http://127.0.0.1:8001' }).token(), undefined);
  process.env.KUBERNETES_SERVICE_HOST = 'fd00::1';
  t.teardown(() => delete process.env.KUBERNETES_SERVICE_HOST);
  const pod = kubernetesAddressOf({}, own);
  t.deepEqual([pod.url, pod.token(), pod.ca], ['https://[fd00::1]:443', 'second', 'PEM']);
  t.throws(() => kubernetesAddressOf({ server: 'http://k8s', tokenFile: token }), { message: /expected https:/ });
  t.throws(() => kubernetesAddressOf({ server: 'https://k8s' }), { message: /^found no token of Kubernetes/ });
  t.throws(() => kubernetesAddressOf({ server: 'https://u:secret@k8s' }), {
    message: /^found the URL "https:\/\/REDACTED@k8s"/,
  });
  t.throws(() => kubernetesAddressOf({ server: 'https://k8s', tokenFile: '/nowhere' }), {
    message: /\/nowhere: ENOENT/,
  });
  t.notRegex(addressingKubernetes(new Command()).helpInformation(), /--token[ ,]/);
});

test('values of a server are bounded, and a value of another type is none', (t) => {
  const nics = Array.from({ length: 500 }, (_, n) => ({
    mac: `02:00:00:00:${(n >> 8).toString(16).padStart(2, '0')}:${(n & 255).toString(16).padStart(2, '0')}`,
  }));
  const status = { hardware: { nics: [{ mac: 7 }, 'no nic', { mac: '__proto__' }, ...nics] } };
  t.is(metal3.read({ spec: { bootMACAddress: ['x'] }, status }).macs.length, 100);
  t.like(metal3.read({ spec: null, status: 'x' }), { macs: [], serial: undefined, isParked: false, usedBy: undefined });
  t.like(metalOperator.read({ status: { state: {}, networkInterfaces: {} } }), { macs: [], isParked: false });
  t.regex(String(requestIn({ 'nodewright/graph': 'x'.repeat(501) })), /^found 501 characters/);
  t.regex(String(requestIn({ 'nodewright/graph': 'G', 'nodewright/options': '{"a":1}' })), /no JSON object of objects/);
  t.regex(String(requestIn({ 'nodewright/graph': 'G', 'nodewright/data': 'yes' })), /expected destroy/);
});
