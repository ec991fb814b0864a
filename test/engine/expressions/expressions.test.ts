import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { Expressions, type ExpressionTimes, type Pair } from '../../../engine/expressions/expressions.ts';

/** Takes longer than anybody lives. */
const evil: Pair = ['^(a+)+$', `${'a'.repeat(60)}b`];
const short: ExpressionTimes = { first: 400, again: 800, penalty: 600_000 };

function open(t: ExecutionContext, times: Partial<ExpressionTimes> = {}) {
  const told: string[] = [];
  const expressions = new Expressions((pattern) => told.push(pattern), times);
  t.teardown(() => expressions.close());
  return { expressions, told };
}

test('each pair has the verdict that a plain test gives, asked once or again', async (t) => {
  const { expressions } = open(t);
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '|', '.', '^', '$', '[', ']', '\n', 'é', '\u{1f600}') });
  const pairs = fc.array(fc.tuple(text, text), { maxLength: 20 });
  const plain = ([pattern, text]: Pair) => {
    try {
      return new RegExp(pattern).test(text);
    } catch {
      return false;
    }
  };
  await fc.assert(
    fc.asyncProperty(pairs, async (all) => {
      const wanted = JSON.stringify(all.map(plain));
      return (
        JSON.stringify(await expressions.test(all)) === wanted && JSON.stringify(await expressions.test(all)) === wanted
      );
    }),
    { numRuns: 100 },
  );
  t.pass();
});

test('one that runs away matches nothing, and the others beside it have their verdicts', async (t) => {
  const { expressions, told } = open(t, short);
  const all: Pair[] = [['a', 'bab'], evil, ['^x', 'y'], [evil[0], `${'a'.repeat(61)}b`], ['y$', 'xy'], [evil[0], 'c']];
  t.deepEqual(await expressions.test(all), [true, false, false, false, true, false]);
  t.deepEqual(told, [evil[0]]);
});

test('while one runs away the process goes on, and afterwards it is left alone', async (t) => {
  const { expressions } = open(t, short);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 10);
  await expressions.test([evil]);
  clearInterval(timer);
  t.true(turns > 10, `${turns}`);
  const start = performance.now();
  t.deepEqual(await expressions.test([evil]), [false]);
  t.true(performance.now() - start < short.first);
});

test('when its time is over a runaway is tried again; it is told of once', async (t) => {
  const { expressions, told } = open(t, { first: 100, again: 100, penalty: 1 });
  for (let n = 0; n < 3; n += 1) t.deepEqual(await expressions.test([evil]), [false]);
  t.deepEqual(told, [evil[0]]);
});

test('one that is slow and ends has its verdict', async (t) => {
  const { expressions, told } = open(t, { first: 1, again: 60_000, penalty: 600_000 });
  const slow: Pair = ['^(a+)+$', `${'a'.repeat(24)}b`];
  const long: Pair = ['b$', `${'a'.repeat(1_000_000)}b`];
  t.deepEqual(await expressions.test([slow, long]), [false, true]);
  t.deepEqual(told, []);
});

test('close ends one that is under way', async (t) => {
  const { expressions } = open(t, { first: 600_000 });
  t.deepEqual(await expressions.test([['a', 'a']]), [true]);
  const asked = t.throwsAsync(expressions.test([evil]), { message: /any more/ });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await expressions.close();
  await asked;
});
