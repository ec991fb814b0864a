/** The log of events over real sockets: pages, filters, positions that are gone, and the stream. */
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { LoggedEvent } from '../../engine/api-port/events.ts';
import { eventMarkSpec, type StoredMarks } from '../../engine/events/event-log/event-marks.ts';
import type { EventPayload } from '../../engine/vocabulary/event.ts';
import { nodeEvent, published } from '../support/engine/events.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { MemoryStore } from '../support/engine/memory-store.ts';
import { seen } from '../support/faults/workload.ts';
import { type Api, northbound, openApi } from '../support/servers/api.ts';
import { readEvents } from '../support/servers/sse.ts';

const open = { ...northbound, authEnabled: false };
const PATH = '/api/current/events';

const end = (typeId: string, status: string, n: number): EventPayload =>
  nodeEvent({ type: 'graph', action: 'finished', typeId, nodeId: null, n, data: { status } });

const write = ({ engine }: Api, ...events: EventPayload[]) => engine.outbox.publish(published(...events));
const named = (body: LoggedEvent[]) => body.map(({ typeId }) => typeId);
const stream = ({ port }: Api, query = '') => `http://127.0.0.1:${port}${PATH}/stream${query}`;

async function opened(t: ExecutionContext): Promise<Api> {
  const api = await openApi(t, open);
  await write(api, nodeEvent({ typeId: 'a', nodeId: 'a' }), nodeEvent({ typeId: 'b', nodeId: 'b', action: 'added' }));
  await write(api, end('w1', 'failed', 1), end('w2', 'cancelled', 1), end('w3', 'succeeded', 1));
  return api;
}

test('the log is listed from the oldest, page by page', async (t) => {
  const { send } = await opened(t);
  const { body: all, headers } = await send('GET', PATH);
  t.deepEqual(named(all), ['a', 'b', 'w1', 'w2', 'w3']);
  t.is(headers.get('link'), null);
  for (let path: string | undefined = `${PATH}?limit=2&type=graph,node`, seen: string[] = []; ; ) {
    const answer = await send('GET', path);
    seen = [...seen, ...named(answer.body)];
    path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    if (path === undefined) {
      t.deepEqual(seen, named(all));
      break;
    }
    t.is(answer.body.length, 2);
    t.true(path.startsWith(`${PATH}?`));
  }
  t.deepEqual((await send('GET', `${PATH}?after=${all[4].seq}`)).body, []);
});

test('the filters select as in other lists, and a value without a meaning is rejected', async (t) => {
  const { send } = await opened(t);
  const found = async (query: string) => named((await send('GET', `${PATH}?${query}`)).body);
  t.deepEqual(await found('type=graph'), ['w1', 'w2', 'w3']);
  t.deepEqual(await found('status=failed,cancelled'), ['w1', 'w2']);
  t.deepEqual(await found('typeId=a,w3'), ['a', 'w3']);
  t.deepEqual(await found('typeId.prefix=w'), ['w1', 'w2', 'w3']);
  t.deepEqual(await found('nodeId=null'), ['w1', 'w2', 'w3']);
  t.deepEqual(await found('action=added'), ['b']);
  t.deepEqual(await found('severity=critical'), []);
  for (const query of [
    ...[
      'status=bogus',
      'type=x',
      'action=x',
      'severity=high',
      'limit=0',
      'limit=1001',
      'after=-1',
      'after=x',
      'since=x',
    ],
    ...['$top=1', 'sort=seq', 'x=1', 'after=1&after=2', '__proto__=1'],
  ]) {
    const { status, body } = await send('GET', `${PATH}?${query}`);
    t.is(status, 400, query);
    t.is(body.errors[0].path, query.split('=')[0]);
    t.is((await send('GET', `${PATH}/stream?${query}`)).status, 400, query);
  }
});

test('a time in any form begins the list; with a position it is 400', async (t) => {
  const api = await openApi(t, open, await fakeEngine({}, new MemoryStore()));
  await write(api, end('w1', 'failed', 1));
  const listed = async (time: string) =>
    named((await api.send('GET', `${PATH}?since=${encodeURIComponent(time)}`)).body);
  t.deepEqual(await listed(new Date(Date.now() - 60_000).toISOString()), ['w1']);
  t.deepEqual(await listed('2020-01-01T01:00:00+02:00'), ['w1']);
  t.deepEqual(await listed(new Date(Date.now() + 60_000).toISOString()), []);
  const { status, body } = await api.send('GET', `${PATH}?after=1&since=2020-01-01T00:00:00Z`);
  t.is(status, 400);
  t.is(body.errors[0].path, 'since');
});

test('a position that is gone is 410 with the oldest, in the list and in the stream', async (t) => {
  const store = new MemoryStore();
  const api = await openApi(t, open, await fakeEngine({}, store));
  await write(api, end('w1', 'failed', 1), end('w2', 'failed', 1));
  await write(api, end('w3', 'failed', 1));
  const marks = await store.collection<StoredMarks>(eventMarkSpec);
  await marks.update({ id: 'log' }, { $set: { removed: 2 } });
  const { status, body } = await api.send('GET', `${PATH}?after=1`);
  t.is(status, 410);
  t.like(body, { code: 'EVENTS_GONE', status: 410, oldest: 3 });
  const headers = { 'last-event-id': '1' };
  const gone = await api.send('GET', `${PATH}/stream`, { headers });
  t.is(gone.status, 410);
  t.is(gone.body.oldest, 3);
  t.deepEqual(named((await api.send('GET', PATH)).body), ['w3']);
  t.deepEqual(named((await api.send('GET', `${PATH}?after=2`)).body), ['w3']);
});

test('a position that no event has had yet is 410 too, and a reader continues from the oldest', async (t) => {
  const api = await openApi(t, open, await fakeEngine({}, new MemoryStore()));
  await write(api, end('w1', 'failed', 1));
  const { body: stored } = await api.send('GET', PATH);
  const { status, body } = await api.send('GET', `${PATH}?after=${Number.MAX_SAFE_INTEGER}`);
  t.is(status, 410);
  t.like(body, { code: 'EVENTS_GONE', oldest: stored[0].seq });
  t.is((await api.send('GET', `${PATH}/stream`, { headers: { 'last-event-id': '4000000' } })).status, 410);
  t.deepEqual((await api.send('GET', `${PATH}?after=${body.oldest - 1}`)).body, stored);
  t.deepEqual((await api.send('GET', `${PATH}?after=${stored[0].seq}`)).body, []);
});

test('a stream begins with new events, or after the last one that its reader has', async (t) => {
  const api = await opened(t);
  const fresh = await readEvents(t, stream(api));
  t.is(fresh.status, 200);
  t.is(fresh.headers['content-type'], 'text/event-stream');
  await write(api, end('w4', 'failed', 1));
  const [first] = await fresh.events.until((all) => all.length > 0);
  t.like(first, { name: 'graph.finished', data: { typeId: 'w4', severity: 'information', seq: first?.seq } });

  const { body } = await api.send('GET', PATH);
  const after = body[1].seq;
  for (const reader of [
    await readEvents(t, stream(api, `?after=${after}`)),
    await readEvents(t, stream(api, '?after=0'), { 'last-event-id': String(after) }),
  ]) {
    const read = await reader.events.until((all) => all.length === 4);
    t.deepEqual(
      read.map(({ data }) => data),
      body.slice(2),
    );
    t.deepEqual(
      read.map(({ seq }) => seq),
      body.slice(2).map(({ seq }: LoggedEvent) => seq),
    );
  }
  for (const id of ['x', '1.5', '-1', '9'.repeat(20)]) {
    const { status, body: rejected } = await api.send('GET', `${PATH}/stream`, { headers: { 'last-event-id': id } });
    t.is(status, 400);
    t.is(rejected.errors[0].path, 'Last-Event-ID');
  }
});

test('a stream with filters has only what they select', async (t) => {
  const api = await opened(t);
  const reader = await readEvents(t, stream(api, '?after=0&type=graph&status=failed'));
  await write(api, nodeEvent({ typeId: 'c' }), end('w4', 'failed', 1));
  const read = await reader.events.until((all) => all.length === 2);
  t.deepEqual(
    read.map(({ data }) => data.typeId),
    ['w1', 'w4'],
  );
});

test('a reader that takes nothing is cut, and continues where it was', async (t) => {
  const api = await openApi(t, open);
  const text = 'x'.repeat(50_000);
  const reader = await readEvents(t, stream(api));
  await write(api, nodeEvent({ typeId: '0' }));
  await reader.events.until((all) => all.length === 1);
  reader.pause();
  const count = 1_000;
  for (let n = 1; n <= count; n += 1) await write(api, nodeEvent({ typeId: `${n}`, data: { text } }));
  await seen(async () => api.engine.feed.cuts === 1);
  reader.resume();
  t.false(await reader.ended);
  const last = reader.events.all.at(-1)?.seq ?? 0;
  t.true(reader.events.all.length < count);
  const again = await readEvents(t, stream(api), { 'last-event-id': String(last) });
  const rest = await again.events.until((all) => all.at(-1)?.data.typeId === `${count}`);
  t.deepEqual(
    [...reader.events.all, ...rest].map(({ data }) => data.typeId),
    Array.from({ length: count + 1 }, (_, n) => `${n}`),
  );
});

test('a stream that is never quiet has comments, too', async (t) => {
  const api = await openApi(t);
  const headers = { authorization: `JWT ${await api.as('ReadOnly')}` };
  const reader = await readEvents(t, stream(api, ''), headers);
  const hasComment = () => reader.others.all.some((block) => block.startsWith(': alive'));
  while (!hasComment()) await write(api, nodeEvent({ typeId: 'one more' })).then(() => sleep(1_000));
  t.true(reader.events.all.length > 5);
});

test('a quiet stream has comments, which move the id of a reader with filters, and ends with the rights of its user', async (t) => {
  const api = await openApi(t);
  const token = await api.as('ReadOnly');
  const headers = { authorization: `JWT ${token}` };
  const began = performance.now();
  const reader = await readEvents(t, stream(api, '?type=graph'), headers);
  await write(api, nodeEvent({ typeId: 'unselected' }));
  await reader.others.until((all) => all.some((block) => block.startsWith(': alive')));
  const ms = performance.now() - began;
  // It takes 15 s; a busy machine may need longer.
  t.true(ms > 10_000, `${ms}`);
  const { body } = await api.send('GET', PATH, { token });
  t.is(reader.others.all.at(-1), `: alive\nid: ${body.at(-1).seq}`);
  t.is(reader.events.all.length, 0);
  await api.engine.users.remove('ReadOnly');
  t.true(await reader.ended);
});

test('a stream needs a token, and a role that may read', async (t) => {
  const api = await openApi(t);
  t.is((await api.send('GET', `${PATH}/stream`)).status, 401);
  t.is((await api.send('GET', `${PATH}/stream`, { token: await api.as('Nobody') })).status, 403);
  const reader = await readEvents(t, stream(api, `?auth_token=${await api.as('ReadOnly')}`));
  t.is(reader.status, 200);
});

test('a stream ends soon after its token', async (t) => {
  const api = await openApi(t);
  const token = await api.as('ReadOnly');
  const reader = await readEvents(t, stream(api), { authorization: `JWT ${token}` });
  const from = performance.now();
  t.is((await api.send('DELETE', '/login', { token })).status, 204);
  t.true(await reader.ended);
  // It takes less than 5 s; a busy machine may need longer.
  t.true(performance.now() - from < 12_000);
});

test('a user who opens too many streams leaves places for others', async (t) => {
  const api = await openApi(t);
  const of = async (role: string) => ({ authorization: `JWT ${await api.as(role)}` });
  const [greedy, operator] = [await of('ReadOnly'), await of('Administrator')];
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length < 500)
    statuses.push((await readEvents(t, stream(api), greedy)).status);
  t.is(statuses.length, 51);
  t.is((await readEvents(t, stream(api), operator)).status, 200);
});
