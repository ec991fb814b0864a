/** The dependents of a node when the node is removed, including concurrent changes. */
import anyTest, { type TestFn } from 'ava';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';
import type { EventPayload } from '../../../engine/vocabulary/event.ts';
import { openEngine, type TestEngine } from '../../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  // A heartbeat is an event of this machine.
  t.context.it = await openEngine({ heartbeatIntervalSec: 0 });
});
test.after.always((t) => t.context.it?.close());

const page = (filter: Record<string, unknown>) => ({ skip: 0, limit: 1_000, filter });
const codeOf = (thrown: unknown): string => (thrown instanceof NodewrightError ? thrown.code : String(thrown));
const told = <T>(asked: Promise<T>): Promise<T | string> => asked.catch(codeOf);
let macs = 0;
const mac = (): string => `00:00:00:00:01:${(macs++).toString(16).padStart(2, '0')}`;

test('a removed node is removed with all its dependents, and its removal is published once', async (t) => {
  const { engine, events } = t.context.it;
  const [node, rack] = [await t.context.it.node(), await t.context.it.node()];
  await engine.nodes.relate(rack.id, { contains: [node.id] });
  const catalogs = [await engine.catalogs.add(node.id, 'dmi', { n: 1 }), await engine.catalogs.add(node.id, 'dmi', {})];
  const obm = await engine.obms.put(node.id, { service: 'noop-obm-service' });
  const lookup = await engine.lookups.create({ macAddress: mac(), node: node.id });
  const { id: workflow } = await t.context.it.launch('Graph.noop-example', {}, node.id);
  await t.context.it.finished(workflow);
  events.length = 0;
  t.true(await engine.nodes.remove(node.id));
  t.is(await engine.nodes.find(node.id), undefined);
  for (const { id } of catalogs) t.is(await engine.catalogs.get(id), undefined);
  t.is((await engine.catalogs.latestOfSources(page({ node: node.id }))).total, 0);
  t.is(await engine.obms.get(obm.id), undefined);
  t.is(await engine.lookups.get(lookup.id), undefined);
  t.deepEqual((await engine.nodes.find(rack.id))?.relations, []);
  t.is((await engine.workflows.get(workflow))?.status, 'succeeded');
  // Other tests use the same engine at the same time.
  const own = [node.id, rack.id];
  const ofNodes = events.map(({ body }) => body as EventPayload).filter(({ type }) => type === 'node');
  const actions = ofNodes.filter(({ typeId }) => own.includes(typeId)).map(({ action, typeId }) => [action, typeId]);
  t.deepEqual(actions, [
    ['removed', node.id],
    ['updated', rack.id],
  ]);
  t.false(await engine.nodes.remove(node.id));
});

test('a node is either taken by a workflow or removed, never both', async (t) => {
  const { it } = t.context;
  const nodes = await Promise.all(Array.from({ length: 40 }, () => it.node()));
  const ends = nodes.map(async ({ id }, n) => {
    const launch = () => told(it.launch('Graph.Demo.InstallOs', {}, id).then(() => 'launched'));
    const remove = () => told(it.engine.nodes.remove(id).then((gone) => (gone ? 'removed' : 'missing')));
    const both = n % 2 === 0 ? [launch(), remove()] : [remove(), launch()];
    return [id, (await Promise.all(both)).sort().join()] as const;
  });
  for (const [id, end] of await Promise.all(ends)) {
    t.true(['WORKFLOW_ACTIVE,launched', 'NOT_FOUND,removed'].includes(end), end);
    t.is((await it.engine.nodes.find(id)) !== undefined, end.includes('launched'));
    const { total } = await it.engine.workflows.list(page({ node: id }));
    t.is(total, end.includes('launched') ? 1 : 0);
  }
});

test('a dependent that is created during the removal of its node is rejected or removed with it', async (t) => {
  const { it } = t.context;
  const { engine } = it;
  const nodes = await Promise.all(Array.from({ length: 20 }, () => it.node()));
  const rack = await it.node();
  await Promise.all(
    nodes.flatMap(({ id }) => [
      told(engine.catalogs.add(id, 'dmi', {})),
      told(engine.obms.put(id, { service: 'noop-obm-service' })),
      told(engine.nodes.remove(id)),
      told(engine.lookups.create({ macAddress: mac(), node: id })),
      told(engine.nodes.relate(rack.id, { manages: [id] })),
      told(engine.catalogs.add(id, 'ohai', {})),
    ]),
  );
  const gone = { $in: nodes.map(({ id }) => id) };
  t.is((await engine.nodes.list(page({ id: gone }))).total, 0);
  t.is((await engine.catalogs.latestOfSources(page({ node: gone }))).total, 0);
  t.is((await engine.obms.list(page({ nodeId: gone }))).total, 0);
  t.is((await engine.lookups.list(page({ node: gone }))).total, 0);
  t.deepEqual((await engine.nodes.find(rack.id))?.relations, []);
});
