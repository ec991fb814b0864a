import test from 'ava';
import { DistinctNotes } from '../../../../engine/platform/lib/distinct-notes.ts';

test('each text is written once in a while, and one does not hide another', (t) => {
  let now = 0;
  const notes = new DistinctNotes(10, 5, () => now);
  t.deepEqual(
    ['a', 'b', 'a', 'b', 'c'].map((text) => notes.take(text)),
    [0, 0, undefined, undefined, 0],
  );
  now = 9;
  t.deepEqual(
    ['a', 'd'].map((text) => notes.take(text)),
    [undefined, 0],
  );
  now = 10;
  t.deepEqual(
    ['a', 'd', 'a'].map((text) => notes.take(text)),
    [0, undefined, undefined],
  );
});

test('a flood of texts is limited, and the next line says how many are missing', (t) => {
  let now = 0;
  const notes = new DistinctNotes(10, 3, () => now);
  const texts = Array.from({ length: 1_000 }, (_, n) => String(n));
  t.is(texts.filter((text) => notes.take(text) !== undefined).length, 3);
  now = 10;
  t.is(notes.take('0'), 997);
  t.is(notes.take('1'), 0);
});
