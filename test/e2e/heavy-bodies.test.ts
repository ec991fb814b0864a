/** The widest, deepest and longest bodies do not hold the daemon, with and without a token, alone and many at the same time. */
import { request } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import pLimit from 'p-limit';
import { pathsOf, type Route } from '../../api/http/route.ts';
import { drawn } from '../drawn.mjs';
import { heavyBodies, heavyUploads, routesOf } from '../support/data/heavy-bodies.ts';
import { busyMs, peakMiB } from '../support/faults/busy.ts';
import { startChild } from '../support/faults/child.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { keyIn, nodeIn } from '../support/servers/sender.ts';

const AT_ONCE = 60;
/** ms of CPU time of the main thread between a request for `/healthz` and its answer. */
const HELD_MS = 250;
/** One of this many bodies is sent beside others; prime to the numbers of senders and fillings. */
const EACH = 17;
const MEMORY_MIB = 700;
const JSON_TYPE = { 'content-type': 'application/json' };
const BYTES_TYPE = { 'content-type': 'application/octet-stream' };

interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  text: () => string | Buffer;
  name: string;
}

/** @returns the status; 0 when the connection was closed before the answer arrived, which no sender should meet twice */
function send({ method, url, headers, text }: Sent): Promise<number> {
  const body = text();
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve) => {
    const sent = request(url, { method, agent: false, headers: { ...length, ...headers } }, (answer) => {
      answer.resume();
      answer.once('close', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}

/** @returns asks for the longest that the main thread was busy before it answered `/healthz`, since the last call */
function watched(t: ExecutionContext, daemon: DaemonProcess): () => Promise<number> {
  const watch = startChild("import './test/support/servers/health-watch.ts';", {
    WATCHED_URL: daemon.southboundUrl('/healthz'),
    WATCHED_PID: String(daemon.pid),
  });
  t.teardown(() => watch.kill('SIGKILL'));
  return async () => {
    watch.say('');
    return Number(await watch.line());
  };
}

/** A body with a token in it, as the sender of a small one may have. */
const withToken = (text: string, token: string): string =>
  text.startsWith('{') ? `{"auth_token":${JSON.stringify(token)},${text.slice(1)}` : text;

interface Place {
  routes: readonly Route[];
  base: string;
  /** Headers; the token of `auth_token` is sent in the body. */
  senders: readonly Record<string, string>[];
}

/** Half of the routes in CI, with that of catalogs, of which sixty are sent at a time. */
function chosen(routes: readonly Route[]): Route[] {
  const half = drawn(routes, 1 / 2);
  return routes.filter((route) => route.id === 'addCatalog' || (half.includes(route) && route.id !== 'changeUser'));
}

/**
 * Every heavy body of the chosen routes of both routers: with a token in the header, in the body and without, with the right key, with a
 * wrong one and without.
 */
function* all(daemon: DaemonProcess, { node, key }: Booted): Generator<Sent> {
  const { url, headers } = daemon.authorized('');
  const auth_token = headers.authorization?.replace('JWT ', '') ?? '';
  const keys: Record<string, string>[] = [{}, ...[key, `${node}.x`].map((one) => ({ 'x-nodewright-key': one }))];
  const places: Place[] = [
    { routes: routesOf.northbound, base: url.replace('/api/current', ''), senders: [headers, { auth_token }, {}] },
    { routes: routesOf.southbound, base: daemon.southboundUrl(''), senders: keys },
  ];
  const path = (route: Route) =>
    (pathsOf(route)[0] ?? '').replace(':identifier', node).replaceAll(/:\w+/g, 'Graph.noop-example');
  for (const { routes, base, senders } of places)
    for (const route of chosen(routes)) {
      const to = { method: route.method, url: base + path(route) };
      for (const { name, text } of heavyBodies(route))
        for (const { auth_token, ...own } of senders) {
          const whole = auth_token === undefined ? text : () => withToken(text(), auth_token);
          yield { ...to, headers: { ...JSON_TYPE, ...own }, text: whole, name: `${route.id}: ${name}` };
        }
      for (const { name, text } of heavyUploads(route))
        for (const { auth_token, ...own } of senders)
          yield { ...to, headers: { ...BYTES_TYPE, ...own }, text, name: `${route.id}: ${name}` };
    }
}

/**
 * By route and filling, at the first place of the route, since its places differ little: one of the senders sends it alone, in turn,
 * and each of them sends many of the bodies beside others.
 */
function sendersByFilling(every: Iterable<Sent>): Map<string, Sent[]> {
  const first = new Map<string, string>();
  const senders = new Map<string, Sent[]>();
  for (const one of every) {
    const filling = `${one.method} ${one.url} ${one.name.split(' in ')[0]}`;
    if (!first.has(filling)) first.set(filling, one.name);
    if (first.get(filling) === one.name) senders.set(filling, [...(senders.get(filling) ?? []), one]);
  }
  return senders;
}

interface Booted {
  node: string;
  key: string;
}

/** A machine boots, and has the key of its boot. */
async function booted({ southbound }: DaemonProcess): Promise<Booted> {
  const { body: script } = await southbound('GET', '/profiles?macs=02:dd:00:00:00:02');
  return { node: nodeIn(script), key: keyIn(script) ?? '' };
}

test('no body holds the daemon or takes its memory, alone or with sixty others, on any route', async (t) => {
  const daemon = await startDaemonProcess(t);
  const node = await booted(daemon);
  const held = watched(t, daemon);
  const statuses = new Map<number, number>();
  const slow: string[] = [];
  const sent = async (one: Sent) => {
    // On a busy machine a limit of time may cut a connection: its sender tries again.
    const status = (await send(one)) || (await send(one));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const ms = await held();
    if (ms > HELD_MS) slow.push(`${Math.round(ms)} ms: ${status} ${one.name}`);
  };
  for (const [turn, senders] of [...sendersByFilling(all(daemon, node)).values()].entries())
    await sent(senders[turn % senders.length] as Sent);
  const limit = pLimit(AT_ONCE);
  const waiting: Promise<void>[] = [];
  let at = 0;
  for (const one of all(daemon, node)) {
    at += 1;
    // Each place gets some of the bodies and senders, and in all each body and sender gets to each route.
    if (at % EACH !== 0) continue;
    waiting.push(limit(() => sent(one)));
    if (waiting.length >= AT_ONCE) await waiting.shift();
  }
  await Promise.all(waiting);
  const catalogs = [...all(daemon, node)].filter(({ name }) => /^addCatalog: long in .*"data":"@@"/.test(name));
  for (const one of catalogs) await Promise.all(Array.from({ length: AT_ONCE }, () => sent(one)));
  t.log(Object.fromEntries(statuses), `${Math.round(peakMiB(daemon.pid))} MiB`, `${Math.round(busyMs(daemon.pid))} ms`);
  t.deepEqual(slow, []);
  t.true(peakMiB(daemon.pid) < MEMORY_MIB, `${peakMiB(daemon.pid)} MiB`);
  t.true((statuses.get(201) ?? 0) > 0 && (statuses.get(429) ?? 0) > 0);
  t.is(statuses.get(500), undefined);
  t.is(statuses.get(0), undefined);
  t.is((await daemon.api('GET', '/summary')).status, 200);
});
