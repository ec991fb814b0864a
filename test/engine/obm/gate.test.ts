/** The gate before a BMC: how many at once, and when nobody. */
import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { ObmError } from '../../../engine/define/obm.ts';
import { Gates } from '../../../engine/obm/gate.ts';
import { deferred } from '../../support/deferred.ts';

const NEVER = new AbortController().signal;
setMaxListeners(1_000, NEVER);
const dead = async () => {
  throw new ObmError('OBM_UNREACHABLE', 'it does not answer');
};
const codeOf = async (t: ExecutionContext, work: Promise<unknown>) => ((await t.throwsAsync(work)) as ObmError).code;

test('no more than so many are inside at once, all get in, and another BMC has its own gate', async (t) => {
  const gates = new Gates({ concurrency: 2, failures: 3, restMs: 1 });
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
  };
  const { promise, resolve } = deferred();
  const others = [gates.run('b', NEVER, () => promise), gates.run('b', NEVER, () => promise)];
  await Promise.all(Array.from({ length: 20 }, () => gates.run('a', NEVER, work)));
  t.is(most, 2);
  resolve();
  await Promise.all(others);
});

test('whoever comes at the moment when one leaves does not slip in before those that wait', async (t) => {
  const gates = new Gates({ concurrency: 1, failures: 3, restMs: 1 });
  const order: string[] = [];
  const { promise, resolve } = deferred();
  const first = gates.run('a', NEVER, () => promise);
  const second = gates.run('a', NEVER, async () => {
    order.push('second');
    await new Promise(setImmediate);
    order.push('second left');
  });
  const third = first.then(() => gates.run('a', NEVER, async () => void order.push('third')));
  resolve();
  await Promise.all([second, third]);
  t.deepEqual(order, ['second', 'second left', 'third']);
});

test('who waits may be called off, and does not take its turn', async (t) => {
  const gates = new Gates({ concurrency: 1, failures: 3, restMs: 1 });
  const { promise, resolve } = deferred();
  const first = gates.run('a', NEVER, () => promise);
  const abort = new AbortController();
  const second = t.throwsAsync(
    gates.run('a', abort.signal, async () => t.fail()),
    { message: 'enough' },
  );
  const third = gates.run('a', NEVER, async () => 3);
  abort.abort(new Error('enough'));
  await second;
  resolve();
  await first;
  t.is(await third, 3);
});

test('more than a hundred do not wait', async (t) => {
  const gates = new Gates({ concurrency: 1, failures: 3, restMs: 1 });
  const { promise, resolve } = deferred();
  const waiting = Array.from({ length: 101 }, () => gates.run('a', NEVER, () => promise));
  t.is(
    await codeOf(
      t,
      gates.run('a', NEVER, async () => {}),
    ),
    'OBM_BUSY',
  );
  resolve();
  await Promise.all(waiting);
});

test('after failures in a row a BMC is left alone until the time that is said, then one tries', async (t) => {
  const gates = new Gates({ concurrency: 2, failures: 3, restMs: 200 });
  for (let n = 0; n < 3; n += 1) t.is(await codeOf(t, gates.run('a', NEVER, dead)), 'OBM_UNREACHABLE');
  const resting = (await t.throwsAsync(gates.run('a', NEVER, async () => t.fail()))) as ObmError;
  t.is(resting.code, 'OBM_RESTING');
  const [, at = ''] = /tried again at (\S+)/.exec(resting.message) ?? [];
  await setTimeout(Date.parse(at) - Date.now() + 1);
  const { promise, resolve } = deferred();
  const trial = gates.run('a', NEVER, () => promise);
  t.is(
    await codeOf(
      t,
      gates.run('a', NEVER, async () => t.fail()),
    ),
    'OBM_RESTING',
  );
  resolve();
  await trial;
  await gates.run('a', NEVER, async () => t.pass());
});

test('a trial that fails makes it rest for longer', async (t) => {
  const gates = new Gates({ concurrency: 1, failures: 1, restMs: 100 });
  const rests = async () => {
    const { message } = (await t.throwsAsync(gates.run('a', NEVER, async () => t.fail()))) as ObmError;
    return Date.parse(/tried again at (\S+)/.exec(message)?.[1] ?? '');
  };
  await codeOf(t, gates.run('a', NEVER, dead));
  const first = await rests();
  await setTimeout(first - Date.now() + 1);
  const before = Date.now();
  await codeOf(t, gates.run('a', NEVER, dead));
  t.true((await rests()) >= before + 200);
});

test('an answer in between, also one that says no, begins the count anew; who was called off does not count', async (t) => {
  const gates = new Gates({ concurrency: 1, failures: 2, restMs: 60_000 });
  const no = async () => {
    throw new ObmError('OBM_FAILED', 'it says no');
  };
  for (const work of [dead, no, dead]) await t.throwsAsync(gates.run('a', NEVER, work));
  const abort = new AbortController();
  const off = async () => {
    abort.abort();
    return dead();
  };
  await t.throwsAsync(gates.run('a', abort.signal, off));
  t.is(await gates.run('a', NEVER, async () => 1), 1);
});
