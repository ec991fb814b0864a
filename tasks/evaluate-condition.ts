/**
 * Fails when a condition is false, so that a graph can branch on it. `when` alone is true if it is true or the text
 * `true`; with an operator it is compared: `{ "when": "{{ context.probe.status }}", "equals": "ready" }`.
 *
 * Output: `{ result: true }`; a false condition fails with `CONDITION_FALSE`.
 */
import { isDeepStrictEqual } from 'node:util';
import { defineTask, PermanentError, Type } from 'nodewright/define';

type Comparison = (value: unknown, expected: unknown) => boolean;

const operators = {
  equals: (value, expected) => isDeepStrictEqual(value, expected),
  notEquals: (value, expected) => !isDeepStrictEqual(value, expected),
  in: (value, expected) => (expected as unknown[]).some((item) => isDeepStrictEqual(item, value)),
  contains: (value, expected) =>
    typeof value === 'string' ? value.includes(String(expected)) : listOf(value).includes(expected),
  greaterThan: (value, expected) => numberOf(value) > (expected as number),
  lessThan: (value, expected) => numberOf(value) < (expected as number),
} satisfies Record<string, Comparison>;
type Operator = keyof typeof operators;

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new PermanentError(`contains: found ${text(value)}, expected a string or a list`);
}

function numberOf(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw new PermanentError(`found ${text(value)}, expected a number`);
}

const text = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? 'nothing';

const isTrue = (when: unknown): boolean => when === true || String(when).toLowerCase() === 'true';

export default defineTask({
  injectableName: 'Task.Evaluate.Condition',
  friendlyName: 'Evaluate a condition',
  recovery: 'idempotent',
  optionsSchema: Type.Object(
    {
      when: Type.Unknown({ description: 'The value to test.' }),
      equals: Type.Optional(Type.Unknown({ description: 'True if it has this value.' })),
      notEquals: Type.Optional(Type.Unknown({ description: 'True if it has another value.' })),
      in: Type.Optional(Type.Array(Type.Unknown(), { description: 'True if it is one of these values.' })),
      contains: Type.Optional(Type.String({ description: 'True if the text or the list contains this text.' })),
      greaterThan: Type.Optional(Type.Number({ description: 'True if it is greater.' })),
      lessThan: Type.Optional(Type.Number({ description: 'True if it is less.' })),
    },
    { additionalProperties: false },
  ),
  run: async ({ input: { when, ...comparisons } }) => {
    // Further options, which graphs of RackHD give it for the template of `when`, compare nothing.
    const given = (Object.keys(operators) as Operator[]).filter((operator) => comparisons[operator] !== undefined);
    const broken = given.find((operator) => !operators[operator](when, comparisons[operator]));
    if (broken === undefined && (given.length > 0 || isTrue(when))) return { result: true };
    const condition = broken === undefined ? 'is true' : `${broken} ${text(comparisons[broken])}`;
    throw new PermanentError(`condition evaluated to false: ${text(when)} ${condition}`, 'CONDITION_FALSE');
  },
});
