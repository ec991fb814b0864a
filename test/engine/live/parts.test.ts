import test from 'ava';
import fc from 'fast-check';
import { changedParts, joined } from '../../../engine/live/parts.ts';
import type { StepRow } from '../../../engine/step/row.ts';

const split = ['entries', 'items', 'steps'] as unknown as readonly (keyof StepRow & string)[];

const value = fc.oneof(fc.constantFrom(null, true, 0, 'text', ''), fc.record({ inner: fc.integer() }));
const item = fc.record({ state: value });
const row = fc.record(
  {
    status: value,
    error: value,
    output: value,
    entries: fc.dictionary(fc.constantFrom('a1', 'a2', 'b.10', 'b.9'), value, { noNullPrototype: true }),
    items: fc.tuple(item, item, item),
    steps: fc.uniqueArray(fc.record({ version: fc.nat(20), events: fc.array(fc.nat(3)) }), {
      selector: ({ version }) => version,
    }),
  },
  { requiredKeys: ['entries', 'items', 'steps'], noNullPrototype: true },
);

/** As a step changes a row: what is equal is the same object. */
const stepped = (before: object, after: object): StepRow =>
  Object.fromEntries(
    Object.entries(after).map(([name, next]) => {
      const old = (before as Record<string, unknown>)[name];
      return [name, JSON.stringify(old) === JSON.stringify(next) ? old : next];
    }),
  ) as unknown as StepRow;

/** In the order in which rows are read. */
const sorted = (one: { entries?: object; steps?: readonly { version: number }[] }) => ({
  ...one,
  steps: [...(one.steps ?? [])].sort((a, b) => a.version - b.version),
});

test('the fields that steps write, one after another, are the row after the last one', (t) => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 6 }), (rows) => {
      const hash: Record<string, string> = {};
      let before: StepRow | undefined;
      for (const next of rows) {
        const after = before === undefined ? (next as unknown as StepRow) : stepped(before, next);
        const { set, removed } = changedParts(after, before, split);
        for (const name of removed) delete hash[name];
        for (let at = 0; at < set.length; at += 2) hash[set[at] as string] = set[at + 1] as string;
        t.deepEqual(sorted(joined(hash, split)), sorted(after as object));
        before = after;
      }
    }),
    { numRuns: 500 },
  );
});

test('a step writes only what it changed', (t) => {
  const before = {
    id: 'w',
    version: 1,
    status: 'running',
    name: 'x'.repeat(500),
    items: [{ a: 1 }, { b: 1 }],
    options: {},
  };
  const { items } = before;
  const after = { ...before, version: 2, status: 'failed', items: [items[0], { b: 2 }] };
  const { set } = changedParts(after as unknown as StepRow, before as unknown as StepRow, split);
  t.deepEqual(set, ['status', '"failed"', 'items.1', '{"b":2}']);
});
