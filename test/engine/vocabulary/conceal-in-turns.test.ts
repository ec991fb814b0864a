import test from 'ava';
import fc from 'fast-check';
import { conceal, redactingNonces } from '../../../engine/vocabulary/conceal.ts';
import { concealInTurns } from '../../../engine/vocabulary/conceal-in-turns.ts';

const MANY = 2_100;

const key = fc.constantFrom('a', 'password', 'name', 'value', 'X-Auth-Token');
const leaf = fc.oneof(fc.integer(), fc.constantFrom('token=abc', 'X-Auth-Token', 'plain', '{{ env.password }}'));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));
/** With more values than are handled in one turn. */
const large = (given: unknown) => {
  const list = Array.from({ length: MANY }, () => given);
  return { given, list, password: list, name: 'X-Auth-Token', value: list, keys: Object.fromEntries(list.entries()) };
};

test('a large value is hidden as a small one is, with turns for others in between', async (t) => {
  let turns = 0;
  const pause = async () => {
    turns += 1;
  };
  const property = fc.asyncProperty(value, async (given) => {
    const whole = { deep: [large(given)] };
    t.deepEqual(await concealInTurns(whole, redactingNonces, pause), conceal([], whole, redactingNonces));
  });
  await fc.assert(property, { numRuns: 10 });
  t.true(turns > 10);
});

test('a long text is hidden line by line', async (t) => {
  const text = `${'a line\n'.repeat(1_000)}token=abc and more\n`.repeat(100);
  let turns = 0;
  const pause = async () => {
    turns += 1;
  };
  const hidden = await concealInTurns(text, redactingNonces, pause);
  t.is(hidden, text.replaceAll('token=abc', 'token=REDACTED'));
  t.true(turns > 1);
});

test('a text with very many secrets is hidden as a whole', (t) => {
  t.is(conceal([], 'token=abc\n'.repeat(1_001), redactingNonces), 'REDACTED');
});
