/** The rules of a SKU as they are edited, and the nodes that a change would move. */
import test from 'ava';
import { editedRules, emptyRule, finishedRules } from '../../api/console/pages/skus/edited-rules.ts';
import { type SkuRank, skuChanges } from '../../api/console/pages/skus/sku-change.ts';
import type { SkuRule } from '../../engine/api-port/index.ts';

const rank = (id: string, rules: number, createdAt = '2026-01-01T00:00:00Z'): SkuRank => ({ id, rules, createdAt });
const others = new Map([
  ['few', rank('few', 1)],
  ['many', rank('many', 5)],
  ['own', rank('own', 2)],
]);
const skuOf = new Map<string, string | null>([
  ['n1', null],
  ['n2', 'few'],
  ['n3', 'many'],
  ['n4', 'own'],
  ['n5', 'own'],
  ['n6', 'few'],
]);

test('nodes get the SKU, keep it, lose it, or stay with one that is preferred', (t) => {
  const changes = skuChanges(rank('own', 2), others, ['n1', 'n2', 'n3', 'n4'], skuOf);
  t.deepEqual(
    [...changes.gained],
    [
      [null, ['n1']],
      ['few', ['n2']],
    ],
  );
  t.deepEqual([...changes.stay], [['many', ['n3']]]);
  t.deepEqual([changes.kept, changes.lost], [['n4'], ['n5']]);
});

test('of SKUs with the same number of rules the older one stays; a new one is the youngest', (t) => {
  const changes = skuChanges(rank('', 1, ''), others, ['n2', 'n3'], skuOf);
  t.deepEqual([...changes.gained], []);
  t.deepEqual(
    [...changes.stay],
    [
      ['few', ['n2']],
      ['many', ['n3']],
    ],
  );
  const older = skuChanges(rank('x', 1, '2025-01-01T00:00:00Z'), others, ['n2'], skuOf);
  t.deepEqual([...older.gained], [['few', ['n2']]]);
});

const rules: SkuRule[] = [
  { path: 'dmi.a', contains: '12' },
  { path: 'dmi.b', equals: 12 },
  { path: 'dmi.c', equals: '12' },
  { path: 'dmi.d', equals: { a: [null] } },
  { path: 'dmi.e', in: ['a', 1] },
  { path: 'dmi.f' },
  { path: 'dmi.g', min: 1, max: 4.5, notRegex: '^x' },
];

test('rules that are only looked at stay what they are, several operators in one rule too', (t) => {
  t.deepEqual(finishedRules(editedRules(rules)), rules);
});

test('lists may be typed with commas, and a line without a path is no rule yet', (t) => {
  const line = { ...emptyRule(), path: 'dmi.a', operator: 'in' as const, text: 'a, b' };
  t.deepEqual(finishedRules([line, emptyRule()]), [{ path: 'dmi.a', in: ['a', 'b'] }]);
});

test('a bound that is no number is left to the daemon, which says what it expects', (t) => {
  const line = { ...emptyRule(), path: 'dmi.a', operator: 'min' as const, text: 'many' };
  t.deepEqual(finishedRules([line]), [{ path: 'dmi.a', min: 'many' }]);
});
