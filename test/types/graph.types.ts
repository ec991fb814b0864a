/** Errors of the compiler in a graph. Not run: `tsc` fails when one of the marked lines stops being an error. */
import { assign, type EventObject, type ProvidedActor } from 'xstate';
import { defineGraph, defineTask, failTo, type GraphError, Type } from '../../engine/define/index.ts';

const wipe = defineTask({
  injectableName: 'Task.Wipe',
  friendlyName: 'Wipe',
  recovery: 'once',
  optionsSchema: Type.Object({ disks: Type.Array(Type.String()), passes: Type.Optional(Type.Integer()) }),
  run: async ({ input }) => ({ wiped: input.disks.length }),
});

const graph = defineGraph({
  injectableName: 'Graph.Wipe',
  friendlyName: 'Wipe',
  tasks: { wipe },
  options: { defaults: { anything: 1 }, wipe: { passes: 3, _taskTimeout: 1000 } },
});

export const fine = graph.createMachine({
  id: 'Graph.Wipe',
  initial: 'wiping',
  states: {
    wiping: {
      invoke: {
        src: 'wipe',
        input: ({ context }) => ({ disks: [JSON.stringify(context)] }),
        onDone: { target: 'done', guard: ({ event }) => event.output.wiped > 0 },
        onError: 'done',
      },
      after: { 1000: 'done' },
    },
    done: { type: 'final' },
  },
});

export const stationary = graph.createMachine({
  initial: 'wiping',
  states: { wiping: { invoke: { src: 'wipe', input: { disks: ['sda'] }, onDone: 'done' } }, done: { type: 'final' } },
});

export const unknownLabel = graph.createMachine({
  initial: 'wiping',
  // @ts-expect-error the graph has no label `wype`
  states: { wiping: { invoke: { src: 'wype', onDone: 'done' } }, done: { type: 'final' } },
});

export const wrongInput = graph.createMachine({
  initial: 'wiping',
  // @ts-expect-error `disks` is a list of strings
  states: { wiping: { invoke: { src: 'wipe', input: { disks: [1] }, onDone: 'done' } }, done: { type: 'final' } },
});

export const wrongInputFunction = graph.createMachine({
  initial: 'wiping',
  // @ts-expect-error `passes` is a number
  states: { wiping: { invoke: { src: 'wipe', input: () => ({ passes: 'three' }), onDone: 'done' } }, done: {} },
});

export const wrongEvent = graph.createMachine({
  initial: 'wiping',
  // @ts-expect-error no sender sends a graph `GO`
  states: { wiping: { on: { GO: 'done' } }, done: { type: 'final' } },
});

export const wrongOutput = graph.createMachine({
  initial: 'wiping',
  states: {
    wiping: {
      invoke: {
        src: 'wipe',
        // @ts-expect-error the task's output has no `wipd`
        onDone: { target: 'done', guard: ({ event }) => event.output.wipd > 0 },
      },
    },
    done: { type: 'final' },
  },
});

export const wrongOption = defineGraph({
  injectableName: 'Graph.Wipe',
  friendlyName: 'Wipe',
  tasks: { wipe },
  // @ts-expect-error `passes` is a number
  options: { wipe: { passes: 'three' } },
});

export const unknownOption = defineGraph({
  injectableName: 'Graph.Wipe',
  friendlyName: 'Wipe',
  tasks: { wipe },
  // @ts-expect-error the task has no option `pases`
  options: { wipe: { pases: 3 } },
});

export const unknownOptionsLabel = defineGraph({
  injectableName: 'Graph.Wipe',
  friendlyName: 'Wipe',
  tasks: { wipe },
  // @ts-expect-error the graph has no label `wype`
  options: { wype: { passes: 3 } },
});

export const wrongName = defineGraph({
  // @ts-expect-error a graph's name starts with `Graph.`
  injectableName: 'Wipe',
  friendlyName: 'Wipe',
  tasks: { wipe },
});

const counting = defineGraph(
  { injectableName: 'Graph.Count', friendlyName: 'Count', tasks: { wipe } },
  {} as {
    context: { count: number };
  },
);

export const typedContext = counting.createMachine({
  context: { count: 0 },
  initial: 'wiping',
  states: {
    wiping: {
      invoke: {
        src: 'wipe',
        input: { disks: [] },
        onDone: { target: 'done', actions: assign({ count: ({ context }) => context.count + 1 }) },
      },
    },
    done: { type: 'final' },
  },
});

const failing = defineGraph(
  {
    injectableName: 'Graph.Fail',
    friendlyName: 'Fail',
    tasks: {
      wipe: { task: wipe, retry: { attempts: 2, delayMs: 1_000 }, timeoutMs: 1_000, compensate: { task: wipe } },
    },
    options: { wipe: { passes: 3 } },
  },
  {} as { context: { error: GraphError | null } },
);

export const keepsTheError = failing.createMachine({
  context: { error: null },
  initial: 'wiping',
  states: {
    wiping: {
      invoke: {
        src: 'wipe',
        onDone: { target: 'done', guard: ({ event }) => event.output.wiped > 0 },
        onError: failTo('done'),
      },
    },
    done: { type: 'final' },
  },
});

// In a machine, the order of all files decides whether TypeScript finds this.
// @ts-expect-error the context has no `error`
export const keepsNoError = failTo<{ count: number }, EventObject, ProvidedActor>('done');

export const wrongPolicy = defineGraph({
  injectableName: 'Graph.Wipe',
  friendlyName: 'Wipe',
  // @ts-expect-error a retry policy needs `delayMs`
  tasks: { wipe: { task: wipe, retry: { attempts: 2 } } },
});
