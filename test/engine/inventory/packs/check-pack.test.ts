/** Packs built from folders, and the findings about them. */
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { buildPack } from '../../../../engine/inventory/packs/build-pack.ts';
import { checkPack } from '../../../../engine/inventory/packs/check-pack.ts';
import { unpack } from '../../../../engine/inventory/packs/unpack.ts';
import { folder } from '../../../support/ava/folder.ts';

const rules = [{ path: 'dmi.System Information.Manufacturer', equals: 'Quanta' }];
const config = { name: 'quanta', rules, version: '1.2', workflowRoot: 'workflows', taskRoot: 'tasks' };
const task = { friendlyName: 'Say', injectableName: 'Task.Say', implementsTask: 'Task.noop', options: { delay: 1 } };
const graph = (name: string, ...tasks: object[]) => ({ friendlyName: name, injectableName: name, tasks });

function packOf(t: ExecutionContext, files: Record<string, object | string>): string {
  const at = join(folder(t), 'pack');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(at, name)), { recursive: true });
    writeFileSync(join(at, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return at;
}

const good = {
  'config.json': config,
  'tasks/say.json': task,
  'workflows/said.json': graph(
    'Graph.Said',
    { label: 'say', taskName: 'Task.Say' },
    { label: 'wait', taskName: 'Task.Wait.Notification', waitOn: { say: 'succeeded' } },
  ),
  'workflows/README.md': '# for people',
  'static/a.txt': 'a',
};

test('the same files give the same bytes, whatever their times; hidden files are left out', async (t) => {
  const one = packOf(t, { ...good, '.git/config': 'x', 'node_modules/x/index.js': 'x' });
  const other = packOf(t, good);
  utimesSync(join(other, 'config.json'), 1_000, 1_000);
  const bytes = await buffer(await buildPack(one));
  t.deepEqual(bytes, await buffer(await buildPack(other)));
  const into = folder(t);
  const { files } = await unpack(
    (async function* () {
      yield bytes;
    })(),
    into,
    1_024 * 1_024,
  );
  t.deepEqual([...files.keys()], Object.keys(good).sort());
});

test('a folder with a link, or without config.json, is rejected', async (t) => {
  const linked = packOf(t, good);
  symlinkSync('/etc/hostname', join(linked, 'static/b.txt'));
  await t.throwsAsync(buildPack(linked), { code: 'INVALID', message: /static\/b\.txt, a link/ });
  await t.throwsAsync(buildPack(packOf(t, { 'a.txt': 'a' })), { code: 'INVALID', message: /no config\.json/ });
});

test('a good pack: its graphs with their warnings, simulated on the recorded nodes that its rules match', async (t) => {
  const at = packOf(t, good);
  const recordings = ['Quanta', 'Dell'].map((maker) => {
    const recording = {
      format: 'nodewright recording 1',
      node: { type: 'compute', name: maker, identifiers: [], tags: [] },
      obms: [],
      sku: null,
      catalogs: { dmi: { 'System Information': { Manufacturer: maker } } },
      outputs: {},
      left: [],
    };
    const file = join(folder(t), `${maker}.json`);
    writeFileSync(file, JSON.stringify(recording));
    return file;
  });
  const { graphs, ...found } = await checkPack(at, { recordings });
  t.deepEqual(found, { ok: true, name: 'quanta', version: '1.2', errors: [], tasks: ['Task.Say'], hasCode: false });
  const [one] = graphs;
  t.like(one, { name: 'Graph.Said', file: 'workflows/said.json' });
  t.deepEqual(
    one?.warnings.map(({ code, label }) => [code, label]),
    [['NO_TIMEOUT', 'wait']],
  );
  t.deepEqual(one?.simulated, [{ recording: recordings[0] as string, result: 'succeeded' }]);
  const archive = join(folder(t), 'pack.tar.gz');
  writeFileSync(archive, await buffer(await buildPack(at)));
  t.deepEqual((await checkPack(archive)).ok, true);
});

test('a bad pack has all errors of all files', async (t) => {
  const at = packOf(t, {
    ...good,
    'config.json': { ...config, rules: [{}] },
    'tasks/bad.json': { ...task, injectableName: 'Task.Bad', implementsTask: 'Task.None' },
    'workflows/broken.json': '{',
    'workflows/one.json': graph('Graph.One', { label: 'a', taskName: 'Task.None' }),
    'workflows/code.js': 'export default 7;',
  });
  const skuViolations = () => [{ path: 'rules.0.path', message: 'is missing' }];
  const { ok, errors, graphs, hasCode } = await checkPack(at, { skuViolations });
  t.deepEqual([ok, hasCode, graphs.map(({ name }) => name)], [false, true, ['Graph.Said']]);
  t.deepEqual(errors.map(({ path }) => path).sort(), [
    'config.json#rules.0.path',
    'tasks/bad.json#implementsTask',
    'workflows/broken.json',
    'workflows/code.js',
    'workflows/one.json#tasks.0.taskName',
  ]);
  const none = await checkPack(packOf(t, { 'config.json': { workflowRoot: 'gone' } }));
  t.regex(none.errors[0]?.message ?? '', /not a folder of the pack/);
  await t.throwsAsync(checkPack(join(at, 'nothing')), { code: 'ENOENT' });
});

test('a drawn machine in a pack has the name of its path, and the tasks of the pack', async (t) => {
  const machine = `import { createMachine } from 'xstate';
export const machine = createMachine({ id: 'drawn', initial: 'a', states: {
  a: { invoke: { src: 'say', onDone: 'z' } }, z: { type: 'final' } } });
export const tasks = { say: 'Task.Say' };`;
  const { errors, graphs } = await checkPack(packOf(t, { ...good, 'workflows/rack/burn-in.js': machine }));
  t.deepEqual(errors, []);
  t.true(graphs.some(({ name }) => name === 'Graph.Rack.BurnIn'));
});
