/** `drawn.mjs`. */
import test from 'ava';
import { drawn } from './drawn.mjs';

const all = Array.from({ length: 31 }, (_, n) => n);

test('a seed draws the same part each time, and some seeds together draw everything', (t) => {
  const reached = new Set<number>();
  for (let seed = 0; seed < 100; seed += 1) {
    const part = drawn(all, 1 / 3, String(seed));
    t.is(part.length, 11);
    t.deepEqual(drawn(all, 1 / 3, String(seed)), part);
    for (const one of part) reached.add(one);
  }
  t.is(reached.size, all.length);
});

test('without a seed everything is drawn, and of a single one always that', (t) => {
  t.deepEqual(drawn(all, 1 / 3, null), all);
  t.deepEqual(drawn(['one'], 1 / 3, '7'), ['one']);
});
