import test from 'ava';
import { Outbox, outboxSpec, type WaitingEvent } from '../../../../engine/events/broker/outbox.ts';
import { EventFeed, feedLimits } from '../../../../engine/events/event-log/event-feed.ts';
import { matcherOf } from '../../../../engine/events/event-log/event-filter.ts';
import { EventsGone } from '../../../../engine/vocabulary/errors.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { eventLogConformance } from '../../../conformance/event-log.ts';
import { cluster, openTestLog, written } from '../../../support/engine/event-logs.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { openOwnStore } from '../../../support/engine/stores.ts';

eventLogConformance(
  test,
  'single process',
  async (t) => {
    const store = await openOwnStore(t);
    return () => openTestLog(store);
  },
  true,
);

const user = { owner: 'the user one', isAdministrator: false };

test('a filter selects the events that a store would select', (t) => {
  const event = (change: object) => ({ type: 'graph', nodeId: null, typeId: 'rack-05', data: {}, ...change });
  const selects = (filter: object, change: object) =>
    matcherOf(filter as Record<string, unknown>)(event(change) as unknown as EventPayload);
  t.true(selects({}, {}));
  t.true(selects({ type: 'graph' }, {}));
  t.false(selects({ type: 'node' }, {}));
  t.true(selects({ type: { $in: ['node', 'graph'] } }, {}));
  t.true(selects({ nodeId: { $in: [null] } }, {}));
  t.false(selects({ nodeId: { $in: [null] } }, { nodeId: 'n' }));
  t.true(selects({ 'data.status': 'failed' }, { data: { status: 'failed' } }));
  t.false(selects({ 'data.status': 'failed' }, { data: { status: 'running' } }));
  t.false(selects({ 'data.status': 'failed' }, {}));
  const prefix = { $and: [{ typeId: { $gte: 'rack' } }, { typeId: { $lt: 'racl' } }] };
  t.true(selects(prefix, {}));
  t.false(selects(prefix, { typeId: 'rad' }));
  t.throws(() => matcherOf({ type: { $regex: 'x' } }));
});

test('an event is published only when the log has it: one that the log rejected is published again', async (t) => {
  const store = new MemoryStore();
  const { log, tail } = await openTestLog(store);
  const append = tail.append.bind(tail);
  tail.append = async () => {
    throw new Error('the process dies here');
  };
  const outbox = new Outbox(await store.collection<WaitingEvent>(outboxSpec), undefined, cluster, () => {}, [log.sink]);
  const events = written('w', 1, 3);
  await t.throwsAsync(outbox.publish(events));
  tail.append = append;
  await outbox.publish(events);
  const { items } = await log.list({ limit: 10, filter: {} });
  t.deepEqual(
    items.map(({ id }) => id),
    ['w-1', 'w-2', 'w-3'],
  );
});

test('a search for rare events finds them on any page', async (t) => {
  const { log } = await openTestLog(new MemoryStore());
  await log.sink.take(written('w', 1, 900));
  await log.sink.take(written('rare', 1, 2));
  const { items, next } = await log.list({ limit: 10, filter: { typeId: 'rare' } });
  t.deepEqual(
    items.map(({ id }) => id),
    ['rare-1', 'rare-2'],
  );
  t.is(next, undefined);
});

test('a reader that has caught up and is too slow is cut, and continues from its last position without a gap', async (t) => {
  const { log } = await openTestLog(new MemoryStore());
  const feed = new EventFeed(log, (error) => t.fail(String(error)), {
    ...feedLimits,
    readers: 2,
    reserved: 0,
    window: 5_000,
  });
  t.teardown(() => feed.close());
  const ending = new AbortController();
  let isCut: () => void = () => {};
  const cut = new Promise<void>((resolve) => {
    isCut = resolve;
  });
  const slow = (await feed.follow(0, ending.signal, isCut, user))[Symbol.asyncIterator]();
  await log.sink.take(written('w', 1, 5));
  let last = 0;
  for (let n = 0; n < 5; ) {
    const { value } = await slow.next();
    n += value.events.length;
    last = value.upTo;
  }
  // It has caught up, and takes nothing any more.
  await slow.next();
  for (let n = 6; feed.cuts === 0; n += 10) {
    await log.sink.take(written('w', n, 10));
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await cut;
  t.is(feed.cuts, 1);
  t.true((await slow.next()).done);
  const again = (await feed.follow(last, ending.signal, () => {}, user))[Symbol.asyncIterator]();
  let first: number | undefined;
  while (first === undefined) first = (await again.next()).value.events[0]?.n;
  t.is(first, 6);
  ending.abort();
});

test('events that all readers have leave the window, and a later reader gets them from the log', async (t) => {
  const { log } = await openTestLog(new MemoryStore());
  const reads: number[] = [];
  const read = (after: number) => {
    reads.push(after);
    return log.read(after);
  };
  const { newestSeq, check, listen } = log;
  const counted = { read, newestSeq: newestSeq.bind(log), check: check.bind(log), listen: listen.bind(log) };
  const feed = new EventFeed(counted, (error) => t.fail(String(error)));
  t.teardown(() => feed.close());
  const ending = new AbortController();
  t.teardown(() => ending.abort());
  const follow = async (position?: number) =>
    (await feed.follow(position, ending.signal, () => {}, user))[Symbol.asyncIterator]();
  const first = await follow();
  for (const from of [1, 6]) {
    await log.sink.take(written('w', from, 5));
    for (let last = 0; last < from + 4; ) last = (await first.next()).value.upTo;
  }
  reads.length = 0;
  const later = await follow(0);
  const numbers: number[] = [];
  while (numbers.length < 10) for (const { n } of (await later.next()).value.events) numbers.push(n);
  t.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  t.true(reads.includes(0));
});

test('a feed that could not read the events before they were removed continues with the newest', async (t) => {
  const { log, marks, tail } = await openTestLog(new MemoryStore());
  // They have left its memory.
  tail.after = async () => {
    const newest = await tail.newestSeq();
    return { newest, archived: newest, stretches: [] };
  };
  const errors: unknown[] = [];
  const feed = new EventFeed(log, (error) => errors.push(error));
  t.teardown(() => feed.close());
  const ending = new AbortController();
  t.teardown(() => ending.abort());
  const reader = (await feed.follow(undefined, ending.signal, () => {}, user))[Symbol.asyncIterator]();
  await reader.next();
  await marks.remove(3);
  await log.sink.take(written('w', 1, 3));
  await t.throwsAsync(
    async () => {
      for (;;) await reader.next();
    },
    { instanceOf: EventsGone },
  );
  t.true(errors[0] instanceof EventsGone);
  const next = (await feed.follow(undefined, ending.signal, () => {}, user))[Symbol.asyncIterator]();
  await log.sink.take(written('w', 4, 3));
  for (let n: number | undefined; n !== 4; ) n = (await next.next()).value.events[0]?.n;
});

test('no more readers follow than may, and a reader that leaves makes room', async (t) => {
  const { log } = await openTestLog(new MemoryStore());
  const feed = new EventFeed(log, (error) => t.fail(String(error)), {
    ...feedLimits,
    readers: 2,
    reserved: 0,
    window: 5_000,
  });
  t.teardown(() => feed.close());
  const ending = [new AbortController(), new AbortController()];
  for (const { signal } of ending) await feed.follow(undefined, signal, () => {}, user);
  await t.throwsAsync(
    feed.follow(undefined, new AbortController().signal, () => {}, user),
    { code: 'TOO_MANY_REQUESTS' },
  );
  ending[0]?.abort();
  t.is(feed.readers, 1);
  await t.notThrowsAsync(feed.follow(undefined, new AbortController().signal, () => {}, user));
});

test('a user has a share of the readers, and the last places are for administrators', async (t) => {
  const { log } = await openTestLog(new MemoryStore());
  const limits = { ...feedLimits, readers: 6, perOwner: 2, reserved: 2 };
  const feed = new EventFeed(log, (error) => t.fail(String(error)), limits);
  t.teardown(() => feed.close());
  const follow = (owner: string, isAdministrator = false) =>
    feed.follow(undefined, new AbortController().signal, () => {}, { owner, isAdministrator });
  const isFull = (following: Promise<unknown>, message: RegExp) =>
    t.throwsAsync(following, { code: 'TOO_MANY_REQUESTS', message });
  for (const owner of ['one', 'one', 'two']) await follow(owner);
  await isFull(follow('one'), /^2 readers of one follow/);
  await follow('three');
  await isFull(follow('four'), /^4 readers follow/);
  for (const owner of ['admin', 'other']) await follow(owner, true);
  await isFull(follow('third', true), /^6 readers follow/);
});
