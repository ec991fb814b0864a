import test from 'ava';
import { pause } from '../../../../engine/platform/lib/pause.ts';

const PIECES = 60;
const PIECE_MS = 2;
/** A slice, and the piece that ends it. */
const PIECES_OF_TURN = 4;

/** Keeps the processor busy, as a computation does. */
function compute(): void {
  const end = performance.now() + PIECE_MS;
  while (performance.now() < end);
}

test('work that many begin at the same time resumes in its order, a slice of it in each turn of the event loop', async (t) => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const order: number[] = [];
  const piece = async (index: number) => {
    await pause();
    // As a request does before it is sent.
    for (let step = 0; step < 5; step += 1) await null;
    compute();
    order.push(index);
  };
  const indexes = Array.from({ length: PIECES }, (_, index) => index);
  await Promise.all(indexes.map(piece));
  isOver = true;
  t.deepEqual(order, indexes);
  t.true(turns >= PIECES / PIECES_OF_TURN - 1, `${turns} turns`);
});

test('a computation that pauses between its steps lets others take their turn', async (t) => {
  const order: string[] = [];
  const computation = async (name: string) => {
    for (let step = 0; step < 20; step += 1) {
      await pause();
      compute();
      order.push(name);
    }
  };
  await Promise.all([computation('one'), computation('other')]);
  t.true(order.indexOf('other') < order.lastIndexOf('one'));
  t.true(order.indexOf('one') < order.lastIndexOf('other'));
});
