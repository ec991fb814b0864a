/** Rules of the event log, on each tail and store: order, nothing lost, and no position twice, with any number of writers and readers. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { LoggedEvent } from '../../engine/api-port/events.ts';
import { moveAll } from '../../engine/events/event-log/event-archiver.ts';
import { EventFeed } from '../../engine/events/event-log/event-feed.ts';
import { now } from '../../engine/platform/lib/clock.ts';
import { EventsGone } from '../../engine/vocabulary/errors.ts';
import { type TestLog, written } from '../support/engine/event-logs.ts';

type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;

/** Opens processes on an empty log. */
export type PrepareLog = (t: ExecutionContext) => Promise<() => Promise<TestLog>>;

const ids = (events: readonly LoggedEvent[]) => events.map(({ id }) => id);
const isGrowing = (events: readonly LoggedEvent[]) =>
  events.every(({ seq }, at) => at === 0 || seq > (events[at - 1]?.seq ?? 0));

/** Returns all events. */
async function whole({ log }: TestLog, limit = 1_000): Promise<LoggedEvent[]> {
  const all: LoggedEvent[] = [];
  for (let after: number | undefined; ; ) {
    const { items, next } = await log.list({ after, limit, filter: {} });
    all.push(...items);
    if (next === undefined) return all;
    after = next;
  }
}

/** @param isSingle there is one process at a time */
export function eventLogConformance(test: Declare, kind: string, prepare: PrepareLog, isSingle = false): void {
  test(`${kind}: events are in the order of their publication, in pages of any size`, async (t) => {
    const open = await prepare(t);
    const it = await open();
    const events = written('w', 1, 450);
    for (let from = 0; from < events.length; from += 45) await it.log.sink.take(events.slice(from, from + 45));
    const expected = events.map(({ body }) => (body as { id: string }).id);
    for (const limit of [1_000, 450, 100, 7]) t.deepEqual(ids(await whole(it, limit)), expected, `${limit}`);
    const { items, next } = await it.log.list({ limit: 10, filter: {} });
    t.is(next, items.at(-1)?.seq);
    t.deepEqual(await it.log.list({ after: await it.log.newestSeq(), limit: 10, filter: {} }), {
      items: [],
      next: undefined,
    });
  });

  test(`${kind}: positions grow over the lives of a process, also when the last pages were lost`, async (t) => {
    const open = await prepare(t);
    let highest = 0;
    for (let life = 0; life < 4; life += 1) {
      const it = await open();
      await it.log.sink.take(written(`life ${life}`, 1, 20));
      const events = await whole(it);
      t.true(isGrowing(events));
      const own = events.filter(({ typeId }) => typeId === `life ${life}`);
      t.is(own.length, 20);
      t.true((own[0]?.seq ?? 0) > highest, `life ${life}`);
      highest = own.at(-1)?.seq ?? 0;
      await moveAll(it.tail, it.archive);
      await it.pages.remove({ last: { $gt: highest - 5 } });
    }
  });

  test(`${kind}: a time finds every event that was logged since, archived or not`, async (t) => {
    const open = await prepare(t);
    const it = await open();
    const since = async (time: string) => ids((await it.log.list({ since: time, limit: 1_000, filter: {} })).items);
    const expected: string[][] = [];
    const times: string[] = [];
    for (const writer of ['a', 'b', 'c']) {
      times.push(new Date(now()).toISOString());
      await it.log.sink.take(written(writer, 1, 20));
      // The last ones are not archived yet, where that is not done immediately.
      if (writer !== 'c') await moveAll(it.tail, it.archive);
      const end = now();
      while (now() === end) await pause(1);
      const own = ids((await whole(it)).filter(({ typeId }) => typeId === writer));
      for (const before of expected) before.push(...own);
      expected.push(own);
    }
    for (const [at, time] of times.entries()) t.deepEqual(await since(time), expected[at], time);
    t.deepEqual(await since('1970-01-01T00:00:00.000Z'), expected[0]);
  });

  test(`${kind}: readers find each event once, whatever is archived in the meantime, and never a lower position later`, async (t) => {
    const open = await prepare(t);
    const first = await open();
    const names = ['a', 'b', 'c'];
    const logs = isSingle ? [first, first, first] : [first, await open(), await open()];
    let isWriting = true;
    const writing = Promise.all(
      names.map(async (name, at) => {
        for (let n = 1; n <= 400; ) {
          const count = 1 + ((n * 7) % 9);
          await logs[at]?.log.sink.take(written(name, n, Math.min(count, 401 - n)));
          n += count;
        }
      }),
    ).finally(() => {
      isWriting = false;
    });
    const archiving = Promise.all(
      logs.map(async (it) => {
        while (isWriting) {
          await moveAll(it.tail, it.archive);
          await pause(1);
        }
      }),
    );
    const reading = Promise.all(
      [...logs, ...logs].map(async (it) => {
        const read: LoggedEvent[] = [];
        for (let position = 0, isLast = false; ; ) {
          const batch = await it.log.read(position);
          read.push(...batch.events);
          position = batch.upTo;
          if (batch.events.length > 0) continue;
          if (isLast) return read;
          isLast = !isWriting;
          await pause(1);
        }
      }),
    );
    await writing;
    await archiving;
    for (const read of await reading) {
      t.true(isGrowing(read));
      for (const name of names) {
        const own = read.filter(({ typeId }) => typeId === name).map(({ n }) => n);
        t.deepEqual(
          own,
          Array.from({ length: 400 }, (_, at) => at + 1),
          name,
        );
      }
    }
  });

  test(`${kind}: what the retention has removed is gone for readers that need it, and for no others`, async (t) => {
    const open = await prepare(t);
    const it = await open();
    await it.log.sink.take(written('old', 1, 30));
    await moveAll(it.tail, it.archive);
    const old = await it.log.newestSeq();
    const removed = now() + 1;
    while (now() <= removed) await pause(1);
    await it.log.sink.take(written('new', 1, 30));
    await moveAll(it.tail, it.archive);
    await it.archive.removeBefore(new Date(removed).toISOString(), (upTo) => it.marks.remove(upTo));
    const left = await whole(it);
    t.deepEqual([...new Set(left.map(({ typeId }) => typeId))], ['new']);
    t.is(left.length, 30);
    for (const after of [0, old - 1]) {
      const gone = await t.throwsAsync(it.log.list({ after, limit: 10, filter: {} }), { instanceOf: EventsGone });
      t.is((gone as EventsGone).oldest, left[0]?.seq ?? 0);
      t.is((gone as EventsGone).status, 410);
    }
    t.deepEqual(ids((await it.log.list({ after: old, limit: 100, filter: {} })).items), ids(left));
  });

  test(`${kind}: readers that follow get each event once and in order, from wherever they begin`, async (t) => {
    const open = await prepare(t);
    const it = await open();
    const feed = new EventFeed(it.log, (error) => t.fail(String(error)));
    t.teardown(() => feed.close());
    const ending = new AbortController();
    t.teardown(() => ending.abort());
    await it.log.sink.take(written('w', 1, 300));
    const all = await whole(it);
    const starts: number[] = [0, 1, 150, 299, 300].map((at) => all[at - 1]?.seq ?? 0);
    const follow = async (after: number) => {
      const read: LoggedEvent[] = [];
      for await (const { events } of await feed.follow(after, ending.signal, () => t.fail('cut'), {
        owner: 'one',
        isAdministrator: true,
      })) {
        read.push(...events);
        if (read.at(-1)?.n === 1_500) return read;
      }
      return read;
    };
    const readers = starts.map(follow);
    for (let n = 301; n <= 1_500; n += 40) {
      await it.log.sink.take(written('w', n, 40));
      if (n % 400 === 301) readers.push(follow(starts[2] ?? 0));
    }
    for (const [at, reader] of readers.entries()) {
      const from = [1, 2, 151, 300, 301][at] ?? 151;
      t.deepEqual(
        (await reader).map(({ n }) => n),
        Array.from({ length: 1_501 - from }, (_, index) => from + index),
        `reader ${at}`,
      );
    }
  });
}
