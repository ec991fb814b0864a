/** Rollouts on the real engine: plans, pinned versions, workflows, events, retries, deletion. */
import test, { type ExecutionContext } from 'ava';
import type { RolloutRequest } from '../../../../engine/api-port/index.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

const FAILS = {
  friendlyName: 'Fails',
  injectableName: 'Graph.Rollout.Fails',
  tasks: [{ label: 'fail', taskName: 'Task.Fixture.Fail' }],
};

async function scene(t: ExecutionContext, count: number) {
  const it = await openEngine();
  t.teardown(() => it.close());
  const nodes = await Promise.all(Array.from({ length: count }, async () => (await it.node()).id));
  const rolloutOf = async (id: string) => {
    const rollout = await it.engine.rollouts.get(id);
    if (rollout === undefined) throw new Error(`there is no rollout ${id}`);
    return rollout;
  };
  const ended = (id: string) => it.until(async () => (await rolloutOf(id)).finishedAt !== null);
  const targetsOf = async (id: string) =>
    (await it.engine.rollouts.targets(id, { skip: 0, limit: 1_000, filter: {} }))?.items ?? [];
  return { it, nodes, rolloutOf, ended, targetsOf };
}

const create = (it: TestEngine, request: Partial<RolloutRequest> & { nodes: readonly string[] }) =>
  it.engine.rollouts.create({ graph: 'Graph.noop-example', operator: 'op', ...request });

test('a rollout runs its plan: the same targets in the same order, one workflow each, with its rollout and phase', async (t) => {
  const { it, nodes, rolloutOf, ended, targetsOf } = await scene(t, 6);
  const request = { nodes, seed: 7, phases: [{ size: 1 }, { size: 'rest' as const }], limits: { running: 2 } };
  const plan = await it.engine.rollouts.plan({ graph: 'Graph.noop-example', ...request });
  t.deepEqual(plan.rejections, []);
  const { id } = await create(it, request);
  await ended(id);
  t.like(await rolloutOf(id), { status: 'succeeded', counts: { succeeded: 6 }, createdBy: 'op', seed: 7 });
  const targets = await targetsOf(id);
  t.deepEqual(
    targets.map(({ node, phase, sequence }) => ({ node, phase, sequence })),
    plan.targets,
  );
  for (const { workflow, node, phase } of targets)
    t.like(await it.get(workflow ?? ''), { node, rollout: id, rolloutPhase: phase, operator: 'op' });
  t.is((await it.engine.workflows.list({ skip: 0, limit: 10, filter: { rollout: id } })).total, 6);
  const actions = ['started', 'phase.started', 'phase.finished', 'finished'];
  t.deepEqual(
    actions.map((action) => it.of(id, action).length),
    [1, 2, 2, 1],
  );
  t.true(await it.engine.rollouts.remove(id));
  t.is(await it.engine.rollouts.get(id), undefined);
});

test('the plan of a busy node has its rejection; nodes are found by identifiers, and unknown ones are rejected by path', async (t) => {
  const { it, nodes } = await scene(t, 2);
  const [busy = '', other = ''] = nodes;
  await it.launch('Graph.Demo.InstallOs', {}, busy);
  await it.engine.nodes.update(other, { identifiers: ['aa:bb:cc:00:00:01'] });
  const plan = (all: string[]) => it.engine.rollouts.plan({ graph: 'Graph.noop-example', nodes: all });
  const { rejections, targets } = await plan([busy, 'aa:bb:cc:00:00:01']);
  t.deepEqual(
    rejections.map(({ node, code }) => [node, code]),
    [[busy, 'NODE_BUSY']],
  );
  t.deepEqual(targets.map(({ node }) => node).sort(), nodes.toSorted());
  await t.throwsAsync(plan([busy, 'none']), { code: 'NOT_FOUND', message: /identifier none/ });
  await t.throwsAsync(it.engine.rollouts.plan({ graph: 'Graph.None', nodes }), {
    message: /Graph definition not found/,
  });
});

test('a rollout keeps the version of its graph, and one with "newest" does not', async (t) => {
  for (const definition of ['pinned', 'newest'] as const) {
    const { it, nodes, ended, targetsOf } = await scene(t, 2);
    const versionOf = (label: string) => ({
      friendlyName: 'Versions',
      injectableName: 'Graph.Rollout.Versions',
      tasks: [{ label, taskName: 'Task.noop' }],
    });
    await it.engine.library.putGraph(versionOf('first'));
    const phases = [{ size: 1, advance: 'manual' as const }, { size: 'rest' as const }];
    const { id } = await create(it, { graph: 'Graph.Rollout.Versions', nodes, phases, definition });
    await it.until(async () => (await it.engine.rollouts.get(id))?.reason?.kind === 'phase');
    await it.engine.library.putGraph(versionOf('second'));
    await it.engine.rollouts.act(id, { command: 'advance' }, 'op');
    await ended(id);
    const labels = await Promise.all(
      (await targetsOf(id)).map(async ({ workflow }) => Object.keys(await it.states(workflow ?? ''))[0]),
    );
    t.deepEqual(labels, ['first', definition === 'pinned' ? 'first' : 'second']);
  }
});

test('a gate pauses with a critical event; failed targets are retried as new workflows; an active rollout cannot be deleted', async (t) => {
  const { it, nodes, rolloutOf, ended, targetsOf } = await scene(t, 4);
  await it.engine.library.putGraph(FAILS);
  const gates = [{ failures: 2 }];
  const { id } = await create(it, { graph: FAILS.injectableName, nodes, limits: { running: 1 }, gates });
  await it.until(async () => (await rolloutOf(id)).status === 'paused');
  t.like(await rolloutOf(id), { counts: { failed: 2, pending: 2 }, reason: { kind: 'gate', gate: { index: 0 } } });
  t.is((await targetsOf(id)).filter(({ reason }) => reason === 'gate').length, 2);
  t.is(it.of(id, 'paused')[0]?.severity, 'critical');
  await t.throwsAsync(it.engine.rollouts.remove(id), { code: 'CONFLICT' });
  await it.engine.rollouts.act(id, { command: 'resume' });
  // Two more fail; the last one trips nothing.
  await ended(id);
  t.is((await rolloutOf(id)).status, 'completed_with_failures');
  const first = (await targetsOf(id)).map(({ workflow }) => workflow);
  const retrying = await it.engine.rollouts.act(id, { command: 'retry-failed', acknowledge: true });
  t.is(retrying?.phases[1]?.targets, 4, 'the answer comes when all have moved');
  await it.until(async () => (await rolloutOf(id)).reason?.kind === 'gate');
  const cancelled = await it.engine.rollouts.act(id, { command: 'cancel' });
  t.like(cancelled?.counts, { pending: 0, waiting: 0 });
  t.is((await targetsOf(id)).filter(({ reason }) => reason === 'cancelled').length, 2, 'when those are skipped');
  await ended(id);
  const retried = (await targetsOf(id)).filter(({ workflow }) => workflow !== null);
  t.is(retried.length, 2);
  for (const { workflow, attempts, phase } of retried) {
    t.is(phase, 1);
    t.true(first.includes(attempts[0]?.workflow ?? null));
    t.is((await it.get(workflow ?? '')).retryOf, attempts[0]?.workflow ?? '');
  }
  t.like((await rolloutOf(id)).counts, { failed: 2, skipped: 2 });
});

test('a gate by health pauses when a node is as bad after its workflow, or worse', async (t) => {
  const { it, nodes, rolloutOf, ended } = await scene(t, 3);
  for (const node of nodes) await it.engine.health.put(node, 'rack', { state: 'warning' });
  const begin = async (health: 'warning' | 'critical') =>
    (await create(it, { nodes, limits: { running: 1 }, gates: [{ health }] })).id;
  const bad = await begin('warning');
  await it.until(async () => (await rolloutOf(bad)).status === 'paused');
  t.like(await rolloutOf(bad), {
    counts: { succeeded: 1, pending: 2 },
    reason: { kind: 'gate', gate: { index: 0, health: 'warning' } },
  });
  await it.engine.rollouts.act(bad, { command: 'cancel' });
  const fair = await begin('critical');
  await ended(fair);
  t.is((await rolloutOf(fair)).status, 'succeeded');
});
