/** Rollouts in a window: targets begin only while it has room, also after a crash, and `why` says for what a node waits. */
import test from 'ava';
import { openEngine } from '../../../support/engine/engine.ts';
import { RolloutWorld } from '../../../support/engine/rollout-world.ts';
import { Life } from '../../../support/faults/dying-store.ts';

const days = [
  'sun' as const,
  'mon' as const,
  'tue' as const,
  'wed' as const,
  'thu' as const,
  'fri' as const,
  'sat' as const,
];
const always = [{ days, from: '00:00', to: '24:00' }];
const closed = [{ from: '2000-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', reason: 'frozen' }];

test('a rollout waits while its window is closed, says so, and continues by itself after a change of the window', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { rollouts, windows, diagnosis } = it.engine;
  const node = (await it.node()).id;
  const window = await windows.create({ name: 'nights', zone: 'UTC', spans: always, closed });
  const request = { graph: 'Graph.noop-example', nodes: [node] };
  await t.throwsAsync(rollouts.create({ ...request, window: 'none' }), {
    code: 'NOT_FOUND',
    message: 'no window has the id none',
  });
  const { id } = await rollouts.create({ ...request, window: window.id });
  await it.until(async () => (await rollouts.get(id))?.reason?.kind === 'window');
  t.like(await rollouts.get(id), { status: 'paused', window: window.id, counts: { pending: 1 } });
  t.is((await rollouts.get(id))?.phases[0]?.startedAt, null, 'its phase begins when a target may');
  const targets = await rollouts.targets(id, { skip: 0, limit: 10, filter: {} });
  t.is(targets?.items[0]?.reason, 'window');
  const [wait] = (await diagnosis.whyNode(node)).rollouts;
  t.like(wait, { id, phase: 0, status: 'pending', reason: 'window' });
  t.regex(wait?.detail ?? '', /its window nights is closed, and opens at 2099-01-01T/);
  await t.throwsAsync(rollouts.act(id, { command: 'resume' }), { code: 'CONFLICT', message: /paused \(window\)/ });
  await t.throwsAsync(windows.remove(window.id), { code: 'CONFLICT', message: new RegExp(`the rollout ${id}`) });
  await windows.change(window.id, { closed: [] });
  await it.until(async () => (await rollouts.get(id))?.status === 'succeeded');
  t.deepEqual((await diagnosis.whyNode(node)).rollouts, []);
  await it.until(() => it.of(id, 'finished').length === 1);
  t.deepEqual(
    it.of(id).map(({ n, action }) => [n, action]),
    ['started', 'paused', 'resumed', 'phase.started', 'phase.finished', 'finished'].map((action, at) => [
      at + 1,
      action,
    ]),
  );
  t.true(await windows.remove(window.id));
});

test('a launch that was saved while the window was open does not begin after a crash if it is closed then', async (t) => {
  for (let calls = 1; ; calls += 1) {
    const world = await new RolloutWorld([{ id: 'n0', parents: {} }]).open();
    await world.create({});
    const life = new Life();
    life.dieAfter(calls, calls % 2 === 0 ? 'before' : 'after');
    await (await world.daemon(life)).dispatch('rollout').catch(() => {});
    const before = world.launches.length;
    world.blockedBy = 'window';
    await (await world.daemon()).dispatch('rollout');
    t.is(world.launches.length, before, `${calls}`);
    t.like((await world.rollout()).state, before === 0 ? { status: 'paused' } : { status: 'running' }, `${calls}`);
    world.blockedBy = undefined;
    await world.targets.update({ status: 'waiting' }, { $set: { triedAt: new Date(0).toISOString() } });
    const daemon = await world.daemon();
    await daemon.dispatch('rollout');
    for (const workflow of world.workflows.keys()) world.end(workflow, 'succeeded');
    await daemon.dispatch('rollout');
    t.deepEqual(world.launches, ['n0']);
    t.is((await world.rollout()).status, 'succeeded');
    if (!life.isDead) break;
  }
});
