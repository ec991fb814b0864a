import test from 'ava';
import fc from 'fast-check';
import type { SkuRule } from '../../../../engine/api-port/index.ts';
import { operators } from '../../../../engine/inventory/skus/operators.ts';
import { checksOf, explain, ruleViolations } from '../../../../engine/inventory/skus/rules.ts';

/** @param value undefined: no value */
const matches = async (value: unknown, rule: Omit<SkuRule, 'path'>): Promise<boolean> => {
  const checks = checksOf([{ path: 's.v', ...rule }]);
  const data = value === undefined ? {} : { v: value };
  return (await explain(checks, new Map([['s', data]]))).matched;
};

/** Values that pass, and values that do not. */
const table: { rule: Omit<SkuRule, 'path'>; passes: unknown[]; fails: unknown[] }[] = [
  { rule: {}, passes: [0, '', false, null, [], {}], fails: [undefined] },
  { rule: { equals: 'a' }, passes: ['a'], fails: ['A', 'ab', ['a'], null, undefined] },
  { rule: { equals: 32 }, passes: [32], fails: ['32', 33] },
  { rule: { equals: null }, passes: [null], fails: [0, '', undefined] },
  {
    rule: { equals: { a: [1, { b: null }], c: 'x' } },
    passes: [{ c: 'x', a: [1, { b: null }] }],
    fails: [{ a: [1, { b: null }] }, { a: [{ b: null }, 1], c: 'x' }, { a: [1, { b: null }], c: 'x', d: 1 }],
  },
  { rule: { equals: [] }, passes: [[]], fails: [{}, [1]] },
  { rule: { in: ['a', 2, { x: 1 }] }, passes: ['a', 2, { x: 1 }], fails: ['2', 'b', {}, undefined] },
  { rule: { in: [] }, passes: [], fails: ['a', null] },
  { rule: { notIn: ['a', 2] }, passes: ['b', '2', null, []], fails: ['a', 2, undefined] },
  {
    rule: { contains: 'DELL' },
    passes: ['DELL Inc.', ['x', 'DELL']],
    fails: ['Dell', ['DELL Inc.'], 5, { DELL: 1 }, null],
  },
  { rule: { contains: '5' }, passes: ['15'], fails: [15, [5], undefined] },
  { rule: { notContains: 'x' }, passes: ['abc', ['xy'], 5, null, {}], fails: ['axb', ['x'], undefined] },
  {
    rule: { greaterThan: 32 },
    passes: [33, '33', ' 32.5 ', '1e3'],
    fails: [32, '32', '33 GB', '', null, true, [33], undefined],
  },
  { rule: { lessThan: 32 }, passes: [31, '-5', '.5'], fails: [32, '32', '0x10', '', null, false, undefined] },
  { rule: { min: 32 }, passes: [32, '32', 33], fails: [31, '31.9', 'x', undefined] },
  { rule: { max: 32 }, passes: [32, '32', 31], fails: [33, '32.1', 'x', undefined] },
  { rule: { min: '10', max: '2e1' }, passes: [10, '15', 20], fails: [9, '21'] },
  { rule: { regex: '^D5[12]' }, passes: ['D51B-1U', 'D52'], fails: ['xD51', 'd51', ['D51'], {}, null, undefined] },
  { rule: { regex: '5' }, passes: ['a5b', 150], fails: ['x', true] },
  { rule: { regex: '^true$' }, passes: [true, 'true'], fails: [false] },
  { rule: { notRegex: '5' }, passes: ['x', 1, null, [5], {}], fails: ['a5b', 150, undefined] },
  { rule: { contains: 'a', regex: 'b$', notIn: ['aab'] }, passes: ['ab'], fails: ['a', 'b', 'aab'] },
];

for (const { rule, passes, fails } of table) {
  test(`${JSON.stringify(rule)} passes the intended values, and nothing else`, async (t) => {
    for (const value of passes) t.true(await matches(value, rule), JSON.stringify(value));
    for (const value of fails) t.false(await matches(value, rule), JSON.stringify(value) ?? 'missing');
  });
}

test('the table contains every operator', (t) => {
  for (const operator of operators)
    t.true(
      table.some(({ rule }) => operator in rule),
      operator,
    );
});

const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });

test('equals is deep: every value equals its copy, in any order of keys, and no other', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (value, other) => {
      const copy = JSON.parse(JSON.stringify(value), (_, inner) =>
        typeof inner === 'object' && inner !== null && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).reverse())
          : inner,
      );
      t.true(await matches(value, { equals: copy }));
      const same = await matches(value, { equals: other });
      t.is(await matches(other, { equals: value }), same);
      t.is(await matches(value, { in: [other] }), same);
    }),
  );
});

test('exactly one of an operator and its opposite passes an existing value, and neither passes a missing one', async (t) => {
  const pairs = fc.constantFrom(
    ['in', 'notIn'] as const,
    ['contains', 'notContains'] as const,
    ['regex', 'notRegex'] as const,
  );
  const operands = { in: ['a', 1, null], contains: 'a', regex: 'a|1' };
  await fc.assert(
    fc.asyncProperty(pairs, fc.jsonValue(), async ([one, other], value) => {
      const verdicts = [
        await matches(value, { [one]: operands[one] }),
        await matches(value, { [other]: operands[one] }),
      ];
      t.is(verdicts.filter(Boolean).length, 1);
      t.false(await matches(undefined, { [other]: operands[one] }));
    }),
  );
});

test('bounds agree with each other, and with numbers as strings', async (t) => {
  await fc.assert(
    fc.asyncProperty(numbers, numbers, async (value, limit) => {
      const above = await matches(value, { greaterThan: limit });
      const below = await matches(value, { lessThan: limit });
      t.is(above, value > limit);
      t.is(await matches(value, { max: limit }), !above);
      t.is(await matches(value, { min: limit }), !below);
      t.is(await matches(String(value), { greaterThan: String(limit) }), above);
      t.is(await matches(String(value), { min: limit }), !below);
    }),
  );
});

test('an unsupported pattern fails its rule, negated or not', async (t) => {
  const rules: SkuRule[] = [
    { path: 's.v', regex: '(?<=a)a' },
    { path: 's.v', notRegex: '(b)\\1' },
    { path: 's.v', regex: '^(a+)+$' },
  ];
  const { rules: verdicts } = await explain(checksOf(rules), new Map([['s', { v: 'a'.repeat(40) }]]));
  t.deepEqual(
    verdicts.map(({ passed }) => passed),
    [false, false, true],
  );
  t.deepEqual(
    ruleViolations(rules).map(({ path }) => path),
    ['rules.0.regex', 'rules.1.notRegex'],
  );
});

test('a text that is too long for an expression fails the rule, negated or not', async (t) => {
  const long = 'a'.repeat(5_000_000);
  t.false(await matches(long, { regex: 'a' }));
  t.false(await matches(long, { notRegex: 'b' }));
});
