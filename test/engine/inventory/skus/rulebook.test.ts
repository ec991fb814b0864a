import test from 'ava';
import fc from 'fast-check';
import type { SkuRule } from '../../../../engine/api-port/index.ts';
import { Rulebook, type SkuWithRules } from '../../../../engine/inventory/skus/rulebook.ts';
import { checksOf, explain, ruleViolations } from '../../../../engine/inventory/skus/rules.ts';
import { NodewrightError, rejectViolations } from '../../../../engine/vocabulary/errors.ts';
import { fieldCatalogs, fieldSkus } from '../../../support/engine/skus.ts';

const sku = (id: string, rules: SkuRule[], createdAt = '2026-01-01T00:00:00.000Z'): SkuWithRules => ({
  id,
  rules,
  createdAt,
});
const choose = (skus: SkuWithRules[], catalogs: Record<string, unknown>) =>
  new Rulebook(skus).choose(new Map(Object.entries(catalogs)));

test('each realistic SKU is chosen for its own nodes, and none for a node without catalogs', async (t) => {
  const book = new Rulebook([...fieldSkus].map(([id, { rules }]) => sku(id, rules)));
  t.is(fieldCatalogs.size, 3);
  for (const [name, catalogs] of fieldCatalogs) {
    t.is(await book.choose(new Map(Object.entries(catalogs))), name);
  }
  t.is(await book.choose(new Map()), null);
  t.deepEqual([...book.sources].sort(), ['ipmi-fru', 'ohai', 'snmp-1', 'version']);
});

test('the SKU with the most rules is chosen among several matches, then the oldest', async (t) => {
  const [a, b] = [{ path: 's.a' }, { path: 's.b', regex: '^x' }];
  const one = sku('one', [a], '2020-01-01T00:00:00.000Z');
  const two = sku('two', [a, b], '2026-01-02T00:00:00.000Z');
  const older = sku('older', [b, a], '2026-01-01T00:00:00.000Z');
  for (const skus of [
    [one, two, older],
    [older, two, one],
  ]) {
    t.is(await choose(skus, { s: { a: 1, b: 'x' } }), 'older');
    t.is(await choose(skus, { s: { a: 1, b: 'y' } }), 'one');
    t.is(await choose(skus, { s: { b: 'x' } }), null);
  }
});

test('a SKU that does not match is ignored, and two operators in a rule count as one rule', async (t) => {
  const many = sku('many', [{ path: 's.a', min: 1, max: 9 }]);
  const two = sku('two', [{ path: 's.a' }, { path: 's' }]);
  t.is(await choose([many, two], { s: { a: 5 } }), 'two');
  t.is(await choose([many, sku('none', [{ path: 's.a' }, { path: 's.z' }])], { s: { a: 5 } }), 'many');
});

test('the choice agrees with the explanations of the SKUs', async (t) => {
  const value = fc.constantFrom('a', 'ab', 'b', 1, 2);
  const rule = fc.record({
    path: fc.constantFrom('s.x', 's.y', 's.z'),
    rule: fc.constantFrom<Omit<SkuRule, 'path'>>(
      {},
      { contains: 'a' },
      { min: 2 },
      { regex: 'b' },
      { notRegex: '^a$' },
    ),
  });
  const rules = fc.array(rule, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(rules, { maxLength: 5 }), fc.record({ x: value, y: value }), async (all, s) => {
      const skus = all.map((each, n) =>
        sku(
          `${n}`,
          each.map(({ path, rule }) => ({ path, ...rule })),
        ),
      );
      const catalogs = new Map([['s', s]]);
      const matched: SkuWithRules[] = [];
      for (const one of skus) if ((await explain(checksOf(one.rules), catalogs)).matched) matched.push(one);
      const [best] = matched.toSorted((a, b) => b.rules.length - a.rules.length);
      t.is(await choose(skus, { s }), best?.id ?? null);
    }),
  );
});

test('an explanation states each operator with its expected and its found value', async (t) => {
  const long = 'x'.repeat(5_000);
  const checks = checksOf([
    { path: 's.a', min: 1, max: 3 },
    { path: 's.b' },
    { path: 's.none', equals: 1 },
    { path: 's.long', contains: 'x' },
    { path: 's', notIn: [long] },
  ]);
  const { matched, rules } = await explain(checks, new Map([['s', { a: 5, b: null, long }]]));
  t.false(matched);
  t.deepEqual(rules.slice(0, 4), [
    { path: 's.a', operator: 'min', expected: 1, exists: true, value: 5, passed: true },
    { path: 's.a', operator: 'max', expected: 3, exists: true, value: 5, passed: false },
    { path: 's.b', operator: null, expected: null, exists: true, value: null, passed: true },
    { path: 's.none', operator: 'equals', expected: 1, exists: false, value: null, passed: false },
  ]);
  t.is(rules[4]?.value, `${'x'.repeat(1_024)}...`);
  t.is(String(rules[5]?.value).slice(0, 20), '{"a":5,"b":null,"lon');
  t.is(String(rules[5]?.expected).length, 1_027);
});

test('invalid rules are rejected, each with its path', (t) => {
  const error = t.throws(
    () => rejectViolations(ruleViolations([{ path: 'a..b' }, { path: 'a.b', regex: '(', notRegex: '[' }])),
    {
      instanceOf: NodewrightError,
      code: 'INVALID',
    },
  );
  t.deepEqual(
    error?.violations?.map(({ path }) => path),
    ['rules.0.path', 'rules.1.regex', 'rules.1.notRegex'],
  );
});

test('an explanation hides secrets of a catalog, including those inside a whole catalog', async (t) => {
  const catalogs = new Map([['bmc', { 'SNMP Community String': 'calvin', Vendor: 'x' }]]);
  const { rules } = await explain(checksOf([{ path: 'bmc.SNMP Community String' }, { path: 'bmc' }]), catalogs);
  t.deepEqual(
    rules.map(({ value, passed }) => [value, passed]),
    [
      ['REDACTED', true],
      [{ 'SNMP Community String': 'REDACTED', Vendor: 'x' }, true],
    ],
  );
});
