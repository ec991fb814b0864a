import test from 'ava';
import fc from 'fast-check';
import { apply, type Delta, deltaOf } from '../../../engine/live/delta.ts';
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

const through = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test('the deltas of steps, applied one after another, are the row after the last one', (t) => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 6 }), ([first, ...others]) => {
      const read = through(first) as Record<string, unknown>;
      let before = first as unknown as StepRow;
      for (const next of others) {
        const after = stepped(before, next);
        apply(read, through(deltaOf(after, before, split)));
        t.deepEqual(read, through(after as object as Record<string, unknown>));
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
    entries: { a1: {}, a2: {} },
    options: {},
  };
  const { items, entries } = before;
  const after = {
    ...before,
    version: 2,
    status: 'failed',
    items: [items[0], { b: 2 }],
    entries: { a2: entries.a2, a3: null },
  };
  t.deepEqual(deltaOf(after as unknown as StepRow, before as unknown as StepRow, split), {
    set: { status: 'failed' },
    absent: [],
    lists: { items: { drop: 0, length: 2, items: { 1: { b: 2 } } } },
    split: { entries: { removed: ['a1'], entries: { a3: null } } },
  } satisfies Delta);
});

test('a list of steps that lost its first ones is not written again', (t) => {
  const steps = [1, 2, 3].map((version) => ({ version, events: [] }));
  const before = { id: 'w', steps } as unknown as StepRow;
  const after = { id: 'w', steps: [...steps.slice(2), { version: 4, events: [9] }] } as unknown as StepRow;
  t.deepEqual(deltaOf(after, before, split).lists, {
    steps: { drop: 2, length: 2, items: { 1: { version: 4, events: [9] } } },
  });
});
