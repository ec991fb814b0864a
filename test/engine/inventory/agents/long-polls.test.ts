/** The long polls on a node, and that they leave nothing behind. */
import test from 'ava';
import { LongPolls } from '../../../../engine/inventory/agents/long-polls.ts';

const LONG_MS = 600_000;

test('a notify before the wait ends that wait, once', async (t) => {
  const longPolls = new LongPolls();
  const longPoll = longPolls.of('n');
  longPolls.notify('n');
  t.true(await longPoll.notified(LONG_MS, new AbortController().signal));
  t.false(await longPoll.notified(0, new AbortController().signal));
  longPoll.close();
});

test('a notify ends all waits for its node and no others', async (t) => {
  const longPolls = new LongPolls();
  const { signal } = new AbortController();
  const own = [longPolls.of('n'), longPolls.of('n')];
  const other = longPolls.of('m');
  const waiting = own.map((longPoll) => longPoll.notified(LONG_MS, signal));
  longPolls.notify('n');
  t.deepEqual(await Promise.all(waiting), [true, true]);
  t.false(await other.notified(0, signal));
  for (const longPoll of [...own, other]) longPoll.close();
  t.is(longPolls.size, 0);
});

test('a wait that is aborted, and a wait during the stop of the process, resolve to false and leave nothing behind', async (t) => {
  const longPolls = new LongPolls();
  const gone = new AbortController();
  const [left, stopped] = [longPolls.of('n'), longPolls.of('m')];
  const leaves = left.notified(LONG_MS, gone.signal);
  gone.abort();
  t.false(await leaves);
  const stops = stopped.notified(LONG_MS, new AbortController().signal);
  longPolls.close();
  t.false(await stops);
  left.close();
  stopped.close();
  t.is(longPolls.size, 0);
});
