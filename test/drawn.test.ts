/** `support/ava/drawn.ts`. */
import test from 'ava';
import { drawn } from './support/ava/drawn.ts';

const all = Array.from({ length: 31 }, (_, n) => n);

test('a seed draws the same part each time, and some seeds together draw everything', (t) => {
  const reached = new Set<number>();
  for (let seed = 0; seed < 100; seed += 1) {
    const part = drawn(all, 10, String(seed));
    t.is(part.length, 10);
    t.deepEqual(drawn(all, 10, String(seed)), part);
    for (const one of part) reached.add(one);
  }
  t.is(reached.size, all.length);
});

test('without a seed everything is drawn, and a short list has no more than it has', (t) => {
  t.deepEqual(drawn(all, 10, null), all);
  t.deepEqual(drawn(['one'], 2, '7'), ['one']);
});
