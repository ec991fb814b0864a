/** The set-ups of Ajv: the project's own schemas, texts, and user-supplied schemas. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import test from 'ava';
import fc from 'fast-check';
import { Type } from 'typebox';
import { configSchema } from '../../../../engine/platform/config/config-schema.ts';
import { countValues, Validator, validator } from '../../../../engine/platform/validation/validator.ts';
import { inputSchemas } from '../../../support/data/schemas.ts';

const numbers = Type.Array(Type.Number());
const regExp = Object.assign((pattern: string) => new RegExp(pattern, 'u'), { code: 'regExp' });
const supplied = () => new Validator({ supplied: { regExp, formats: {}, begin: () => {} } });

test('every violation is reported, of more than 1,000 values only the first', (t) => {
  for (const one of [validator, supplied(), new Validator({ texts: true })]) {
    t.is(one.errors(numbers, Array(999).fill('x')).length, 999);
    t.is(one.errors(numbers, Array(1_000).fill('x')).length, 1);
    t.is(one.errors(numbers, Array(1_000).fill(1)).length, 0);
  }
});

test('values are counted, each object and list included, up to the limit', (t) => {
  const counted = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, inner) => sum + counted(inner), 1)
      : 1;
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 50 }), (value, limit) => {
      t.is(countValues(value, Number.MAX_SAFE_INTEGER), counted(value));
      t.is(countValues(value, limit) >= limit, counted(value) >= limit);
    }),
  );
});

test('only texts are converted to the numbers and booleans of the schema', (t) => {
  const schema = Type.Object({ n: Type.Integer(), b: Type.Boolean() });
  const value = { n: '7', b: 'true' };
  t.is(validator.errors(schema, value).length, 2);
  t.deepEqual(new Validator({ texts: true }).errors(schema, value), []);
  t.deepEqual(Object.values<unknown>(value), [7, true]);
});

test('only user-supplied schemas add their defaults', (t) => {
  const schema = { properties: { a: { default: 7 } } };
  const value = {};
  validator.errors(schema, value);
  t.deepEqual(value, {});
  supplied().errors(schema, value);
  t.deepEqual(value, { a: 7 });
});

test('user-supplied schemas with one $id do not conflict, and an invalid one is rejected', (t) => {
  const own = supplied();
  t.is(own.errors({ $id: 'same', type: 'string' }, 1).length, 1);
  t.is(own.errors({ $id: 'same', type: 'number' }, 1).length, 0);
  t.throws(() => own.compile({ type: 'text' }), { message: /type/ });
  t.throws(() => own.compile({ $async: true }), { message: /synchronous/ });
});

test('a user-supplied schema uses the given formats and patterns, and a budget begins before each validation', (t) => {
  let begun = 0;
  const patterns: string[] = [];
  const none = Object.assign(
    (pattern: string) => {
      patterns.push(pattern);
      return { test: () => false, toString: () => pattern };
    },
    { code: 'regExp' },
  );
  const own = new Validator({ supplied: { regExp: none, formats: { even: /^(..)*$/ }, begin: () => (begun += 1) } });
  const schema = { format: 'even', pattern: 'a' };
  t.deepEqual(
    own.errors(schema, 'abc').map(({ keyword }) => keyword),
    ['pattern', 'format'],
  );
  t.true(patterns.includes('a'));
  const before = begun;
  own.errors(schema, 'abc');
  t.is(begun, before + 1);
});

test('no key of a prototype satisfies a schema', (t) => {
  t.is(validator.errors(Type.Object({ constructor: Type.Unknown() }), {}).length, 1);
  t.true(validator.accepts(Type.Object({ toString: Type.Optional(Type.String()) }), {}));
});

/** The validator trusts the schemas of the project. */
test('every schema of the API and of the configuration is a valid JSON Schema 2020-12', (t) => {
  const ajv = formats.default(new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false }));
  const all = [...inputSchemas(), ['configuration', configSchema] as const];
  t.true(all.length > 80);
  for (const [name, schema] of all) t.notThrows(() => ajv.compile(schema), name);
});

const strict = { additionalProperties: false } as const;
const gate = Type.Union([
  Type.Object({ failures: Type.Integer({ minimum: 1 }) }, strict),
  Type.Object(
    { percent: Type.Integer({ minimum: 1, maximum: 100 }), scope: Type.Optional(Type.Literal('all')) },
    strict,
  ),
  Type.Object({ health: Type.Union([Type.Literal('warning'), Type.Literal('critical')]) }, strict),
]);
const gates = Type.Object({ gates: Type.Array(gate) });

test('of several kinds of a value the violations are those of the kind that it comes nearest to', (t) => {
  const pathsOf = (...given: unknown[]) => validator.violations(gates, { gates: given }).map(({ path }) => path);
  t.deepEqual(validator.violations(gates, { gates: [{ percent: 101 }] }), [
    { path: 'gates.0.percent', message: 'must be <= 100' },
  ]);
  t.deepEqual(pathsOf({ failures: 0 }, { percent: 5, scope: 'some' }), ['gates.0.failures', 'gates.1.scope']);
  t.true(pathsOf({ health: 'ok' }).every((path) => path === 'gates.0.health'));
  t.true(pathsOf({ nothing: 1 }).length > 0, 'it is equally far from all');
  t.true(pathsOf(5).length > 0);
});

test('a value that is not valid has a violation, whatever it and its kinds are', (t) => {
  const value = fc.oneof(
    fc.object(),
    fc.integer(),
    fc.record({ failures: fc.anything() }),
    fc.record({ percent: fc.integer() }),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), (given) => {
      const isValid = validator.accepts(gates, { gates: given });
      t.is(validator.violations(gates, { gates: given }).length === 0, isValid);
    }),
  );
});
