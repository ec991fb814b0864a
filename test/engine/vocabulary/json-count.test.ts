import test from 'ava';
import fc from 'fast-check';
import { countValues } from '../../../engine/platform/validation/validator.ts';
import { JsonCount } from '../../../engine/vocabulary/json-count.ts';

function counted(text: string, size: number): JsonCount {
  const count = new JsonCount();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) count.add(bytes.subarray(at, at + size));
  return count;
}

const levels = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levels)) : 0;

function widest(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Math.max(own, ...Object.values(value).map(widest));
}

test('the values, levels and keys of any JSON are counted, in whatever parts and with whatever spaces it arrives', (t) => {
  const space = fc.constantFrom('', ' ', '\t', '\n  ');
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), space, fc.integer({ min: 1, max: 9 }), (json, indent, size) => {
      const value: unknown = JSON.parse(json);
      const { values, deepest, widest: keys } = counted(JSON.stringify(value, undefined, indent), size);
      t.is(values, countValues(value, Number.POSITIVE_INFINITY));
      t.is(deepest, levels(value));
      t.is(keys, widest(value));
    }),
  );
});

test('what is in a text is no value', (t) => {
  const { values, deepest } = counted('{"a[,\\"{":"[,,\\\\","b":[ ]}', 3);
  t.is(values, 3);
  t.is(deepest, 2);
});
