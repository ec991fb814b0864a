/** Requests, valid and invalid, leave nothing in memory, however many were answered. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { type Census, census, handles } from '../support/faults/census.ts';
import { type Api, northbound, PASSWORD, type Request, serve, southbound } from '../support/servers/api.ts';

const VISITS = 20;
const CLIENTS = 4;
const BODY_LIMIT = 4_096;
/** The first round makes the objects that are made once; after the second all lasting objects exist. */
const WARM_UP = 2;
/** A leak of requests grows with each round; others grow once, such as the timer of a reconciler that starts late. */
const ROUNDS = 5;
/** Open resources of a client that disconnects are released shortly after; on a busy machine this takes longer. */
const RELEASE_MS = 20_000;
const POLL_MS = 50;
/** Looks in a round. The next round shows whether the handles that are left grow in number. */
const LOOKS = 3;
/**
 * Growth in a round. Less than one for each visit, which has some 28 requests. The runtime itself creates and drops lists, and creates
 * functions at times of its own.
 */
const limits = { entries: VISITS / 2, promises: VISITS / 2, functions: VISITS, elements: 3 * VISITS };

interface Scene {
  it: TestEngine;
  north: Api<TestEngine['engine']>;
  south: Api<TestEngine['engine']>;
  token: string;
}

/** The requests of a client in one visit, under names that no other visit uses. */
async function visit(t: ExecutionContext, { it, north, south, token }: Scene, name: string): Promise<void> {
  const ask = async (status: number, method: string, path: string, request: Request = {}) => {
    const answer = await north.send(method, `/api/current${path}`, { token, ...request });
    t.is(answer.status, status, `${method} ${path}`);
    return answer.body;
  };
  const node = await ask(201, 'POST', '/nodes', { body: { type: 'compute', name, identifiers: [name] } });
  const rack = await ask(201, 'POST', '/nodes', { body: { type: 'rack', name: `rack ${name}` } });
  await ask(200, 'PATCH', `/nodes/${name}`, { body: { config: { [name]: name } } });
  await ask(200, 'PATCH', `/nodes/${node.id}/tags`, { body: { tags: [name] } });
  await ask(200, 'PUT', `/nodes/${rack.id}/relations`, { body: { contains: [node.id] } });
  await ask(201, 'PUT', `/nodes/${node.id}/obm`, { body: { service: 'noop-obm-service', config: { user: name } } });
  await ask(200, 'GET', `/nodes?name=${name}`);
  const { id: hook } = await ask(201, 'POST', '/hooks', {
    body: { url: `http://127.0.0.1:9/${name}`, filters: [{ type: '^none$' }] },
  });
  const { id } = await ask(201, 'POST', `/nodes/${node.id}/workflows?name=Graph.noop-example`);
  t.is((await south.send('POST', `/api/current/notification?nodeId=${node.id}&name=${name}`)).status, 201);
  await it.finished(id);
  await ask(200, 'GET', `/workflows/${id}/history`);
  await ask(204, 'DELETE', `/workflows/${id}`);
  await ask(204, 'DELETE', `/hooks/${hook}`);
  await ask(204, 'DELETE', `/nodes/${rack.id}`);
  await ask(204, 'DELETE', `/nodes/${node.id}`);
  const entered = await north.send('POST', '/redfish/v1/SessionService/Sessions', {
    body: { UserName: 'Administrator', Password: PASSWORD },
  });
  t.true([200, 429].includes(entered.status));

  await ask(404, 'GET', `/nodes/${name}`);
  await ask(404, 'GET', `/${name}`);
  await ask(405, 'DELETE', '/nodes');
  await ask(400, 'GET', `/nodes?${name}=1`);
  await ask(400, 'POST', '/nodes', { raw: `{"name":"${name}` });
  await ask(400, 'POST', '/nodes', { body: { type: name, [name]: name } });
  await ask(400, 'POST', '/hooks', { body: { url: name, filters: [{ type: `(${name}` }] } });
  await ask(413, 'POST', '/nodes', { body: { name: name.padEnd(BODY_LIMIT + 1) } });
  await ask(415, 'POST', '/nodes', { raw: name, headers: { 'content-type': `text/${name}` } });
  await ask(401, 'GET', '/nodes', { token: name });
  await ask(404, 'POST', `/workflows?name=Graph.${name}`, { body: {} });
  const rejected = await north.send('POST', '/login', { body: { username: name, password: name } });
  t.true([401, 429].includes(rejected.status));
  await leave(north.port, name);
}

/** Disconnects in the middle of a body. */
async function leave(port: number, name: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /login HTTP/1.1\r\nHost: ${name}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
  );
  socket.destroy();
  await once(socket, 'close');
}

async function round(t: ExecutionContext, scene: Scene, number: number): Promise<void> {
  const one = async (first: number) => {
    for (let n = first; n < VISITS; n += CLIENTS) await visit(t, scene, `visit-${number}-${n}`);
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, first) => one(first)));
  scene.it.events.length = 0;
}

test('requests, valid and invalid, leave nothing behind in the process', async (t) => {
  const it = await openEngine({ heartbeatIntervalSec: 0, bodyLimit: BODY_LIMIT });
  t.teardown(() => it.close());
  const [north, south] = [await serve(t, northbound, it.engine), await serve(t, southbound, it.engine)];
  const scene = { it, north, south, token: await north.as('Administrator') };
  for (let number = 0; number < WARM_UP; number += 1) await round(t, scene, number);
  let [before, found]: [Census, string[]] = [await census(), []];
  for (let number = 1; number <= ROUNDS; number += 1) {
    await round(t, scene, WARM_UP + number);
    [before, found] = await remains(before);
    if (found.length === 0) break;
  }
  t.deepEqual(found, []);
});

/** @returns the last look, and its counts above their limits */
async function remains(before: Census): Promise<[Census, string[]]> {
  const until = Date.now() + RELEASE_MS;
  while (more(before.handles, handles()).length > 0 && Date.now() < until) await pause(POLL_MS);
  let now = await census();
  for (let look = 1; look < LOOKS && grown(before, now).length > 0; look += 1) {
    await pause(POLL_MS);
    now = await census();
  }
  return [now, grown(before, now)];
}

/** @returns the counts above their limits, in words */
function grown(before: Census, after: Census): string[] {
  const counts = (Object.keys(limits) as (keyof typeof limits)[]).filter(
    (key) => after[key] - before[key] >= limits[key],
  );
  return [...counts.map((key) => `${key}: ${before[key]}, then ${after[key]}`), ...more(before.handles, after.handles)];
}

/** @returns the kinds of handles of which there are more than before, in words */
function more(before: Census['handles'], after: Census['handles']): string[] {
  const kinds = Object.keys(after).filter((kind) => (after[kind] ?? 0) > (before[kind] ?? 0));
  return kinds.map((kind) => `${kind}: ${before[kind] ?? 0}, then ${after[kind]}`);
}
