/** The circuit breaker of a BMC: the limit of concurrent commands, and when the circuit opens. */
import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { ObmError } from '../../../../engine/define/obm.ts';
import type { BreakerLimits } from '../../../../engine/hardware/obm/circuit-breaker.ts';
import { CircuitBreakers } from '../../../../engine/hardware/obm/circuit-breakers.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { NEVER } from '../../../support/ava/never.ts';

setMaxListeners(1_000, NEVER);
const dead = async () => {
  throw new ObmError('OBM_UNREACHABLE', 'it does not answer');
};
const breakersOf = (limits: Omit<BreakerLimits, 'timeoutMs'>, timeoutMs = 500) =>
  new CircuitBreakers({ ...limits, timeoutMs }, Date.now);
const codeOf = async (t: ExecutionContext, work: Promise<unknown>) => ((await t.throwsAsync(work)) as ObmError).code;

test('concurrent commands stay below the limit, all get their turn, and another BMC has its own breaker', async (t) => {
  const breakers = breakersOf({ concurrency: 2, failures: 3, backoffMs: 1 });
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
  };
  const { promise, resolve } = deferred();
  const others = [breakers.run('b', NEVER, () => promise), breakers.run('b', NEVER, () => promise)];
  await Promise.all(Array.from({ length: 20 }, () => breakers.run('a', NEVER, work)));
  t.is(most, 2);
  resolve();
  await Promise.all(others);
});

test('a command that arrives as another leaves does not overtake waiting commands', async (t) => {
  const breakers = breakersOf({ concurrency: 1, failures: 3, backoffMs: 1 });
  const order: string[] = [];
  const { promise, resolve } = deferred();
  const first = breakers.run('a', NEVER, () => promise);
  const second = breakers.run('a', NEVER, async () => {
    order.push('second');
    await new Promise(setImmediate);
    order.push('second left');
  });
  const third = first.then(() => breakers.run('a', NEVER, async () => void order.push('third')));
  resolve();
  await Promise.all([second, third]);
  t.deepEqual(order, ['second', 'second left', 'third']);
});

test('a waiting command can be aborted, and does not take its turn', async (t) => {
  const breakers = breakersOf({ concurrency: 1, failures: 3, backoffMs: 1 });
  const { promise, resolve } = deferred();
  const first = breakers.run('a', NEVER, () => promise);
  const abort = new AbortController();
  const second = t.throwsAsync(
    breakers.run('a', abort.signal, async () => t.fail()),
    { message: 'enough' },
  );
  const third = breakers.run('a', NEVER, async () => 3);
  abort.abort(new Error('enough'));
  await second;
  resolve();
  await first;
  t.is(await third, 3);
});

test('at most a hundred commands wait', async (t) => {
  const breakers = breakersOf({ concurrency: 1, failures: 3, backoffMs: 1 });
  const { promise, resolve } = deferred();
  const waiting = Array.from({ length: 101 }, () => breakers.run('a', NEVER, () => promise));
  t.is(
    await codeOf(
      t,
      breakers.run('a', NEVER, async () => {}),
    ),
    'OBM_BUSY',
  );
  resolve();
  await Promise.all(waiting);
});

const backoffOf = async (t: ExecutionContext, work: Promise<unknown>): Promise<number> => {
  const error = (await t.throwsAsync(work)) as ObmError;
  t.is(error.code, 'OBM_CIRCUIT_OPEN');
  t.true(error.message.includes(error.backoffUntil ?? 'a time'));
  return Date.parse(error.backoffUntil ?? '');
};
const passed = (time: number) => setTimeout(Math.max(0, time - Date.now()) + 1);

test('after consecutive failures the circuit opens until the time in the error, then one trial command passes', async (t) => {
  const breakers = breakersOf({ concurrency: 2, failures: 3, backoffMs: 200 });
  const never = async () => t.fail();
  for (let n = 0; n < 3; n += 1) t.is(await codeOf(t, breakers.run('a', NEVER, dead)), 'OBM_UNREACHABLE');
  await passed(await backoffOf(t, breakers.run('a', NEVER, never)));
  const { promise, resolve } = deferred();
  const began = Date.now();
  const trial = breakers.run('a', NEVER, () => promise);
  // The deadline of the trial.
  const until = await backoffOf(t, breakers.run('a', NEVER, never));
  t.true(until >= began + 500 && until <= Date.now() + 500);
  resolve();
  await trial;
  await breakers.run('a', NEVER, async () => t.pass());
});

test('a trial beyond its deadline lets no other command pass, and states a time in the future', async (t) => {
  const breakers = breakersOf({ concurrency: 2, failures: 1, backoffMs: 1 }, 1);
  await codeOf(t, breakers.run('a', NEVER, dead));
  await passed(Date.now() + 5);
  const { promise, resolve } = deferred();
  const trial = breakers.run('a', NEVER, () => promise);
  await passed(Date.now() + 5);
  const before = Date.now();
  t.true(
    (await backoffOf(
      t,
      breakers.run('a', NEVER, async () => t.fail()),
    )) > before,
  );
  resolve();
  await trial;
});

test('a failed trial makes the back-off longer', async (t) => {
  const breakers = breakersOf({ concurrency: 1, failures: 1, backoffMs: 100 });
  const opens = () =>
    backoffOf(
      t,
      breakers.run('a', NEVER, async () => t.fail()),
    );
  await codeOf(t, breakers.run('a', NEVER, dead));
  await passed(await opens());
  const before = Date.now();
  await codeOf(t, breakers.run('a', NEVER, dead));
  t.true((await opens()) >= before + 200);
});

test('an answer in between, even a negative one, resets the count; an aborted command does not count', async (t) => {
  const breakers = breakersOf({ concurrency: 1, failures: 2, backoffMs: 60_000 });
  const no = async () => {
    throw new ObmError('OBM_FAILED', 'it says no');
  };
  for (const work of [dead, no, dead]) await t.throwsAsync(breakers.run('a', NEVER, work));
  const abort = new AbortController();
  const off = async () => {
    abort.abort();
    return dead();
  };
  await t.throwsAsync(breakers.run('a', abort.signal, off));
  t.is(await breakers.run('a', NEVER, async () => 1), 1);
});
