/** Contexts and outputs that are not JSON: workflows fail with the place; for contexts, the check and the harness find it before. */
import test from 'ava';
import { assign } from 'xstate';
import { defineGraph } from '../../../../engine/define/index.ts';
import { plainValue } from '../../../../engine/durable/runtime/plain.ts';
import { findingsOf } from '../../../../engine/kit/findings.ts';
import { examineGraph } from '../../../../engine/kit/harness.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import { PermanentError } from '../../../../engine/vocabulary/errors.ts';
import noop from '../../../../tasks/noop.ts';

function graphWith(later: unknown, first: unknown = null) {
  const definition = { injectableName: 'Graph.Json' as const, friendlyName: 'Json', tasks: { it: noop } };
  const { createMachine } = defineGraph(definition, {} as { context: { value: unknown } });
  const machine = createMachine({
    id: 'Graph.Json',
    context: { value: first },
    initial: 'a',
    states: {
      a: { invoke: { src: 'it', onDone: { target: 'b', actions: assign({ value: () => later }) } } },
      b: { type: 'final' },
    },
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
  [Promise.resolve(1), 'context.value is of the class Promise'],
  [new Map(), 'context.value is of the class Map'],
  [circle, 'nested deeper than 64 levels'],
  ['x'.repeat(9_000_000), 'the context has more than 8388608 characters'],
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

test('plain values of any kind are saved', (t) => {
  const value = { a: [1, 'x', null, true, { b: undefined }], c: Object.create(null) };
  t.deepEqual(plainValue(value).value, { a: [1, 'x', null, true, {}], c: {} });
  t.is(plainValue(undefined).value, null);
  t.is(ended(graphWith(value, value)).row.status, 'succeeded');
});
