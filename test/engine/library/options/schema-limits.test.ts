/** User-supplied schemas: none blocks the thread, neither when it is compiled nor when it validates values. */
import test from 'ava';
import { Type } from 'typebox';
import { defineTask } from '../../../../engine/define/index.ts';
import { taskOfJson } from '../../../../engine/library/forms/json-task.ts';
import { loadedTask } from '../../../../engine/library/forms/loaded-task.ts';
import { Rejection } from '../../../../engine/library/options/rejection.ts';
import { schemaViolations } from '../../../../engine/library/options/schema.ts';
import type { JsonObject } from '../../../../engine/vocabulary/json.ts';

const source = { kind: 'api' } as const;
const base = loadedTask(
  defineTask({
    injectableName: 'Task.Base',
    friendlyName: 'Base',
    recovery: 'idempotent',
    optionsSchema: Type.Object({}),
    run: async () => ({}),
  }),
  'base',
  source,
);
const taskWith = (optionsSchema: JsonObject) =>
  taskOfJson(
    { friendlyName: 'Own', injectableName: 'Task.Own', implementsTask: 'Task.Base', optionsSchema },
    () => base,
    source,
  );
const property = (schema: JsonObject): JsonObject => ({ properties: { a: schema } });

const chain = (length: number): JsonObject => ({
  $defs: Object.fromEntries(
    Array.from({ length }, (_, n) => [
      `d${n}`,
      n === 0 ? { type: 'string' } : { allOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] },
    ]),
  ),
  ...property({ $ref: `#/$defs/d${length - 1}` }),
});

const rejected: [what: string, schema: JsonObject, message: RegExp][] = [
  ['a look-ahead', property({ pattern: '^(?=a)b' }), /uses a look-ahead/],
  [
    'a look-behind among its patternProperties',
    { patternProperties: { '(?<!a)b': { type: 'string' } } },
    /uses a look-behind/,
  ],
  ['a back-reference', property({ pattern: '(a)\\1' }), /uses a back-reference/],
  ['a pattern that is too large', property({ pattern: '(a{1000}){1000}' }), /has the size 1000000/],
  ['references that double thirty times', chain(30), /more than 1000 objects/],
  ['a reference in a circle', property({ allOf: [{ $ref: '#' }] }), /is part of a cycle/],
  [
    'references in a circle by two places',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { items: { $ref: '#/$defs/a' } } } },
    /is part of a cycle/,
  ],
  ['a reference to elsewhere', property({ $ref: 'http://example.com/schema' }), /the location of an object/],
  ['a reference to nowhere', property({ $ref: '#/$defs/none' }), /the location of an object/],
  ['uniqueItems without a bound', property({ uniqueItems: true }), /uniqueItems without a small maxItems/],
  ['too many objects', { allOf: Array.from({ length: 2_000 }, () => ({ type: 'object' })) }, /more than 1000 objects/],
  [
    'too many large patterns',
    { allOf: Array.from({ length: 50 }, (_, n) => property({ pattern: `^${n}a{900}b{900}$` })) },
    /more than 1000 objects/,
  ],
];

for (const [what, schema, message] of rejected) {
  test(`a task's schema with ${what} is rejected with the reason`, (t) => {
    t.throws(() => taskWith(schema), { instanceOf: Rejection, message });
  });
}

test('a schema with local references, patterns and formats validates as it declares', (t) => {
  const { schema } = taskWith({
    $defs: { name: { type: 'string', pattern: '^[a-z]+$' }, names: { type: 'array', items: { $ref: '#/$defs/name' } } },
    properties: { names: { $ref: '#/$defs/names' }, mail: { format: 'email' }, at: { format: 'date-time' } },
    patternProperties: { '^x-': { type: 'number' } },
    additionalProperties: false,
  });
  t.deepEqual(
    schemaViolations(schema, { names: ['a', 'bc'], mail: 'a@b.example', at: '2026-01-01T00:00:00Z', 'x-a': 1 }),
    [],
  );
  const violations = schemaViolations(schema, { names: ['a', 'B'], mail: 'a@', at: 'now', 'x-a': 'b', y: 1 });
  t.deepEqual(violations.map(({ path }) => path).sort(), ['at', 'mail', 'names.1', 'x-a', 'y']);
});

test('a pattern that backtracks without end in other engines is accepted, and validates values', (t) => {
  const { schema } = taskWith(property({ pattern: '^(a+)+$' }));
  t.deepEqual(schemaViolations(schema, { a: 'a'.repeat(1_000) }), []);
  t.is(schemaViolations(schema, { a: `${'a'.repeat(1_000)}!` })[0]?.path, 'a');
});

test('formats with backtracking expressions validate long texts', (t) => {
  const formats = [
    'email',
    'url',
    'uri',
    'uri-reference',
    'uri-template',
    'hostname',
    'duration',
    'ipv6',
    'byte',
    'time',
  ];
  const texts = ['a', 'a.', 'a@', '1:', 'a-', '{a', '%', ':', 'P1Y', 'http://a:', '\n', '0'].map((one) =>
    one.repeat(20_000),
  );
  for (const format of formats) {
    const { schema } = taskWith(property({ format }));
    for (const text of texts) {
      const hostile = [`${text}!`, `http://${text}\n`, `a@${text}!`, `mailto:${text}<`];
      for (const a of hostile) t.true(schemaViolations(schema, { a }).length <= 1, `${format} ${a.slice(0, 20)}`);
    }
  }
});

test('many patterns are not all tried on a long text: the value is rejected', (t) => {
  const allOf = Array.from({ length: 30 }, (_, n) => property({ pattern: `[ab]{${200 + n}}c` }));
  const { schema } = taskWith({ allOf });
  const [fault] = schemaViolations(schema, { a: 'ab'.repeat(5_000) });
  t.regex(fault?.message ?? '', /too long for the patterns/);
  t.true(schemaViolations(schema, { a: 'ab' }).length > 1);
});

test('more values than a schema can validate in a second are rejected', (t) => {
  const { schema } = taskWith({ ...property({ items: { allOf: Array(900).fill({ type: 'number' }) } }) });
  const [fault] = schemaViolations(schema, { a: Array(1_000_000).fill('x') });
  t.regex(fault?.message ?? '', /values or more/);
});

test('a violation that repeats in a large value is reported once, not for each value', (t) => {
  const schema = Type.Object({ a: Type.Array(Type.String()) });
  t.is(schemaViolations(schema, { a: Array(500).fill(1) }).length, 500);
  t.is(schemaViolations(schema, { a: Array(100_000).fill(1) }).length, 1);
});

test('no default of a schema reaches a prototype', (t) => {
  const polluting = { properties: { polluted: { default: 'yes' } } };
  const { schema } = taskWith({
    properties: JSON.parse(
      `{ "__proto__": ${JSON.stringify(polluting)}, "constructor": { "properties": { "prototype": ${JSON.stringify(polluting)} } } }`,
    ),
  });
  const value = {};
  schemaViolations(schema, value);
  t.is(({} as { polluted?: string }).polluted, undefined);
  t.is((value as { polluted?: string }).polluted, undefined);
});
