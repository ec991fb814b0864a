/** The tables of a compiled machine beside XState's own interpretation of the machine, which is its meaning. */
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { type AnyStateMachine, assign, createMachine, enqueueActions, fromPromise, raise } from 'xstate';
import { compensationMachine } from '../../../../engine/durable/actors/compensation.ts';
import { nodeMachine } from '../../../../engine/durable/actors/node.ts';
import { taskRunMachine } from '../../../../engine/durable/actors/task-run.ts';
import { workflowMachine } from '../../../../engine/durable/actors/workflow.ts';
import { compiledLogic } from '../../../../engine/durable/step/compiled.ts';
import type { Logic, LogicStep } from '../../../../engine/durable/step/logic.ts';
import type { Snapshot } from '../../../../engine/durable/step/row.ts';
import { interpretedLogic } from '../../../../engine/durable/step/stepper.ts';
import { property } from '../../../../engine/vocabulary/json.ts';
import { everyGraph, everyTask } from '../../../support/data/catalogue.ts';

interface Invoking {
  invoke: { id: string }[];
  states: Record<string, Invoking>;
}
const invokesOf = ({ invoke, states }: Invoking): string[] => [
  ...invoke.map(({ id }) => id),
  ...Object.values(states).flatMap(invokesOf),
];

/** Without what the interpreter does not read: stopped children, events of the same step, and functions. */
function shown(stepped: LogicStep, ids: readonly string[]) {
  const { snapshot, actions, isOver, ending } = stepped;
  const applied = actions
    .filter(
      ({ type, params }) =>
        type !== 'xstate.stopChild' && !(type === 'xstate.raise' && property(params, 'delay') === undefined),
    )
    .map(({ type, params }) => {
      const { id, src, input, sendId, delay, event } = (params ?? {}) as Record<string, unknown>;
      return type.startsWith('xstate.') ? { type, id, src, input, sendId, delay, event } : { type, params };
    });
  const tags = ending !== undefined && 'tags' in ending ? [...ending.tags].sort() : [];
  return { ...snapshot, applied, over: ids.filter(isOver), ending: ending && { ...ending, tags } };
}

type Event = { type: string };

function attempt(step: () => LogicStep, ids: readonly string[]) {
  try {
    const stepped = step();
    return { shown: shown(stepped, ids), stepped };
  } catch (error) {
    return { shown: String(error).split('\n').at(-1), stepped: undefined };
  }
}

/** How often a step that the tables could not take was interpreted. */
const again = { steps: 0 };

function tablesOf(machine: AnyStateMachine): Logic {
  const { begin, next } = interpretedLogic(machine);
  const counted =
    <Args extends unknown[]>(step: (...args: Args) => LogicStep) =>
    (...args: Args) => {
      again.steps += 1;
      return step(...args);
    };
  return compiledLogic(machine, { begin: counted(begin), next: counted(next) }) as Logic;
}

/** Steps both from the same snapshots. @returns how many steps changed the machine */
function compare(
  machine: AnyStateMachine,
  input: unknown,
  events: readonly Event[],
  same: (a: unknown, b: unknown) => boolean,
): number {
  const ids = invokesOf(machine.root as unknown as Invoking);
  const [ours, theirs] = [tablesOf(machine), interpretedLogic(machine)];
  const both = (step: (logic: Logic) => LogicStep) => {
    const [our, their] = [attempt(() => step(ours), ids), attempt(() => step(theirs), ids)];
    same(our.shown, their.shown);
    return their.stepped;
  };
  const first = both((logic) => logic.begin(structuredClone(input)));
  let before = first?.ending === undefined ? first?.snapshot : undefined;
  let moved = 0;
  for (const event of events) {
    if (before === undefined) return moved;
    const from: Snapshot = JSON.parse(JSON.stringify(before));
    const next = both((logic) => logic.next(from, event));
    if (next === undefined || next.ending !== undefined) return moved + 1;
    if (JSON.stringify(next.snapshot) !== JSON.stringify(from)) moved += 1;
    before = next.snapshot;
  }
  return moved;
}

const text = fc.constantFrom('a', 'b', 'c');
const value = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 3 }), text);
const error = fc.record(
  {
    name: text,
    message: text,
    code: fc.constantFrom('TASK_CANCELLED', 'X'),
    retry: fc.boolean(),
    sent: fc.boolean(),
    backoffUntil: fc.constantFrom('1970-01-01T00:00:00.500Z', 'x'),
  },
  { requiredKeys: ['name', 'message', 'code'] },
);

/** Every fact and field of any message, so that each is right for some machine. */
const fields = {
  open: fc.constantFrom(0, 0, 1),
  isQuiet: fc.boolean(),
  children: fc.constantFrom(0, 1),
  toCompensate: fc.constantFrom(0, 2),
  carriedOut: fc.boolean(),
  now: fc.constant(100),
  endsAt: fc.constantFrom(null, 200, 9_000),
  unsettled: fc.constantFrom([], ['power on']),
  output: fc.constant([]),
  error,
  failed: fc.option(error),
  said: text,
  workflow: text,
  start: fc.record({ id: text, createdAt: fc.constant('1970') }),
  id: text,
  at: fc.constant('1971'),
  parameters: fc.constant({}),
  receiver: text.map((id) => `${id}/w1`),
  label: text,
  notification: text,
};

/** A list graph takes the ends of all its labels in one transition. */
const named = (type: string, { implementations }: AnyStateMachine): string[] =>
  type.endsWith('*') ? Object.keys(implementations.actors).map((label) => type.replace('*', label)) : [type];

const typesOf = (machine: AnyStateMachine): string[] => [
  ...new Set([...machine.events, 'xstate.error.actor.unknown', 'other'].flatMap((type) => named(type, machine))),
];

const eventsOf = (machine: AnyStateMachine) =>
  fc.array(fc.record({ type: fc.constantFrom(...typesOf(machine)), ...fields }), { maxLength: 6 });

const inputs = fc.record({
  retry: fc.constantFrom(null, { attempts: 3, delayMs: 10 }),
  timeoutMs: fc.constantFrom(null, 1_000),
  once: fc.boolean(),
  completed: fc.array(fc.record({ label: text, options: fc.constant({}), output: value }), { maxLength: 3 }),
  options: fc.dictionary(text, value),
  nodeId: value,
  workflowId: text,
});

const isCompiled = (machine: AnyStateMachine) => compiledLogic(machine, interpretedLogic(machine)) !== undefined;

const shipped = [...everyTask, ...everyGraph].map(({ machine }) => machine);
const own = [workflowMachine, taskRunMachine, compensationMachine, nodeMachine] as AnyStateMachine[];

test('every machine of the project is stepped by tables as XState steps it, under any events', (t) => {
  const machines = [...own, ...shipped].filter(isCompiled);
  t.true(own.every(isCompiled));
  t.true(machines.length > 0.9 * shipped.length, `${machines.length} machines of ${shipped.length}`);
  const changed = new Set<AnyStateMachine>();
  for (const machine of machines) {
    let moved = 0;
    again.steps = 0;
    fc.assert(
      fc.property(inputs, eventsOf(machine), (input, events) => {
        const same = (a: unknown, b: unknown) =>
          isDeepStrictEqual(a, b) || t.deepEqual(a, b, `${machine.id} ${JSON.stringify(events)}`);
        moved += compare(machine, input, events, same);
      }),
      { numRuns: 50 },
    );
    if (moved > 0) changed.add(machine);
    if (own.includes(machine)) t.is(again.steps, 0);
  }
  // The others do not begin without options of their own.
  t.true(changed.size > 0.9 * machines.length, `${changed.size} of ${machines.length} changed`);
});

/** Each action leaves its name in the context, so that the order of actions is compared too. */
const trace = (name: string) =>
  assign(({ context }: { context: Traced }) => ({ log: [...context.log, name].slice(-40), n: context.n + 1 }));
interface Traced {
  log: string[];
  n: number;
}
/** No machine steps for ever. */
const odd = ({ context }: { context: Traced }) => context.n < 60 && context.n % 2 === 1;
const few = ({ context }: { context: Traced }) => context.n < 60;

const names = ['s0', 's1', 's2', 's3'];
const types = ['go', 'back', 'wild.x', 'xstate.done.actor.i', 'xstate.error.actor.i'];

/** Ids of states that a transition may name; others are the names of siblings. */
const target = fc.constantFrom(
  undefined,
  ...names.map((name) => `.${name}`),
  '#r.s0',
  '#r.s1',
  '#r.s1.s0',
  '#r.s2.s1',
  '#r.s3',
);

const transition = (name: string) =>
  fc.record({
    target,
    guard: fc.constantFrom(odd, few),
    reenter: fc.boolean(),
    actions: fc.constantFrom(
      [trace(`${name}!`)],
      [],
      [trace(`${name}!`), raise({ type: 'wild.y' })],
      [
        enqueueActions(({ enqueue }) => {
          enqueue.assign(({ context }) => ({ n: context.n + 2 }));
          enqueue({ type: 'named', params: { name } });
        }),
      ],
    ),
  });

type Config = Record<string, unknown>;

const stateOf = (path: string, depth: number): fc.Arbitrary<Config> => {
  const one = transition(path);
  const on = fc.dictionary(
    fc.constantFrom(...types, 'wild.*', '*'),
    fc.oneof(one, fc.array(one, { minLength: 1, maxLength: 2 })),
    { maxKeys: 3 },
  );
  const common = {
    entry: fc.constantFrom([trace(`+${path}`)], [trace(`+${path}`), raise({ type: 'go' }, { delay: 5, id: path })]),
    exit: fc.constant([trace(`-${path}`)]),
    on,
    tags: fc.constant([path]),
  };
  const leaf = fc.record(
    {
      ...common,
      after: fc.constant({ 10: { target: '#r.s0' } }),
      always: fc.array(one, { maxLength: 1 }),
      invoke: fc.constant({ id: 'i', src: 'x', input: ({ context }: { context: Traced }) => context.n }),
    },
    { requiredKeys: ['entry', 'exit'] },
  );
  const final = fc.record({ type: fc.constant('final'), entry: common.entry, output: fc.constant(path) });
  if (depth === 0) return fc.oneof({ weight: 4, arbitrary: leaf }, { weight: 1, arbitrary: final });
  const nested = fc.record({
    ...common,
    initial: fc.constantFrom('s0', 's1'),
    states: fc.record(Object.fromEntries(['s0', 's1'].map((name) => [name, stateOf(`${path}.${name}`, depth - 1)]))),
    onDone: transition(`${path}.done`).map(({ target: _, ...rest }) => rest),
  });
  return fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 3, arbitrary: nested }, { weight: 1, arbitrary: final });
};

const idsUnder = (config: Config, id: string): string[] => [
  id,
  ...Object.entries((config.states ?? {}) as Record<string, Config>).flatMap(([name, state]) =>
    idsUnder(state, `${id}.${name}`),
  ),
];

/** Replaces the targets that a machine does not have. */
function withKnownTargets<T>(machine: T): T {
  const ids = new Set(idsUnder(machine as Config, '#r'));
  const walk = (config: Config, id: string): Config => {
    const known = (move: Config): Config => {
      const given = move.target as string | undefined;
      if (given === undefined) return move;
      const named = given.startsWith('.') ? id + given : given;
      return { ...move, target: ids.has(named) ? given : '#r.s0' };
    };
    const each = (moves: unknown) => (Array.isArray(moves) ? moves.map(known) : known(moves as Config));
    const on = Object.entries((config.on ?? {}) as Config).map(([type, moves]) => [type, each(moves)]);
    const states = Object.entries((config.states ?? {}) as Record<string, Config>).map(([name, state]) => [
      name,
      walk(state, `${id}.${name}`),
    ]);
    return {
      ...config,
      ...(config.on !== undefined && { on: Object.fromEntries(on) }),
      ...(config.always !== undefined && { always: each(config.always) }),
      ...(config.states !== undefined && { states: Object.fromEntries(states) }),
    };
  };
  return walk(machine as Config, '#r') as T;
}

const x = fromPromise(async () => 1);

const machines = fc
  .record({
    initial: fc.constantFrom('s0', 's1'),
    states: fc.record(Object.fromEntries(names.map((name) => [name, stateOf(name, 2)]))),
    entry: fc.constant([trace('+')]),
    on: fc.dictionary(fc.constantFrom('go', '*'), transition('r'), { maxKeys: 1 }),
  })
  .map((config) => ({
    ...withKnownTargets(config),
    id: 'r',
    context: () => ({ log: [], n: 0 }),
    output: ({ context }: { context: Traced }) => context.log.length,
  }));

test('any machine of nested states with guards, timers, raised events and invokes is stepped as XState steps it', (t) => {
  let [made, moved] = [0, 0];
  again.steps = 0;
  fc.assert(
    fc.property(
      machines,
      fc.array(
        fc.constantFrom(...types).map((type) => ({ type, output: 1, error: 2 })),
        { maxLength: 8 },
      ),
      (config, events) => {
        const machine = createMachine(config as unknown as Parameters<typeof createMachine>[0]).provide({
          actors: { x },
        });
        made += 1;
        t.true(isCompiled(machine));
        moved += compare(machine, {}, events, (a, b) => isDeepStrictEqual(a, b) || t.deepEqual(a, b));
      },
    ),
    { numRuns: 750 },
  );
  t.is(again.steps, 0);
  t.true(made > 200 && moved > made / 2, `${made} machines, ${moved} changes of state`);
});

test('a machine with parallel or history states is interpreted', (t) => {
  const states = { a: {}, b: {} };
  t.false(isCompiled(createMachine({ type: 'parallel', states })));
  t.false(isCompiled(createMachine({ initial: 'a', states: { ...states, h: { type: 'history' } } })));
  t.true(isCompiled(createMachine({ initial: 'a', states })));
});

test('a step of a function that throws, or needs more of XState than the tables offer, is that of XState', (t) => {
  const assigned = createMachine({
    context: { id: '' },
    on: {
      bad: { actions: assign({ id: () => JSON.parse('{') }) },
      unsure: { guard: () => JSON.parse('['), actions: [] },
      self: { actions: assign({ id: ({ self }) => self.sessionId }) },
    },
  });
  again.steps = 0;
  for (const type of ['bad', 'unsure', 'self', 'other']) compare(assigned, {}, [{ type }], (a, b) => t.deepEqual(a, b));
  t.is(again.steps, 3);
});
