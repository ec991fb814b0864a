/** The rhythm of a reconciler, without a store. */
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import {
  type PassResult,
  Reconciler,
  type ReconcilerPort,
  type Round,
} from '../../../../engine/platform/lib/reconciler.ts';
import { HOUR_MS } from '../../../../engine/vocabulary/units.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import type { Scope } from '../../../support/ava/scope.ts';
import { Hearing } from '../../../support/servers/hearing.ts';

type Port = Partial<ReconcilerPort<'soon' | 'all'>>;

function open(t: Scope, pass: (round: Round<'soon' | 'all'>) => Promise<void>, port: Port = {}) {
  const results = new Hearing<PassResult>();
  const errors: unknown[] = [];
  const reconciler = new Reconciler<'soon' | 'all'>({
    name: 'test',
    everyMs: HOUR_MS,
    firstMs: HOUR_MS,
    failed: (error) => errors.push(error),
    observe: (_, result) => results.add(result),
    ...port,
    pass,
  });
  t.teardown(() => reconciler.close());
  reconciler.start();
  return { reconciler, results, errors };
}

test('requests during a pass share the next one, which begins when the pass has ended', async (t) => {
  const goOn = deferred();
  let [running, most] = [0, 0];
  const rounds: string[][] = [];
  const { reconciler } = open(t, async ({ requests }) => {
    rounds.push([...requests]);
    running += 1;
    most = Math.max(most, running);
    if (rounds.length === 1) await goOn.promise;
    running -= 1;
  });
  const first = reconciler.request('soon');
  while (rounds.length === 0) await setTimeout(1);
  const others = Array.from({ length: 50 }, (_, n) => reconciler.request(n % 2 === 0 ? 'soon' : 'all'));
  goOn.resolve();
  await Promise.all([first, ...others]);
  t.deepEqual(rounds, [['soon'], ['soon', 'all']]);
  t.is(most, 1);
});

test('a failed pass is reported, and the next one is made', async (t) => {
  let passes = 0;
  const { errors, results } = open(
    t,
    async () => {
      passes += 1;
      if (passes === 1) throw new Error('the store is away');
    },
    { everyMs: 1, firstMs: 0 },
  );
  await results.until((all) => all.length > 1);
  t.deepEqual(results.all.slice(0, 2), ['failed', 'done']);
  t.is((errors[0] as Error).message, 'the store is away');
  t.is(errors.length, 1);
});

test('a pass that takes too long is aborted and reported, and no other begins before it has ended', async (t) => {
  const ended = deferred();
  let passes = 0;
  const { reconciler, errors, results } = open(
    t,
    async ({ signal, goesOn }) => {
      passes += 1;
      while (!signal.aborted) await setTimeout(1);
      t.false(await goesOn());
      await ended.promise;
    },
    { timeoutMs: 20 },
  );
  const answered = reconciler.request('soon');
  while (errors.length === 0) await setTimeout(1);
  await setTimeout(20);
  t.is(passes, 1);
  ended.resolve();
  await answered;
  t.deepEqual(results.all, ['timeout']);
  t.regex((errors[0] as Error).message, /the reconciler test takes longer than 20 ms/);
});

test('closing aborts the running pass, waits for it, and lets no other begin', async (t) => {
  let [passes, ended] = [0, false];
  const begun = deferred();
  const { reconciler } = open(t, async ({ signal }) => {
    passes += 1;
    begun.resolve();
    while (!signal.aborted) await setTimeout(1);
    await setTimeout(20);
    ended = true;
  });
  void reconciler.request('soon');
  await begun.promise;
  const waiting = reconciler.request('all');
  await reconciler.close();
  t.true(ended);
  await waiting;
  await reconciler.request('soon');
  t.is(passes, 1);
});

test('a process without the lease makes no passes, except those that are for every process', async (t) => {
  const rounds: string[][] = [];
  let local = 0;
  const { reconciler, results } = open(
    t,
    async ({ requests }) => {
      rounds.push([...requests]);
    },
    {
      acquire: async () => undefined,
      everywhere: ['all'],
      async local() {
        local += 1;
      },
    },
  );
  await reconciler.request('soon');
  await reconciler.request('all');
  t.deepEqual(results.all, ['elsewhere', 'done']);
  t.deepEqual(rounds, [['all']]);
  t.is(local, 2);
});

test('a reconciler that was closed before it was started makes no pass', async (t) => {
  const { reconciler } = open(t, async () => t.fail());
  await reconciler.close();
  reconciler.start();
  await reconciler.request('soon');
  t.pass();
});

test('a store that hangs does not keep a reconciler from closing', async (t) => {
  const { reconciler, results } = open(t, async () => {}, {
    acquire: async () => ({ renew: async () => true, release: () => new Promise(() => {}) }),
  });
  await reconciler.request('soon');
  await reconciler.close();
  t.deepEqual(results.all, ['done']);
});

test('while its interval is infinite a reconciler rests, until it has work or a pass is requested', async (t) => {
  let left = 0;
  const finish = async () => {
    left = 0;
  };
  const everyMs = () => (left === 0 ? Number.POSITIVE_INFINITY : 1);
  const { reconciler, results } = open(t, finish, { everyMs, firstMs: 0 });
  await results.until((all) => all.length === 1);
  reconciler.shortenWait();
  await setTimeout(20);
  t.is(results.all.length, 1, 'there is nothing to do');
  left = 1;
  reconciler.shortenWait();
  await results.until((all) => all.length === 2);
  t.is(left, 0);
  await reconciler.request('soon');
  t.is(results.all.length, 3);
});

test('a reconciler that gets work during a pass makes the next one after the interval', async (t) => {
  const goOn = deferred();
  let left = 1;
  const { reconciler, results } = open(
    t,
    async () => {
      left -= 1;
      await goOn.promise;
    },
    { everyMs: () => (left === 0 ? Number.POSITIVE_INFINITY : 1) },
  );
  void reconciler.request('soon');
  while (left > 0) await setTimeout(1);
  left = 1;
  reconciler.shortenWait();
  goOn.resolve();
  await results.until((all) => all.length === 2);
  t.is(left, 0);
});
