/** The translation of Ajv's errors to violations. */
import test from 'ava';
import fc from 'fast-check';
import { Type } from 'typebox';
import { validator } from '../../../../engine/platform/validation/validator.ts';
import { violationOf } from '../../../../engine/platform/validation/violation-of.ts';
import { inputSchemas } from '../../../support/data/schemas.ts';

const violations = (schema: object, value: unknown) => validator.violations(schema, value);

const closed = Type.Object({ a: Type.String() }, { additionalProperties: false });
const zeroOrRange = { type: 'number', maximum: 9, not: { exclusiveMinimum: 0, exclusiveMaximum: 2 } };

const translated: [what: string, schema: object, value: unknown, path: string, message: string][] = [
  ['a missing key', closed, {}, 'a', 'is missing'],
  ['an unknown key', closed, { a: 'x', b: 1 }, 'b', 'is unknown or cannot be set; leave it out'],
  ['a wrong type', closed, { a: 1 }, 'a', 'must be string'],
  ['a whole value of a wrong type', closed, 7, '', 'must be object'],
  ['an element of a list', Type.Array(closed), [{ a: '' }, { a: 1 }], '1.a', 'must be string'],
  ['none of the accepted values', { enum: ['a', 1, null] }, 'x', '', 'must be one of a, 1, null'],
  ['neither 0 nor in the range', zeroOrRange, 1, '', 'must be 0 (off), or 2 to 9'],
  ['another rejected value', { not: { type: 'string' }, description: 'a secret' }, 'x', '', 'must NOT be valid'],
  ['a short text', { minLength: 1 }, '', '', 'must have at least 1 character'],
  ['a long list', { maxItems: 2 }, [1, 2, 3], '', 'must have at most 2 items'],
  ['no time', { type: 'string', format: 'date-time' }, 'soon', '', 'must be a time, such as 2026-11-30T22:00:00Z'],
];

for (const [what, schema, value, path, message] of translated) {
  test(`${what} is reported as '${path} ${message}'`, (t) => {
    t.deepEqual(violations(schema, value), [{ path, message }]);
  });
}

test('the message for an unknown key can be another', (t) => {
  const [error] = validator.errors(closed, { a: '', b: 1 });
  t.deepEqual(error && violationOf(error, 'is not known here'), { path: 'b', message: "'b' is not known here" });
});

test('a long list of accepted values is cut', (t) => {
  const [violation] = violations({ enum: Array.from({ length: 5_000 }, (_, n) => `value ${n}`) }, 'x');
  t.true((violation?.message.length ?? 0) < 1_100);
});

test('the path of a violation leads to the wrong value, whatever the keys are', (t) => {
  const keys = fc.array(fc.oneof(fc.string(), fc.constantFrom('~', '/', '~1', 'a.b', '__proto__')), { maxLength: 4 });
  fc.assert(
    fc.property(keys, (path) => {
      const nested = path.reduceRight<{ schema: object; value: unknown }>(
        ({ schema, value }, key) => ({
          schema: { type: 'object', additionalProperties: schema },
          value: Object.fromEntries([[key, value]]),
        }),
        { schema: { type: 'string' }, value: 7 },
      );
      t.deepEqual(violations(nested.schema, nested.value), [{ path: path.join('.'), message: 'must be string' }]);
    }),
  );
});

test('no violation of any input of the API quotes a value', (t) => {
  const SECRET = 'hush-4711';
  const value = fc.oneof(fc.constant(SECRET), fc.constant([SECRET]), fc.constant([{ a: SECRET }]), fc.constant(-4711));
  let found = 0;
  for (const [name, schema] of inputSchemas()) {
    const keys = Object.keys(('properties' in schema ? schema.properties : undefined) ?? { none: 1 });
    const wrong = fc.oneof(value, fc.dictionary(fc.constantFrom(...keys), value, { noNullPrototype: true }));
    fc.assert(
      fc.property(wrong, (input) => {
        const all = violations(schema, input);
        found += all.length;
        for (const { path, message } of all) {
          t.false(`${path} ${message}`.includes('4711'), name);
          t.not(message, '');
        }
      }),
      { numRuns: 20 },
    );
  }
  t.true(found > 100);
});
