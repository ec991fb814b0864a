/** Contexts and outputs that are not JSON: workflows fail with the place; for contexts, the check and the harness find it before. */
import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { assign, setup } from 'xstate';
import { defineGraph, defineTask, Type } from '../../../../engine/define/index.ts';
import { activity } from '../../../../engine/define/operation.ts';
import type { TaskDefinition } from '../../../../engine/define/task.ts';
import { plainValue } from '../../../../engine/durable/runtime/plain.ts';
import { findingsOf } from '../../../../engine/kit/findings.ts';
import { examineGraph } from '../../../../engine/kit/harness.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import { PermanentError } from '../../../../engine/vocabulary/errors.ts';
import { savedJson } from '../../../../engine/vocabulary/saved-json.ts';

const base = {
  friendlyName: 'Free',
  recovery: 'idempotent',
  optionsSchema: Type.Object({ body: Type.Optional(Type.Unknown()) }),
} as const;
const free = defineTask({ ...base, injectableName: 'Task.Free', run: async () => ({}) });

function graphWith(later: unknown, first: unknown = null, input?: { body: unknown }, task: TaskDefinition = free) {
  const definition = { injectableName: 'Graph.Json' as const, friendlyName: 'Json', tasks: { it: task } };
  const { createMachine } = defineGraph(definition, {} as { context: { value: unknown } });
  const machine = createMachine({
    id: 'Graph.Json',
    context: { value: first },
    initial: 'a',
    states: {
      a: {
        invoke: {
          src: 'it',
          ...(input && { input: () => input }),
          onDone: { target: 'b', actions: assign({ value: () => later }) },
        },
      },
      b: { type: 'final' },
    },
    output: ({ context }) => context.value,
  });
  return graphOf(machine, 'h', () => undefined, { kind: 'api' });
}

function ended(graph: ReturnType<typeof graphWith>): Run {
  const run = new Run(graph, {});
  const [operation] = run.operations;
  if (operation !== undefined) run.send({ type: 'work.done', operation: operation.id, output: {} });
  return run;
}

const circle: { inner: unknown[] } = { inner: [] };
circle.inner.push(circle);

for (const [value, found] of [
  [10n, 'context.value is a bigint'],
  [{ list: [() => 1] }, 'context.value.list.0 is a function'],
  [{ at: new Date() }, 'context.value.at is of the class Date'],
  [{ rate: Number.NaN }, 'context.value.rate is NaN'],
  [[Number.NEGATIVE_INFINITY], 'context.value.0 is -Infinity'],
  [Promise.resolve(1), 'context.value is of the class Promise'],
  [new Map(), 'context.value is of the class Map'],
  [circle, 'nested deeper than 64 levels'],
  ['x'.repeat(9_000_000), 'the context has more than 8388608 bytes as JSON'],
] as const) {
  test(`a context with a value that cannot be saved fails the workflow: ${found}`, (t) => {
    for (const graph of [graphWith(value), graphWith(null, value)]) {
      const { row } = ended(graph);
      t.like(row, { status: 'failed', error: { code: 'GRAPH_FAILED' } });
      t.true(row.error?.message.includes(found), row.error?.message);
      t.notThrows(() => JSON.stringify(row));
      const [problem] = examineGraph(graph).problems;
      t.true(problem?.message.includes(found), problem?.message);
      const { warnings } = findingsOf(null, () => graph);
      t.true(
        warnings.some(({ message }) => message.includes(found)),
        JSON.stringify(warnings),
      );
    }
  });
}

for (const [value, found] of [
  [10n, 'output is a bigint'],
  [() => 1, 'output is a function'],
  [{ at: [new Date()] }, 'output.at.0 is of the class Date'],
  [new Set([1]), 'output is of the class Set'],
  [circle, 'nested deeper than 64 levels'],
] as const) {
  test(`an output of a task that cannot be saved is an error that no attempt mends: ${found}`, (t) => {
    const error = t.throws(() => plainValue(value), { instanceOf: PermanentError });
    t.true(error?.message.includes(found), error?.message);
  });
}

const values = fc.oneof(
  fc.object({
    maxDepth: 3,
    withNullPrototype: true,
    values: [fc.string(), fc.integer(), fc.boolean(), fc.constantFrom(undefined, -0, null)],
  }),
  fc.array(fc.constantFrom(undefined, -0, 0, 'x'), { maxLength: 4 }),
  fc.constantFrom(undefined, -0, new Array(3)),
);

test('a context, an output and the input of a call are the ones that a restart reads', (t) => {
  const restarted = (value: unknown): unknown => JSON.parse(JSON.stringify({ value }));
  fc.assert(
    fc.property(fc.record({ v: values }), fc.record({ v: values }), (first, later) => {
      const { row } = ended(graphWith(later, first));
      const { snapshot } = row.actors.graph ?? {};
      assert.deepStrictEqual(snapshot?.context, restarted(later));
      assert.deepStrictEqual(row.output, JSON.parse(JSON.stringify(later)));
      const begun = new Run(graphWith(later, first, { body: first }), {});
      const [call] = begun.operations;
      assert.deepStrictEqual(begun.row.actors.graph?.snapshot.context, restarted(first));
      assert.deepStrictEqual(call?.input, JSON.parse(JSON.stringify(call?.input)));
    }),
    { numRuns: 300, includeErrorInReport: true },
  );
  t.pass();
});

for (const [value, found] of [
  [10n, 'options.it.body is a bigint'],
  [{ at: new Date() }, 'options.it.body.at is of the class Date'],
  [Number.NaN, 'options.it.body is NaN'],
] as const) {
  test(`a computed input that cannot be saved fails its task before it begins: ${found}`, (t) => {
    const { row } = new Run(graphWith(1, null, { body: value }), {});
    t.is(row.status, 'failed');
    t.true(row.error?.message.includes(found), row.error?.message);
    t.notThrows(() => JSON.stringify(row));
  });
}

test('a context of a task that cannot be saved fails the task', (t) => {
  const machine = setup({ actors: { work: activity(async () => ({})) } }).createMachine({
    context: { at: new Date() },
    initial: 'a',
    states: { a: { invoke: { src: 'work', onDone: 'b' } }, b: { type: 'final' } },
  });
  const task = defineTask({ ...base, injectableName: 'Task.Dated', machine });
  const { row } = new Run(graphWith(1, null, undefined, task), {});
  t.true(row.error?.message.includes('context.at is of the class Date'), row.error?.message);
});

test('plain values of any kind are saved', (t) => {
  const value = { a: [1, 'x', null, true, { b: undefined }], c: Object.create(null) };
  t.deepEqual(plainValue(value).value, { a: [1, 'x', null, true, {}], c: {} });
  t.is(plainValue(undefined).value, null);
  t.is(ended(graphWith(value, value)).row.status, 'succeeded');
});

test('a context is measured in the bytes in which it is saved', (t) => {
  const [limit, euro] = [8 * 1_024 * 1_024, '\u20ac'];
  for (const value of [
    euro.repeat(2_800_000),
    '\u0001'.repeat(1_400_000),
    new Array(500_000).fill(Math.PI),
    new Array(9_000_000),
  ])
    t.throws(() => savedJson(value, 'context'), { message: /more than 8388608 bytes as JSON/ });
  for (const value of ['x'.repeat(limit - 2), euro.repeat(2_700_000), new Array(2_000_000).fill(1)])
    t.is(savedJson(value, 'context'), value);
});

test('a value that holds another many times is measured as often', (t) => {
  let value: unknown[] = [];
  for (let level = 0; level < 40; level += 1) value = [value, value];
  t.throws(() => savedJson(value, 'context'), { message: /more than 8388608 bytes as JSON/ });
});
