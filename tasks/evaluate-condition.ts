/**
 * Compares two values and fails when the comparison does not hold, so that a graph can branch on it. The values are
 * usually templates: `{ "left": "{{ context.probe.status }}", "operator": "equals", "right": "ready" }`.
 */
import { isDeepStrictEqual } from 'node:util';
import { defineTask, PermanentError, Type } from '../engine/define/index.ts';

const operators = {
  equals: (left: unknown, right: unknown) => isDeepStrictEqual(left, right),
  notEquals: (left: unknown, right: unknown) => !isDeepStrictEqual(left, right),
  greaterThan: (left: unknown, right: unknown) => numbers(left, right, (a, b) => a > b),
  lessThan: (left: unknown, right: unknown) => numbers(left, right, (a, b) => a < b),
  contains: (left: unknown, right: unknown) => contains(left, right),
  in: (left: unknown, right: unknown) => contains(right, left),
};

type Operator = keyof typeof operators;

const numbers = (left: unknown, right: unknown, holds: (a: number, b: number) => boolean): boolean => {
  const [a, b] = [Number(left), Number(right)];
  if (Number.isNaN(a) || Number.isNaN(b))
    throw new PermanentError(`found ${text(left)} and ${text(right)}, expected two numbers`);
  return holds(a, b);
};

const contains = (whole: unknown, part: unknown): boolean => {
  if (typeof whole === 'string') return whole.includes(String(part));
  if (Array.isArray(whole)) return whole.some((item) => isDeepStrictEqual(item, part));
  throw new PermanentError(`found ${text(whole)}, expected a string or a list`);
};

const text = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? 'nothing';

export default defineTask({
  injectableName: 'Task.Evaluate.Condition',
  friendlyName: 'Evaluate a condition',
  recovery: 'idempotent',
  optionsSchema: Type.Object(
    {
      left: Type.Unknown({ description: 'The value that is looked at.' }),
      operator: Type.Unsafe<Operator>({ type: 'string', enum: Object.keys(operators), default: 'equals' }),
      right: Type.Unknown({ description: 'What it is compared with.' }),
    },
    { additionalProperties: false },
  ),
  options: { operator: 'equals' },
  run: async ({ input: { left, operator, right } }) => {
    if (operators[operator](left, right)) return { result: true };
    throw new PermanentError(`${text(left)} ${operator} ${text(right)} does not hold`, 'CONDITION_FALSE');
  },
});
