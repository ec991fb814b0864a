import test from 'ava';
import fc from 'fast-check';
import { apply, type Delta, deltaOf } from '../../../../engine/durable/live/delta.ts';
import type { StepRow } from '../../../../engine/durable/step/row.ts';

const key = fc.constantFrom('a', 'b.10', '7', '__proto__', 'constructor', 'version');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(null, true, 0, 'text', ''),
    fc.dictionary(key, tie('value'), { noNullPrototype: true, maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
}));
const steps = fc.uniqueArray(fc.record({ version: fc.nat(20), events: fc.array(fc.nat(3)) }), {
  selector: ({ version }) => version,
});
const row = fc.record(
  { status: value, error: value, output: value, steps },
  { requiredKeys: [], noNullPrototype: true },
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
        apply(read, through(deltaOf(after, before)));
        t.deepEqual(read, through(after as object as Record<string, unknown>));
        before = after;
      }
    }),
    { numRuns: 500 },
  );
});

test('a step writes only the parts that it changed', (t) => {
  const before = {
    id: 'w',
    version: 1,
    status: 'running',
    name: 'x'.repeat(500),
    items: [{ a: 1 }, { b: 1 }],
    entries: { a1: {}, a2: {} } as Record<string, unknown>,
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
  t.deepEqual(deltaOf<object>(after, before), {
    set: { version: 2, status: 'failed' },
    in: {
      items: { drop: 0, length: 2, in: { 1: { set: { b: 2 } } } },
      entries: { set: { a3: null }, lost: ['a1'] },
    },
  } satisfies Delta);
});

test('a list of steps that lost its first ones is not written again', (t) => {
  const steps = [1, 2, 3].map((version) => ({ version, events: [version] }));
  const later = { version: 4, events: [9] };
  t.deepEqual(deltaOf({ steps: [...steps.slice(2), later] }, { steps }), {
    in: { steps: { drop: 2, length: 2, set: { 1: later } } },
  });
  t.deepEqual(deltaOf({ steps: [later] }, { steps }, { steps: [{ version: 4, events: [] }] }), {
    in: { steps: { drop: 3, length: 1, set: { 0: { version: 4, events: [] } } } },
  });
});

test('a copy of a value with the same parts is not written', (t) => {
  const graph = { states: { one: 'running' }, list: [{ a: 1 }] };
  t.deepEqual(deltaOf({ graph: structuredClone(graph) }, { graph }), {});
});
