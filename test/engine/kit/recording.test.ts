/** Recordings of nodes: the newest answers, without secrets, of bounded size. */
import { spawnSync } from 'node:child_process';
import test from 'ava';
import { defineGraph } from '../../../engine/define/index.ts';
import { type NodeAnswers, recordingOf, simulate } from '../../../engine/kit/index.ts';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import noop from '../../../tasks/noop.ts';
import powerOff from '../../../tasks/obm-node-power-off.ts';

const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;

const task = (taskName: string, output: unknown, day: number, state = 'succeeded') => ({
  taskName,
  state,
  output,
  finishedAt: at(day),
});

const answers = (more: Partial<NodeAnswers> = {}): NodeAnswers => ({
  node: { type: 'compute', name: 'r640', obms: [{ service: 'ipmi-obm-service' }, { service: 'ipmi-obm-service' }] },
  catalogs: [
    { source: 'dmi', data: { serial: 'old' }, createdAt: at(1) },
    { source: 'dmi', data: { serial: 'new', 'bmc-password': 'hunter22' }, createdAt: at(2) },
  ],
  sku: { id: 's', name: 'r640', rules: [{ path: 'dmi.serial' }], token: 'abcdef' },
  workflows: [
    { createdAt: at(1), tasks: [task('Task.noop', { n: 1 }, 1), task('Task.noop', { n: 0 }, 3, 'failed')] },
    {
      createdAt: at(2),
      tasks: [task('Task.noop', { n: 2 }, 2), task('Task.Rest', { headers: 'X-Auth-Token: abc' }, 2)],
    },
  ],
  ...more,
});

test('it has the newest catalogs and outputs, and no secrets', (t) => {
  const { left, ...recording } = recordingOf(answers());
  t.deepEqual(recording, {
    format: 'nodewright recording 1',
    node: { type: 'compute', name: 'r640', identifiers: [], tags: [] },
    obms: ['ipmi-obm-service'],
    sku: { id: 's', name: 'r640', token: 'REDACTED' },
    catalogs: { dmi: { serial: 'new', 'bmc-password': 'REDACTED' } },
    outputs: { 'Task.Rest': [{ headers: 'X-Auth-Token: REDACTED' }], 'Task.noop': [{ n: 2 }, { n: 1 }] },
  });
  t.deepEqual(left, []);
});

test('what is too large is left out and named', (t) => {
  const large = 'x'.repeat(600 * 1024);
  const catalogs = Array.from({ length: 40 }, (_, n) => ({
    source: `s${n}`,
    data: large.slice(100 * 1024),
    createdAt: at(1),
  }));
  const workflows = [{ createdAt: at(1), tasks: [task('Task.noop', large, 1)] }];
  const recording = recordingOf(
    answers({ catalogs: [...catalogs, { source: 'huge', data: large, createdAt: at(1) }], workflows }),
  );
  t.true(JSON.stringify(recording).length < 9 * 1024 * 1024);
  t.true(recording.left.includes('catalogs.huge') && recording.left.includes('outputs.Task.noop'));
  t.true(Object.keys(recording.catalogs).length < 40);
});

test('a simulation uses the recorded output, and the SKU in templates', (t) => {
  const { createMachine } = defineGraph(
    { injectableName: 'Graph.R', friendlyName: 'R', tasks: { one: noop } },
    {} as { context: { n: unknown } },
  );
  const graph = createMachine({
    id: 'Graph.R',
    context: { n: null },
    initial: 'a',
    states: { a: { invoke: { src: 'one', onDone: 'b' } }, b: { type: 'final' } },
  });
  const node = recordingOf(answers({ sku: { name: 'r640', delay: 5 } }));
  t.deepEqual(simulate(graph, { node }).until().tasks.one?.output, { n: 2 });
  const delayed = (delay: string) => simulate(graph, { node, options: { one: { delay } } }).until().status;
  t.is(delayed('{{ sku.delay }}'), 'succeeded');
  t.throws(() => delayed('{{ sku.missing }}'), {
    message: /options\.one\.delay: template '\{\{ sku\.missing \}\}' has no value/,
  });
});

test('a graph that needs an obm is not launched on a recorded node without one', (t) => {
  const { createMachine } = defineGraph({ injectableName: 'Graph.Off', friendlyName: 'Off', tasks: { off: powerOff } });
  const graph = createMachine({
    id: 'Graph.Off',
    initial: 'a',
    states: { a: { invoke: { src: 'off', onDone: 'b' } }, b: { type: 'final' } },
  });
  t.is(simulate(graph, { node: recordingOf(answers()) }).until().status, 'succeeded');
  t.is(simulate(graph).until().status, 'succeeded');
  const node = recordingOf(answers({ node: { type: 'compute', name: 'bare' } }));
  t.throws(() => simulate(graph, { node }), {
    message:
      /^found bare with the obms \(none\); expected an obm, because off of Graph\.Off needs any; record another node$/,
  });
});

test('the module is imported without a configuration, a daemon or files, and the process ends by itself', (t) => {
  const code = `
    import fs from 'node:fs';
    for (const name of ['writeFileSync', 'writeFile', 'mkdirSync']) fs[name] = () => { throw new Error(name); };
    const { simulate, explore } = await import(${JSON.stringify(packagePath('dist/test.mjs'))});
    console.log(typeof simulate, typeof explore);
  `;
  const env = { PATH: process.env.PATH, NODEWRIGHT_CONFIG: '/does/not/exist.json' };
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    env,
    encoding: 'utf8',
    timeout: 30_000,
  });
  t.is(status, 0, stderr);
  t.is(stdout, 'function function\n');
});
