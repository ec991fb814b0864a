/** The limits of machines, in each form of a definition, and what a machine costs without them. */
import test from 'ava';
import { createMachine } from 'xstate';
import { defineGraph } from '../../../../engine/define/graph.ts';
import { logicOf } from '../../../../engine/durable/step/stepper.ts';
import { warningsOf } from '../../../../engine/kit/findings.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOfJson } from '../../../../engine/library/forms/graph-of-json.ts';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import { STATES_LIMIT, TRANSITIONS_LIMIT } from '../../../../engine/library/forms/machine-limits.ts';
import { api, lookup, lookups, noop } from '../../../support/engine/tasks.ts';

const timers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [1_000 + n, 'end']));

const machineWith = (state: object, more: object = {}) => ({
  initial: 'begin',
  states: {
    begin: { invoke: { src: 'Task.noop', onDone: 'end' }, ...state },
    end: { type: 'final' as const },
    ...more,
  },
});

const json = (machine: object) =>
  graphOfJson({ friendlyName: 'Many', injectableName: 'Graph.Test.Many', machine }, lookup, api);
const inCode = (machine: object) =>
  graphOf(createMachine({ id: 'Graph.Test.Many', ...machine } as never), 'hash', lookup, api);
const withKit = (machine: object) => {
  const names = { injectableName: 'Graph.Test.Many' as const, friendlyName: 'Many' };
  const { createMachine: create } = defineGraph({ ...names, tasks: { 'Task.noop': noop } });
  return graphOf(create({ id: names.injectableName, ...machine } as never), 'hash', lookup, api);
};
const list = (waits: number) => {
  const label = (n: number) => ({ label: `t${n}`, taskName: 'Task.noop' });
  const first = Array.from({ length: 100 }, (_, n) => label(n));
  const waitOn = Object.fromEntries(first.map((one) => [one.label, 'succeeded']));
  const others = Array.from({ length: Math.ceil(waits / 100) }, (_, n) => ({ ...label(100 + n), waitOn }));
  const tasks = [...first, ...others];
  const definition = { friendlyName: 'Many', injectableName: 'Graph.Test.Many', tasks };
  return graphOfList(definition, lookups, api);
};

/** The invoke itself has one. */
const AT_LIMIT = TRANSITIONS_LIMIT - 1;
const forms = {
  'a machine in JSON': json,
  'a drawn machine': inCode,
  'a machine in code': withKit,
};

for (const [form, compile] of Object.entries(forms)) {
  test(`${form} with more timers or states than the limit is rejected`, (t) => {
    t.notThrows(() => compile(machineWith({ after: timers(AT_LIMIT) })));
    t.throws(() => compile(machineWith({ after: timers(AT_LIMIT + 1) })), {
      code: 'INVALID_DEFINITION',
      message: /at most 2000/,
    });
    const states = Object.fromEntries(Array.from({ length: STATES_LIMIT }, (_, n) => [`s${n}`, {}]));
    t.throws(() => compile(machineWith({}, states)), { code: 'INVALID_DEFINITION', message: /at most 500/ });
  });
}

test('each target of a transition counts, and a hundred thousand of them are not read', (t) => {
  const targets = Array.from({ length: 100_000 }, () => 'end');
  for (const onDone of [targets, { target: targets }]) {
    const invoke = { src: 'Task.noop', onDone };
    t.throws(() => json(machineWith({ invoke })), { code: 'INVALID_DEFINITION', message: /at most 2000 transitions/ });
  }
});

test('each entry of a waitOn counts in a list of tasks', (t) => {
  t.notThrows(() => list(TRANSITIONS_LIMIT));
  t.throws(() => list(TRANSITIONS_LIMIT + 1), { code: 'INVALID_DEFINITION', message: /at most 2000/ });
});

test('parallel states in parallel states are limited together with the states in them', (t) => {
  const nested = Array.from({ length: 18 }).reduce<object>(
    (below, _, level) => ({
      type: 'parallel',
      states: { [`a${level}`]: below, ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`b${n}`, {}])) },
    }),
    {},
  );
  t.throws(() => json(machineWith({}, { nested })), { code: 'INVALID_DEFINITION', message: /too many levels/ });
});

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

test('a step of a machine takes time in proportion to its timers', (t) => {
  // Twenty times as many as a definition may have: a minute of CPU time, and gigabytes, if each timer cost all others.
  const machine = createMachine(machineWith({ after: timers(20 * TRANSITIONS_LIMIT) }) as never);
  const spent = cpuMs(() => {
    const { snapshot } = logicOf(machine).begin({});
    const end = { type: 'xstate.done.actor.0.(machine).begin', output: {} };
    t.is(logicOf(machine).next(snapshot, end).snapshot.value, 'end');
  });
  t.true(spent < 15_000, `${spent} ms`);
});

test('a graph at the limit is launched, ended by its timers, and explored, without a limit of time', (t) => {
  for (const target of ['end', undefined]) {
    const after = Object.fromEntries(Object.keys(timers(AT_LIMIT)).map((ms) => [ms, { target }]));
    const graph = json(machineWith({ after }));
    const spent = cpuMs(() => {
      const run = new Run(graph);
      run.now += 60_000;
      t.true(run.send({ type: 'timer' }));
      run.endAborted();
      t.is(run.row.status, target === undefined ? 'running' : 'succeeded');
      t.true(warningsOf(graph).explored !== null);
    });
    t.true(spent < 60_000, `${spent} ms`);
  }
});
