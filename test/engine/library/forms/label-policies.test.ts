/** The checks of policies when a graph or task is loaded. */
import test from 'ava';
import { defineGraph, defineTask, type LabelDefinition, Type } from '../../../../engine/define/index.ts';
import { loadedTask } from '../../../../engine/library/forms/loaded-task.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import type { Graph } from '../../../../engine/library/types.ts';
import sleep from '../../../../tasks/sleep.ts';

const source = { kind: 'api' } as const;

function compiled(entry: unknown, more: Record<string, unknown> = {}): Graph {
  const tasks = { it: entry as LabelDefinition, ...more } as Record<string, LabelDefinition>;
  const { createMachine } = defineGraph({ injectableName: 'Graph.Policies', friendlyName: 'Policies', tasks });
  const machine = createMachine({
    id: 'Graph.Policies',
    initial: 'doing',
    states: { doing: { invoke: { src: 'it', onDone: 'done' } }, done: { type: 'final' } },
  });
  return graphOf(machine, 'h', () => undefined, source);
}

const invalid: [entry: object, message: RegExp][] = [
  [{ retry: { attempts: 0, delayMs: 1 } }, /label 'it' with retry\.attempts 0; expected a whole number from 1 to 1000/],
  [{ retry: { attempts: 2 } }, /retry\.delayMs undefined; expected a whole number of ms/],
  [{ retry: { attempts: 2, delayMs: 1, factor: 0.5 } }, /retry\.factor 0\.5/],
  [{ retry: { attempts: 2, delayMs: 1, delay: 1 } }, /retry\.delay; expected one of attempts, delayMs/],
  [{ retry: { attempts: 2, delayMs: 1, on: [] } }, /retry\.on \[\]; expected a list of error codes/],
  [{ retry: { attempts: 2, delayMs: 1, on: ['TASK_TIMEOUT'] } }, /retry\.on with TASK_TIMEOUT/],
  [{ retry: 3 }, /found label 'it' with retry; expected an object/],
  [{ timeoutMs: 0 }, /timeoutMs 0 of label 'it'; expected a whole number of ms, at least 1/],
  [{ timeout: 1 }, /label 'it' with timeout; expected only task, retry, timeoutMs, compensate/],
  [
    { compensate: { task: sleep, input: { duration: 'x' } } },
    /duration: must be integer; expected label 'compensate-it'/,
  ],
  [{ compensate: { task: sleep, undo: 1 } }, /compensate of label 'it' with undo/],
  [{ compensate: {} }, /compensate of label 'it' without a task/],
  [{ compensate: { task: sleep, partial: 'yes' } }, /partial "yes" of 'compensate-it'/],
  [{ compensate: { task: sleep, retry: { attempts: 1.5, delayMs: 1 } } }, /'compensate-it' with retry\.attempts 1\.5/],
];

for (const [entry, message] of invalid) {
  test(`a label is rejected: ${message.source}`, (t) => {
    const error = t.throws(() => compiled({ task: sleep, ...entry }), { message });
    t.is((error as { code?: string }).code, 'INVALID_DEFINITION');
  });
}

test('a label with the name of a compensation is rejected', (t) => {
  const graph = () => compiled({ task: sleep, compensate: { task: sleep } }, { 'compensate-it': sleep });
  t.throws(graph, { message: /label 'compensate-it', which is also that of a compensation/ });
});

test('a timeout in both places is rejected', (t) => {
  const { createMachine } = defineGraph({
    injectableName: 'Graph.Twice',
    friendlyName: 'Twice',
    tasks: { it: { task: sleep, timeoutMs: 5 } },
    options: { it: { _taskTimeout: 5 } },
  });
  const machine = createMachine({
    initial: 'a',
    states: { a: { invoke: { src: 'it', onDone: 'b' } }, b: { type: 'final' } },
  });
  t.throws(() => graphOf(machine, 'h', () => undefined, source), { message: /timeoutMs and _taskTimeout/ });
});

test('the definition of a graph shows its timeouts as options, its retries and its compensations', (t) => {
  const retry = { attempts: 2, delayMs: 5 };
  const { definition } = compiled({ task: sleep, retry, timeoutMs: 9, compensate: { task: sleep, timeoutMs: 8 } });
  t.deepEqual(definition.options, { it: { _taskTimeout: 9 }, 'compensate-it': { _taskTimeout: 8 } });
  t.deepEqual(definition.tasks, [
    { label: 'it', taskName: 'Task.Sleep', retry },
    { label: 'compensate-it', taskName: 'Task.Sleep', compensates: 'it' },
  ]);
});

test('the retry policy of a task is checked too, and the earlier names are still accepted', (t) => {
  const task = (retry: object) =>
    loadedTask(
      defineTask({
        injectableName: 'Task.X',
        friendlyName: 'X',
        recovery: 'idempotent',
        optionsSchema: Type.Object({}),
        retry: retry as never,
        run: async () => ({}),
      }),
      'h',
      source,
    );
  t.throws(() => task({ attempts: 'three', delayMs: 1 }), { message: /Task\.X with retry\.attempts "three"/ });
});
