/** The long polls on a node, and that they leave nothing behind. */
import test from 'ava';
import { Bells } from '../../../engine/agents/bells.ts';

const LONG_MS = 600_000;

test('a notify before the wait wakes that wait, once', async (t) => {
  const bells = new Bells();
  const bell = bells.of('n');
  bells.ring('n');
  t.true(await bell.rung(LONG_MS, new AbortController().signal));
  t.false(await bell.rung(0, new AbortController().signal));
  bell.close();
});

test('a notify wakes all waits for its node and no others', async (t) => {
  const bells = new Bells();
  const { signal } = new AbortController();
  const own = [bells.of('n'), bells.of('n')];
  const other = bells.of('m');
  const waiting = own.map((bell) => bell.rung(LONG_MS, signal));
  bells.ring('n');
  t.deepEqual(await Promise.all(waiting), [true, true]);
  t.false(await other.rung(0, signal));
  for (const bell of [...own, other]) bell.close();
  t.is(bells.size, 0);
});

test('a wait that is aborted, and a wait during the stop of the process, resolve to false and leave nothing behind', async (t) => {
  const bells = new Bells();
  const gone = new AbortController();
  const [left, stopped] = [bells.of('n'), bells.of('m')];
  const leaves = left.rung(LONG_MS, gone.signal);
  gone.abort();
  t.false(await leaves);
  const stops = stopped.rung(LONG_MS, new AbortController().signal);
  bells.close();
  t.false(await stops);
  left.close();
  stopped.close();
  t.is(bells.size, 0);
});
