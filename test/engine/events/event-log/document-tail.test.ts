/** The newest events of a single process are read from memory, and are the ones that the archive has. */
import test from 'ava';
import { DocumentTail } from '../../../../engine/events/event-log/document-tail.ts';
import { EventLog } from '../../../../engine/events/event-log/event-log.ts';
import type { Publication } from '../../../../engine/vocabulary/event.ts';
import { openTestLog, written } from '../../../support/engine/event-logs.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

async function scene() {
  const { archive, marks } = await openTestLog(new MemoryStore());
  let reads = 0;
  const after = archive.after.bind(archive);
  archive.after = (position) => {
    reads += 1;
    return after(position);
  };
  const log = new EventLog(await DocumentTail.open(archive, marks), archive, marks);
  return { archive, log, reads: () => reads };
}

const idsAfter = async (log: EventLog, position: number) => {
  const all: string[] = [];
  for (let at = position; ; ) {
    const { events, upTo } = await log.read(at);
    if (events.length === 0) return all;
    all.push(...events.map(({ id }) => id));
    at = upTo;
  }
};
const idsOf = (events: readonly Publication[]) => events.map(({ body }) => (body as { id: string }).id);

test('a reader that follows needs no page of the archive, and one that begins earlier gets all', async (t) => {
  const { log, reads } = await scene();
  const long = { text: 'x'.repeat(10_000) };
  const events = written('w', 1, 60).map(
    (one) => ({ ...one, body: { ...(one.body as object), data: long } }) as Publication,
  );
  let position = 0;
  for (const one of events) {
    await log.sink.take([one]);
    const { events: found, upTo } = await log.read(position);
    t.deepEqual(
      found.map(({ id }) => id),
      idsOf([one]),
    );
    position = upTo;
  }
  t.is(reads(), 0);
  t.deepEqual(await idsAfter(log, 0), idsOf(events));
  t.true(reads() > 0);
});

test('events whose page was written although the store failed are read from the archive, with those after them', async (t) => {
  const { archive, log } = await scene();
  const [before, during, after] = [written('a', 1, 2), written('b', 1, 2), written('c', 1, 2)];
  await log.sink.take(before);
  const position = await log.newestSeq();
  const add = archive.add.bind(archive);
  archive.add = async (stretches) => {
    await add(stretches);
    throw new Error('no answer');
  };
  await t.throwsAsync(async () => log.sink.take(during));
  archive.add = add;
  await log.sink.take(after);
  t.deepEqual(await idsAfter(log, position), idsOf([...during, ...after]));
});
