/** Schedules on the real engine: launches and rollouts at due times, once each, also over restarts. */
import test, { type ExecutionContext } from 'ava';
import type { NewSchedule } from '../../../../engine/api-port/schedules.ts';
import type { ConfigFile } from '../../../../engine/platform/config/config.ts';
import { Reconciler } from '../../../../engine/platform/lib/reconciler.ts';
import { HOUR_MS } from '../../../../engine/vocabulary/units.ts';
import { ScheduleDispatcher } from '../../../../engine/workflows/schedules/schedule-dispatcher.ts';
import {
  noEffects,
  runSpec,
  type StoredRun,
  type StoredSchedule,
  scheduleSpec,
} from '../../../../engine/workflows/schedules/stored-schedule.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { Life } from '../../../support/faults/dying-store.ts';

const NOOP = 'Graph.noop-example';
const INSTALLATION = 'Graph.Demo.InstallOs';

/** A busy machine takes a while to make a schedule. */
const DUE_SOON_MS = 3_000;

async function scene(t: ExecutionContext, config: ConfigFile = {}) {
  const it = await openEngine(config);
  t.teardown(() => it.close());
  const { id: node } = await it.node();
  const create = (schedule: Partial<NewSchedule>) =>
    it.engine.schedules.create({ name: 's', when: { everySec: 1 }, ...schedule }, 'op');
  return { it, node, create };
}

const runsOf = async ({ engine }: TestEngine, id: string) =>
  (await engine.schedules.runs(id, { skip: 0, limit: 1_000, filter: {} }))?.items ?? [];

test('a launch runs at each due time as a workflow of the creator, and a rollout as a rollout', async (t) => {
  const { it, node, create } = await scene(t);
  const { id } = await create({ launch: { name: NOOP, nodes: [node] } });
  await it.until(async () => (await runsOf(it, id)).filter(({ status }) => status === 'started').length >= 2);
  const [newest, before] = (await runsOf(it, id)).filter(({ status }) => status === 'started');
  t.like(await it.get(newest?.workflow ?? ''), { node, graphName: NOOP, operator: 'op', batch: newest?.batch });
  t.true(Date.parse(newest?.at ?? '') - Date.parse(before?.at ?? '') >= 1_000);
  t.true(it.of(id, 'started').length >= 2);
  // On a busy machine a workflow may last until the next due time, which is skipped then.
  await it.until(async () => (await it.engine.schedules.get(id))?.last?.status === 'started');
  t.true(await it.engine.schedules.remove(id));
  t.is(await it.engine.schedules.get(id), undefined);

  const at = new Date(Date.now() + DUE_SOON_MS).toISOString();
  const rollout = { graph: NOOP, targets: { filter: { type: 'compute' } } };
  const once = await create({ when: { at }, rollout, query: { filter: { type: 'compute' }, state: {} } });
  t.deepEqual(once.next, [at]);
  await it.until(async () => (await it.engine.schedules.get(once.id))?.last?.status === 'started');
  const last = (await it.engine.schedules.get(once.id))?.last;
  t.like(await it.engine.rollouts.get(last?.rollout ?? ''), { graph: NOOP, createdBy: 'op' });
  t.deepEqual((await it.engine.schedules.get(once.id))?.next, []);
});

test('a busy node is a skipped run with the reason; run-now is rejected while the run before is active, or queued', async (t) => {
  const { it, node, create } = await scene(t);
  const holder = await it.launch(INSTALLATION, {}, node);
  const never = { everySec: 86_400, from: '2099-01-01T00:00:00Z' };
  const { id } = await create({ when: never, launch: { name: INSTALLATION, nodes: [node] }, overlap: 'queue' });
  const runNow = () => it.engine.schedules.act(id, { command: 'run-now' });
  const rejected = (await runNow())?.last;
  t.is(rejected?.status, 'skipped');
  t.regex(rejected?.reason ?? '', /^NODE_BUSY: /);
  // An event may be published twice, under one id.
  t.is(new Set(it.of(id, 'skipped').map((event) => event.id)).size, 1);
  await it.engine.control.cancel(holder.id);
  await it.finished(holder.id);
  const started = (await runNow())?.last;
  t.is(started?.status, 'started');
  t.like(await runNow(), { queued: 1 });
  await it.engine.control.cancel(started?.workflow ?? '');
  await it.until(async () => (await runsOf(it, id)).filter(({ status }) => status === 'started').length === 2);
  await it.engine.schedules.change(id, { overlap: 'skip' });
  await t.throwsAsync(runNow, { code: 'CONFLICT', message: /has not ended/ });
});

test('a paused schedule is not due, and shows when it would be; a command that changes nothing is 409', async (t) => {
  const { it, node, create } = await scene(t);
  const { id, next } = await create({ launch: { name: NOOP, nodes: [node] }, paused: true });
  t.is(next.length, 5);
  const act = (command: 'pause' | 'resume') => it.engine.schedules.act(id, { command });
  await t.throwsAsync(act('pause'), { code: 'CONFLICT', message: /paused already/ });
  await act('resume');
  await it.until(async () => (await runsOf(it, id)).length > 0);
  await act('pause');
  const { length } = await runsOf(it, id);
  t.like(await it.engine.schedules.get(id), { paused: true, queued: 0 });
  t.is((await runsOf(it, id)).length, length);
});

test('secrets in options are stored encrypted and shown as REDACTED, and what makes no sense is rejected', async (t) => {
  const { it, node, create } = await scene(t);
  const options = { defaults: { password: 'hunter2-secret' } };
  const made = await create({ launch: { name: NOOP, nodes: [node], options }, paused: true });
  t.deepEqual(made.launch?.options, { defaults: { password: 'REDACTED' } });
  const launch = { name: NOOP, nodes: [node] };
  const rollout = { graph: NOOP, targets: { nodes: [node] } };
  await t.throwsAsync(create({}), { code: 'INVALID', message: /launch or rollout/ });
  await t.throwsAsync(create({ launch, rollout }), { code: 'INVALID', message: /launch or rollout/ });
  await t.throwsAsync(create({ launch: { name: 'Graph.None', nodes: [node] } }), { code: 'NOT_FOUND' });
  await t.throwsAsync(create({ launch: { name: NOOP, nodes: ['none'] } }), { code: 'NOT_FOUND', message: /none/ });
  const phases = [{ size: 1 }, { size: 1 }];
  const error = await t.throwsAsync(create({ rollout: { ...rollout, phases } }), { code: 'INVALID' });
  t.regex(error?.message ?? '', /rollout\.phases/);
  const spans = [{ days: ['sun' as const], from: '00:00', to: '01:00' }];
  const window = await it.engine.windows.create({ name: 'w', zone: 'UTC', spans });
  const { id } = await create({ rollout: { ...rollout, window: window.id }, paused: true });
  await t.throwsAsync(it.engine.windows.remove(window.id), { code: 'CONFLICT', message: new RegExp(id) });
});

test('times that came while no daemon ran: the newest runs, the others are listed, or all are', async (t) => {
  const { it, node, create } = await scene(t);
  const launch = { name: NOOP, nodes: [node] };
  const when = { everySec: 1, from: new Date(Date.now() + 500).toISOString() };
  const running = await create({ when, launch });
  const listing = await create({ when, launch, missed: 'skip' });
  await it.engine.close();
  const closedAt = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  const openedAt = Date.now();
  await it.open();
  /** Since the engine was closed, oldest first. */
  const outcomes = async (id: string) => {
    await it.until(async () => (await runsOf(it, id)).some(({ at }) => Date.parse(at) > openedAt + 1_000));
    await it.until(async () => (await runsOf(it, id))[0]?.status === 'started');
    return (await runsOf(it, id)).filter(({ at }) => Date.parse(at) > closedAt).toReversed();
  };
  const run = (await outcomes(running.id)).map(({ status }) => status);
  t.true(run.indexOf('started') >= 2 && run.lastIndexOf('missed') < run.indexOf('started'), `${run}`);
  const listed = await outcomes(listing.id);
  t.true(listed.filter(({ at }) => Date.parse(at) < openedAt).every(({ status }) => status === 'missed'));
  t.true(listed.filter(({ status }) => status === 'missed').length >= 3);
  t.is(it.of(listing.id, 'missed')[0]?.severity, 'warning');
});

const DUE = new Date(Date.now() - 1_000).toISOString();

const dueOnce: StoredSchedule = {
  id: 's',
  version: 1,
  name: 's',
  when: { at: DUE },
  launch: { name: NOOP, nodes: ['n'] },
  rollout: null,
  query: null,
  overlap: 'skip',
  missed: 'run',
  paused: false,
  until: null,
  nextAt: DUE,
  queue: [],
  current: null,
  effects: noEffects(),
  lookAt: DUE,
  last: null,
  createdAt: DUE,
  updatedAt: DUE,
  createdBy: null,
};

test('a daemon that dies at any call starts a due time once, and the next one says so', async (t) => {
  const noJobs = { consume: () => ({ close: async () => {} }), repeat: async () => {}, unrepeat: async () => {} };
  for (const moment of ['before', 'after'] as const)
    for (let calls = 0, isDead = true; isDead; calls += 1) {
      const store = new MemoryStore();
      const schedules = await store.collection<StoredSchedule>(scheduleSpec);
      await schedules.insert(dueOnce);
      const begun = new Set<string>();
      const events = new Set<string>();
      const live = async (life: Life) => {
        const mortal = life.store(store);
        const dispatcher = new ScheduleDispatcher({
          schedules: await mortal.collection<StoredSchedule>(scheduleSpec),
          runs: await mortal.collection<StoredRun>(runSpec),
          jobs: noJobs as never,
          outbox: { publish: (all) => life.call(async () => all.forEach(({ id }) => void events.add(id))) },
          begin: (_, id) => life.call(async () => ({ batch: [...begun.add(id)][0] as string })),
          isActive: async () => false,
          cluster: { reconciler: (port) => new Reconciler({ ...port, firstMs: HOUR_MS }) },
          failed: () => {},
        });
        dispatcher.start();
        await dispatcher.dispatch('s').catch(() => {});
        await dispatcher.close();
      };
      const life = new Life();
      life.dieAfter(calls, moment);
      await live(life);
      await live(new Life());
      isDead = life.isDead;
      t.is(begun.size, 1, `${moment} call ${calls}`);
      t.is(events.size, 1, `${moment} call ${calls}`);
      const last = { at: DUE, status: 'started', batch: [...begun][0] };
      t.like(await schedules.get('s'), { last, nextAt: null, lookAt: null });
      const runs = await (await store.collection<StoredRun>(runSpec)).find({});
      t.deepEqual(
        runs.map(({ at, status }) => ({ at, status })),
        [{ at: DUE, status: 'started' }],
      );
    }
});

test('a schedule whose launch or rollout would need a ticket is refused when it is made', async (t) => {
  const { node, create } = await scene(t, { approvals: [{ graphs: [NOOP] }] });
  const at = '2099-01-01T00:00:00Z';
  const needed = { code: 'TICKET_REQUIRED' } as never;
  await t.throwsAsync(create({ when: { at }, launch: { name: NOOP, nodes: [node] } }), needed);
  const query = { filter: { type: 'compute' }, state: {} };
  await t.throwsAsync(create({ when: { at }, launch: { name: NOOP, filter: { type: 'compute' } }, query }), needed);
  await t.throwsAsync(create({ when: { at }, rollout: { graph: NOOP, targets: { nodes: [node] } } }), needed);
  const { name } = await create({ when: { at }, launch: { name: INSTALLATION, nodes: [node] } });
  t.is(name, 's');
});
