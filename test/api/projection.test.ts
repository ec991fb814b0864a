/** Views: the declared properties of a record, and no others. */
import test from 'ava';
import fc from 'fast-check';
import { type TObject, type TSchema, Type } from 'typebox';
import { projection } from '../../api/views/projection.ts';
import { isObject } from '../../engine/vocabulary/json.ts';
import { answerRecords, recordOf } from '../support/data/schemas.ts';

/** Adds undeclared properties to every object that the schema declares. */
const withMore = (schema: TObject, value: Record<string, unknown>): Record<string, unknown> => ({
  pendingEvents: [],
  ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, within(schema.properties[key], inner)])),
  _secret: 'hush',
});

function within(schema: TSchema | undefined, value: unknown): unknown {
  if (Type.IsArray(schema) && Array.isArray(value)) return value.map((inner) => within(schema.items, inner));
  return Type.IsObject(schema) && isObject(value) ? withMore(schema, value) : value;
}

test('for every record of the API: the declared properties stay as they are, in order, and others are left out', (t) => {
  const records = answerRecords();
  t.true(records.size > 20);
  for (const [name, schema] of records) {
    const project = projection(schema);
    fc.assert(
      fc.property(recordOf(schema), (record) => {
        const view = project(withMore(schema, record));
        t.deepEqual<object, object>(view, record, name);
        t.deepEqual(
          Object.keys(view),
          Object.keys(schema.properties).filter((key) => key in record),
          name,
        );
      }),
      { numRuns: 20 },
    );
  }
});

const Part = Type.Object({ a: Type.String() });
const Whole = Type.Object({
  part: Part,
  parts: Type.Array(Part),
  any: Type.Union([Part, Type.Null()]),
  map: Type.Record(Type.String(), Type.Unknown()),
  maybe: Type.Optional(Type.Union([Type.String(), Type.Undefined()])),
  double: Type.Integer(),
});

interface Stored {
  n: number;
}

const whole = projection(Whole, { double: ({ n }: Stored, by: number) => n * by });
const part = { a: 'x', hidden: true };

test('objects and lists within a record are projected; unions and maps are passed unchanged', (t) => {
  const record = { n: 4, part, parts: [part], any: part, map: { part }, maybe: undefined };
  t.deepEqual(whole(record, 2), { part: { a: 'x' }, parts: [{ a: 'x' }], any: part, map: { part }, double: 8 });
});

test('a record is not changed, and a value of another kind is passed unchanged', (t) => {
  const record = Object.freeze({ n: 1, part: Object.freeze({ ...part }), parts: [], any: null, map: {} });
  t.notThrows(() => whole(record, 1));
  const old = { ...record, part: null, parts: 'none' };
  t.like(whole(old as unknown as typeof record, 1), { part: null, parts: 'none' } as object);
});

test('a computed property without a value is left out', (t) => {
  const project = projection(Whole, { maybe: () => undefined, double: () => 1 });
  t.false('maybe' in project({ part, parts: [], any: null, map: {} }));
});
