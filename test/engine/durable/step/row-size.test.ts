/** Workflows whose values would exceed what a document of MongoDB can have: they fail with a code, and undo what they did. */
import test from 'ava';
import { assign } from 'xstate';
import { defineGraph, defineTask, Type } from '../../../../engine/define/index.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import { loadedTask } from '../../../../engine/library/forms/loaded-task.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import type { Graph } from '../../../../engine/library/types.ts';
import { MIB } from '../../../../engine/vocabulary/units.ts';
import noop from '../../../../tasks/noop.ts';

const source = { kind: 'api' } as const;
const DOCUMENT = 16 * MIB;
const CODE = 'WORKFLOW_TOO_LARGE';
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const isFreed = (run: Run) =>
  run.effects.some((effect) => effect.kind === 'send-to-node' && effect.message.type === 'ended');

function parallel(count: number): Graph {
  const task = loadedTask(noop, 'noop', source);
  const lookup = (name: string) => (name === task.name ? task : undefined);
  const tasks = Array.from({ length: count }, (_, n) => ({ label: `t${n}`, taskName: task.name }));
  const definition = { injectableName: 'Graph.Parallel', friendlyName: 'Parallel', tasks };
  return graphOfList(definition, { any: lookup, code: lookup }, source);
}

function endAll(run: Run, output: () => unknown): void {
  for (const { id } of run.operations) run.send({ type: 'work.done', operation: id, output: output() });
}

test('outputs for which a workflow has no room fail it, and its row stays below the limit of a document', (t) => {
  const run = new Run(parallel(100), {});
  endAll(run, () => ({ text: 'x'.repeat(250_000) }));
  t.like(run.row, { status: 'failed', error: { code: CODE } });
  t.true(isFreed(run));
  t.true(bytesOf(run.row) < DOCUMENT);
  t.true(run.row.tasks.some(({ state }) => state === 'succeeded'));
});

test('values of many small parts count by their bytes', (t) => {
  const run = new Run(parallel(20), {});
  endAll(run, () => ({ list: Array.from({ length: 20_000 }, (_, n) => ({ n: n % 10 })) }));
  t.is(run.row.status, 'succeeded');
  t.true(bytesOf(run.row) < 12 * MIB && bytesOf(run.row) > 4 * MIB);
});

const free = (name: `Task.${string}`) =>
  defineTask({
    injectableName: name,
    friendlyName: 'Free',
    recovery: 'idempotent',
    optionsSchema: Type.Object({}),
    run: async () => ({}),
  });

/** A graph whose context has 7 MiB after its task, which is then its output, too. */
function growing(first: string, input?: (run: { output: unknown }) => Record<string, unknown>): Graph {
  const undo = { task: free('Task.Undo'), ...(input && { input }) };
  const { createMachine } = defineGraph(
    {
      injectableName: 'Graph.Grow',
      friendlyName: 'Grow',
      tasks: { make: { task: free('Task.Make'), compensate: undo } },
    },
    {} as { context: { value: string } },
  );
  const machine = createMachine({
    id: 'Graph.Grow',
    context: { value: first },
    initial: 'a',
    states: {
      a: { invoke: { src: 'make', onDone: { target: 'b', actions: assign({ value: () => 'x'.repeat(7 * MIB) }) } } },
      b: { after: { 1000: 'c' } },
      c: { type: 'final' },
    },
    output: ({ context }) => context.value,
  });
  return graphOf(machine, 'h', () => undefined, { kind: 'api' });
}

const isUndoing = (run: Run) =>
  run.row.tasks.some(({ label, state }) => label === 'compensate-make' && state === 'running');

test('a graph that ends with an output for which there is no room fails instead, and undoes what it did', (t) => {
  const run = new Run(growing(''), {});
  endAll(run, () => ({}));
  run.fireTimer();
  t.true(isUndoing(run));
  endAll(run, () => ({}));
  t.like(run.row, { status: 'failed', error: { code: CODE }, output: null });
  t.true(isFreed(run));
  t.true(bytesOf(run.row) < DOCUMENT);
});

test('a run whose output has no room is undone as well, and its compensation gets null for the output', (t) => {
  const outputs: unknown[] = [];
  const input = ({ output }: { output: unknown }) => {
    outputs.push(output);
    return {};
  };
  // Once the task has ended, and its options are in the row three times, 2 MiB are left.
  const run = new Run(growing('x'.repeat(7 * MIB), input), { defaults: { text: 'x'.repeat(1.24 * MIB) } });
  t.is(run.row.status, 'running');
  endAll(run, () => ({ text: 'x'.repeat(3 * MIB) }));
  t.true(isUndoing(run));
  t.deepEqual([...new Set(outputs)], [null]);
  endAll(run, () => ({}));
  t.like(run.row, { status: 'failed', error: { code: CODE } });
  t.true(isFreed(run));
});

test('a workflow that begins too large fails with its first step', (t) => {
  const run = new Run(growing('x'.repeat(7 * MIB)), { defaults: { text: 'x'.repeat(7 * MIB) } });
  t.like(run.row, { status: 'failed', error: { code: CODE } });
  t.true(isFreed(run));
});
