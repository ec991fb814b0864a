/** A log that is read forwards only: its end, and what is before a position. */
import test from 'ava';
import fc from 'fast-check';
import { newestPosition, type ReadAfter, readEarlier } from '../../api/client/log-positions.ts';

interface Item {
  seq: number;
}

/** A log with gaps, of which the first entries may be gone; each read is counted. */
function logOf(positions: readonly number[], oldest = 1) {
  const all = [...new Set(positions)].sort((one, other) => one - other).filter((seq) => seq >= oldest);
  const counts = { reads: 0 };
  const read: ReadAfter<Item> = async (after, limit) => {
    counts.reads += 1;
    if (after < oldest - 1) throw Object.assign(new Error('gone'), { oldest });
    return all
      .filter((seq) => seq > after)
      .slice(0, limit)
      .map((seq) => ({ seq }));
  };
  return { all, read, counts };
}

const positions = fc.array(fc.integer({ min: 1, max: 50_000 }), { maxLength: 200 });

test('the newest position of any log is found with few reads', async (t) => {
  await fc.assert(
    fc.asyncProperty(positions, fc.integer({ min: 1, max: 50_000 }), async (seqs, cut) => {
      const log = logOf(seqs, Math.min(cut, Math.max(1, ...seqs)));
      t.is(await newestPosition(log.read), log.all.at(-1) ?? 0);
      t.true(log.counts.reads < 60, `${log.counts.reads} reads`);
      const before = log.counts.reads;
      t.is(await newestPosition(log.read, log.all.at(-1)), log.all.at(-1) ?? 0);
      t.true(log.counts.reads - before <= 2, 'without a new entry');
    }),
  );
});

test('going back from the end, every entry that is kept is read once, in order', async (t) => {
  await fc.assert(
    fc.asyncProperty(positions, fc.integer({ min: 1, max: 50_000 }), async (seqs, cut) => {
      const log = logOf(seqs, Math.min(cut, Math.max(1, ...seqs)));
      const found: number[] = [];
      let before = 1 + (log.all.at(-1) ?? 0);
      for (let n = 0; n < 20; n += 1) {
        const earlier = await readEarlier(log.read, before, () => true, 100);
        found.unshift(...earlier.items.map(({ seq }) => seq));
        if (earlier.isAll) break;
        t.true(earlier.from < before);
        before = earlier.from;
      }
      t.deepEqual(found, log.all);
    }),
  );
});

test('a search that matches nothing ends after ten windows, and says from where', async (t) => {
  const log = logOf([1, 30_000]);
  const { items, from, isAll } = await readEarlier(log.read, 30_001, () => false, 10);
  t.deepEqual(items, []);
  t.is(log.counts.reads, 10);
  t.is(from, 30_001 - 10_000);
  t.false(isAll);
});

test('an error that is not about the position is thrown', async (t) => {
  const failing: ReadAfter<Item> = async () => {
    throw new Error('away');
  };
  await t.throwsAsync(newestPosition(failing), { message: 'away' });
  await t.throwsAsync(
    readEarlier(failing, 5, () => true, 1),
    { message: 'away' },
  );
});
