/** Task.Enclosure.Assign: the serial number that it takes from the node's catalogs, also under RackHD's names. */
import { readFileSync } from 'node:fs';
import anyTest, { type TestFn } from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
const ENCLOSURE_GRAPH = 'Graph.Test.Enclosure';

test.before(async (t) => {
  const it = await openEngine();
  await it.engine.library.putGraph({
    friendlyName: 'Enclosure',
    injectableName: ENCLOSURE_GRAPH,
    tasks: [{ label: 'generate-enclosure', taskName: 'Task.Catalog.GenerateEnclosure' }],
  });
  t.context.it = it;
});
test.after.always((t) => t.context.it?.close());

const fixture = (name: string): Record<string, Record<string, unknown>> =>
  JSON.parse(readFileSync(packagePath(`fixtures/catalogs/${name}.json`), 'utf8'));

async function assigned(it: TestEngine, catalogs: Record<string, Record<string, unknown>>) {
  const { id: node } = await it.node();
  for (const [source, data] of Object.entries(catalogs)) await it.engine.catalogs.add(node, source, data);
  const { id } = await it.launch(ENCLOSURE_GRAPH, {}, node);
  const { status, tasks } = await it.finished(id);
  return { node, status, output: tasks[0]?.output as { enclosure: string; serial: string }, error: tasks[0]?.error };
}

const fru = (facts: Record<string, unknown>) => ({ 'ipmi-fru': { 'Builtin FRU Device (ID 0)': facts } });
const dmi = (facts: Record<string, unknown>) => ({ dmi: facts });

test('two nodes with the catalogs of one chassis are in one enclosure, which the records of both sides say', async (t) => {
  const { it } = t.context;
  const [first, second] = [await assigned(it, fixture('dell-r730')), await assigned(it, fixture('dell-r730'))];
  t.is(first.output.serial, 'JN3QX52');
  t.is(first.output.enclosure, second.output.enclosure);
  const enclosure = await it.engine.nodes.find(first.output.enclosure);
  t.like(enclosure, { type: 'enclosure', name: 'Enclosure Node JN3QX52', autoDiscover: false });
  t.deepEqual(enclosure?.relations, [{ relationType: 'encloses', targets: [first.node, second.node] }]);
  t.deepEqual((await it.engine.nodes.find(first.node))?.relations, [
    { relationType: 'enclosedBy', targets: [first.output.enclosure] },
  ]);
});

test('the chassis counts before the product and the system, ipmi-fru before dmi', async (t) => {
  const { it } = t.context;
  const chassis = dmi({
    'Chassis Information': { 'Serial Number': 'C2' },
    'System Information': { 'Serial Number': 'S4' },
  });
  for (const [serial, catalogs] of [
    ['C1', { ...fru({ 'Chassis Serial': 'C1', 'Product Serial': 'P3' }), ...chassis }],
    ['C2', { ...fru({ 'Product Serial': 'P3' }), ...chassis }],
    ['C9', dmi({ 'Chassis Information': [{ 'Serial Number': 'C9' }, { 'Serial Number': 'C10' }] })],
    ['S4', dmi({ 'System Information': { 'Serial Number': 'S4' } })],
  ] as const)
    t.is((await assigned(it, catalogs)).output.serial, serial);
});

test('a text that is no serial number is passed over, since many machines share it; without any the task fails', async (t) => {
  const { it } = t.context;
  for (const shared of ['To be filled by O.E.M.', 'None', '0123456789', '..............', 'N/A', '00000000']) {
    const { status, error } = await assigned(it, fru({ 'Chassis Serial': shared }));
    t.is(status, 'failed', shared);
    t.like(error, { code: 'CATALOG_VALUE_MISSING' });
  }
});
