/** Metrics count a change once: when it is first saved, not when it is published. */
import test from 'ava';
import type { TestEngine } from '../../../support/engine/engine.ts';
import { openEngine } from '../../../support/engine/engine.ts';

async function counts({ engine }: TestEngine): Promise<Record<string, number>> {
  const lines = (await engine.metrics()).split('\n').filter((line) => line.startsWith('nodewright_'));
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]));
}

test('workflows that are removed right after their cancel are counted once, as started and finished', async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const rounds = 5;
  for (let round = 0; round < rounds; round += 1) {
    const node = await daemon.node();
    const { id } = await daemon.launch('Graph.Demo.InstallOs', {}, node.id);
    await daemon.engine.control.cancel(id);
    await daemon.until(async () => (await daemon.get(id)).status === 'cancelled');
    await daemon.engine.control.remove(id);
  }
  const found = await counts(daemon);
  t.is(found.nodewright_workflows_started_total, rounds);
  t.is(found['nodewright_workflows_finished_total{graph="Graph.Demo.InstallOs",status="cancelled",code=""}'], rounds);
  t.true((found.nodewright_events_total ?? 0) >= 2 * rounds);
});

test('a progress report is not a state change of a task, and is not counted as one', async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const node = await daemon.node();
  const { id, tasks } = await daemon.launch('Graph.Demo.InstallOs', {}, node.id);
  await daemon.until(async () => Object.values(await daemon.states(id)).includes('waiting'));
  const before = await counts(daemon);
  const taskId = (await daemon.get(id)).tasks.find(({ state }) => state === 'waiting')?.instanceId ?? '';
  t.true(tasks.length > 0);
  for (const value of [1, 2, 3]) {
    await daemon.engine.notifications.progress(taskId, { value, maximum: 3, description: 'boots' });
  }
  const after = await counts(daemon);
  const states = (found: Record<string, number>) =>
    Object.entries(found).filter(([name]) => name.startsWith('nodewright_task_states_total'));
  t.deepEqual(states(after), states(before));
  t.true((after.nodewright_events_total ?? 0) >= (before.nodewright_events_total ?? 0) + 3);
});

test("a node's change of SKU is counted once", async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const node = await daemon.node();
  await daemon.engine.skus.create({ name: 'dell', rules: [{ path: 'dmi.vendor', equals: 'Dell' }] });
  await daemon.engine.catalogs.add(node.id, 'dmi', { vendor: 'Dell' });
  await daemon.until(async () => (await daemon.engine.nodes.find(node.id))?.sku !== null);
  await daemon.until(async () => (await counts(daemon))['nodewright_sku_moves_total{action="assigned"}'] === 1);
  await daemon.engine.catalogs.add(node.id, 'dmi', { vendor: 'Other' });
  await daemon.until(async () => (await counts(daemon))['nodewright_sku_moves_total{action="unassigned"}'] === 1);
  t.is((await counts(daemon))['nodewright_sku_moves_total{action="assigned"}'], 1);
});
