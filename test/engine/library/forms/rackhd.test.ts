/** Definitions in the shapes of RackHD: base tasks, options, templates, jobs that are missing here. */
import test from 'ava';
import { includedDefinitions } from '../../../../engine/kit/definition-files.ts';
import { findingsOf } from '../../../../engine/kit/findings.ts';
import { taskOfJson } from '../../../../engine/library/forms/json-task.ts';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import { knownBases } from '../../../../engine/library/forms/rackhd/base-tasks.ts';
import type { Rejection } from '../../../../engine/library/options/rejection.ts';
import { render } from '../../../../engine/library/options/templates.ts';

const source = { kind: 'api' } as const;

const { tasks } = await includedDefinitions();
const named = (name: string) => tasks.get(name);
const lookups = { any: named, code: named };

const task = (implementsTask: string, options: object, more: object = {}) => ({
  friendlyName: 'x',
  injectableName: 'Task.Mine',
  implementsTask,
  options,
  properties: {},
  ...more,
});
const graph = (own: object[], more: object = {}) => ({
  friendlyName: 'x',
  injectableName: 'Graph.Mine',
  tasks: own.map((one, n) => ({ label: `t${n}`, ...one })),
  ...more,
});

test('every base task of RackHD names an included task, or says why there is none', (t) => {
  const bases = knownBases();
  t.is(new Set(bases.map(([name]) => name)).size, bases.length);
  for (const [name, task, why] of bases) {
    if (task === null) t.regex(why ?? '', /./, name);
    else for (const one of [task].flat()) t.truthy(named(one), `${name}: ${one}`);
  }
});

test('a task of a base task is the task here, with its options and those that it declares itself', (t) => {
  const made = taskOfJson(
    task('Task.Base.Linux.Commands', { commands: ['sudo true {{ options.flag }}'], flag: 7, user: null }),
    named,
    source,
  );
  t.true(made.machine === named('Task.Linux.Scripts')?.machine);
  t.deepEqual(made.defaults, { timeoutSec: 3_600, commands: ['sudo true {{ options.flag }}'], flag: 7, user: null });
  const off = taskOfJson(task('Task.Base.Obm.Node', { action: 'powerOff', obmServiceName: null }), named, source);
  t.true(off.machine === named('Task.Obm.Node.PowerOff')?.machine);
  const soft = taskOfJson(task('Task.Base.Obm.Node', { action: 'softReset' }), named, source);
  t.deepEqual([soft.machine === named('Task.Obm.Node.Reboot')?.machine, soft.defaults], [true, { force: false }]);
  t.false('action' in off.defaults);
  const pxe = taskOfJson(task('Task.Base.Obm.Node', { action: 'forceBootPxe' }), named, source);
  t.true(pxe.machine === named('Task.Obm.Node.PxeBoot')?.machine);
});

test('the definition of a task can be sent back as it is answered, and its recovery cannot be changed', (t) => {
  const { definition, hash } = taskOfJson(task('Task.Linux.Commands', { commands: ['true'] }), named, source);
  t.is(definition.recovery, 'once');
  t.deepEqual(
    taskOfJson(definition, named, source),
    taskOfJson(task('Task.Linux.Commands', { commands: ['true'] }), named, source),
  );
  t.is(taskOfJson(definition, named, source).hash, hash);
  t.throws(() => taskOfJson({ ...definition, recovery: 'idempotent' }, named, source), {
    message: /found 'idempotent'; Task\.Linux\.Commands is 'once', and a definition cannot change that/,
  });
});

test('an object of nulls is not set where it cannot be, and otherwise it is', (t) => {
  const unset = { username: null, password: null };
  const subscribe = task('Task.Base.Redfish.Alert.Enable', { url: null, credential: unset, data: {}, mine: unset });
  const { defaults } = taskOfJson(subscribe, named, source);
  t.deepEqual(defaults, { alertServer: '{{ api.server }}', data: {}, mine: unset });
  const half = task('Task.Base.Redfish.Alert.Enable', { credential: { ...unset, username: 'root' } });
  t.throws(() => taskOfJson(half, named, source), { message: /credential\.password/ });
});

test('a base task that is none of RackHD is rejected with its whole path', (t) => {
  const rejection = t.throws(() =>
    graphOfList(
      graph([{ taskName: 'Task.noop' }, { taskDefinition: task('Task.Base.Linux.Comands', {}) }]),
      lookups,
      source,
    ),
  ) as Rejection;
  t.is(rejection.violations?.[0]?.path, 'tasks.1.taskDefinition.implementsTask');
});

test('keys of stock definitions are accepted, and what has no effect is a warning', (t) => {
  const list = graph(
    [
      { taskName: 'Task.noop', 'x-description': 'why' },
      {
        taskDefinition: task(
          'Task.Base.noop',
          { option1: 1 },
          {
            optionsSchema: 'some-file.json',
            requiredProperties: { 'os.linux.type': 'microkernel' },
          },
        ),
      },
    ],
    {
      serviceGraph: true,
      options: { defaults: { delay: null }, t0: { delay: null, schedulerOverrides: {} }, gone: { a: 1 }, nodeId: null },
    },
  );
  const { ok, errors, warnings } = findingsOf('Graph.Mine', () => graphOfList(list, lookups, source));
  t.true(ok, JSON.stringify(errors));
  t.deepEqual(
    warnings.filter(({ code }) => code === 'HAS_NO_EFFECT').map(({ path }) => path),
    ['serviceGraph', 'options.t0.schedulerOverrides', 'options.gone', 'options.nodeId'],
  );
});

test('null for an option that the task does not have is nothing, and a warning; a value is a mistake', (t) => {
  const own = (password: unknown) =>
    graph([{ taskDefinition: task('Task.Base.Generate.Password', { user: null }) }], {
      options: { t0: { user: null, password } },
    });
  const { ok, warnings } = findingsOf('Graph.Mine', () => graphOfList(own(null), lookups, source));
  t.true(ok);
  t.deepEqual(
    warnings.map(({ code, path }) => [code, path]),
    [['HAS_NO_EFFECT', 'options.t0.password']],
  );
  const rejection = t.throws(() => graphOfList(own('x'), lookups, source)) as Rejection;
  t.is(rejection.violations?.[0]?.path, 'options.t0.password');
});

test('options by which RackHD repeats a command, and one that no job of it reads, are a warning', (t) => {
  const idle = { delay: 1_000, retries: 10, makeItFail: 'false' };
  const list = graph([{ taskName: 'Task.Obm.Node.Reset' }], { options: { t0: idle } });
  const { ok, warnings } = findingsOf('Graph.Mine', () => graphOfList(list, lookups, source));
  t.true(ok);
  t.deepEqual(
    warnings.filter(({ code }) => code === 'HAS_NO_EFFECT').map(({ path }) => path),
    Object.keys(idle).map((name) => `options.t0.${name}`),
  );
});

test('a list gives the IPMI settings the account that tasks before have made, as RackHD does', (t) => {
  const list = graphOfList(graph([{ taskName: 'Task.Obm.Ipmi.CreateSettings' }]), lookups, source);
  t.like(list.labels.get('t0')?.task.defaults, {
    user: '{{ context.user || monorail }}',
    password: '{{ context.password }}',
  });
});

test('an option that only a template reads is accepted where that template is; any other is a mistake', (t) => {
  const when = (flag: object) =>
    graph([{ taskName: 'Task.Evaluate.Condition', optionOverrides: { when: '{{ options.flag }}' } }], {
      options: { t0: flag },
    });
  t.notThrows(() => graphOfList(when({ flag: 'true' }), lookups, source));
  const rejection = t.throws(() => graphOfList(when({ flap: 'true' }), lookups, source)) as Rejection;
  t.is(rejection.violations?.[0]?.path, 'options.t0.flap');
});

test('a job that no task here does is a warning with the reason, and all of them are listed', (t) => {
  const list = graph([
    { taskDefinition: task('Task.Base.Snmp', { any: 1 }) },
    { taskDefinition: task('Task.Base.Obm.Node', { action: 'warmReset' }) },
  ]);
  const { ok, warnings } = findingsOf('Graph.Mine', () => graphOfList(list, lookups, source));
  t.true(ok);
  const missing = warnings.filter(({ code }) => code === 'JOB_MISSING');
  t.deepEqual(
    missing.map(({ label }) => label),
    ['t0', 't1'],
  );
  t.regex(missing[1]?.message ?? '', /warmReset/);
});

test('templates have the places of RackHD, keys in brackets, and words as last alternatives', (t) => {
  const scope = {
    api: { base: 'http://d/api/current', server: 'http://d' },
    server: { address: '10.0.0.1', port: 9080 },
    env: { onNetwork: { url: 'http://n' } },
    context: { 'log in': { body: { token: 'abc' }, user: 'root' }, later: { user: 'admin' } },
    byLabel: true,
  };
  const values: Record<string, unknown> = {
    '{{ api.templates }}/x': 'http://d/api/current/templates/x',
    '{{ config.apiServerAddress }}:{{ server.apiServerPort }}': '10.0.0.1:9080',
    '{{ server.onNetwork.url }}': 'http://n',
    '{{ context.outputs["log in"].restData.body.token }}': 'abc',
    '{{ context["log in"].body }}': { token: 'abc' },
    '{{ context.user }}': 'admin',
    '{{ context.none || monorail }}': 'monorail',
  };
  for (const [text, value] of Object.entries(values)) t.deepEqual(render(text, scope), value, text);
  t.throws(() => render('{{ context.user }}', { ...scope, byLabel: false }), { code: 'TEMPLATE_VALUE_MISSING' });
  t.throws(() => render('{{ monorail }}', scope), { code: 'INVALID_OPTIONS' });
});

test('a section is written once per item of a list, once for another value, and an inverted one without', (t) => {
  const scope = { options: { all: false, drives: [{ id: 1, name: 'a' }, { id: 2 }], ids: [3, 4] } };
  const text =
    '{{#options.all}}all{{/options.all}}{{^options.all}}{{#options.drives}}[{{id}}{{#name}} {{name}}{{/name}}]{{/options.drives}}{{/options.all}}';
  t.is(render(text, scope), '[1 a][2]');
  t.is(render(text, { options: { ...scope.options, all: true } }), 'all');
  t.is(render('{{#options.ids}}v{{.}};{{/options.ids}}', scope), 'v3;v4;');
  for (const bad of [
    '{{#options.ids}}',
    '{{/options.ids}}',
    '{{#options.ids}}{{/options.all}}',
    '{{#options.a}}'.repeat(9),
  ])
    t.throws(() => render(bad, scope), { code: 'INVALID_OPTIONS' }, bad);
});

test('sections in one another cannot multiply without end', (t) => {
  const many = Array.from({ length: 1_000 }, () => 1);
  const text = '{{#options.a}}'.repeat(8) + '{{/options.a}}'.repeat(8);
  const start = performance.now();
  t.throws(() => render(text, { options: { a: many } }), { code: 'INVALID_OPTIONS', message: /more than/ });
  t.true(performance.now() - start < 20_000);
});
