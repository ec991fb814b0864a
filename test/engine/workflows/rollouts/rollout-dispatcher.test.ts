/** The dispatcher under random targets, limits, gates, ends and deaths; an oracle that knows the rules judges each launch. */
import test from 'ava';
import fc from 'fast-check';
import type { RolloutAction } from '../../../../engine/api-port/rollouts.ts';
import { isActive } from '../../../../engine/vocabulary/states.ts';
import { commandRollout } from '../../../../engine/workflows/rollouts/rollout-commands.ts';
import { sumCounts } from '../../../../engine/workflows/rollouts/rollout-state.ts';
import type { StoredTarget } from '../../../../engine/workflows/rollouts/stored-rollout.ts';
import { RolloutWorld, type WorldNode } from '../../../support/engine/rollout-world.ts';
import { Life } from '../../../support/faults/dying-store.ts';

interface Course {
  count: number;
  racks: number;
  pdus: number;
  running: number;
  perRack: number;
  perPdu: number;
  first: number;
  failures: number;
  /** Whether each workflow succeeds, in the order of their ends; the rest does. */
  ends: boolean[];
  /** By round: the call at which the daemon dies. */
  deaths: number[];
}

const ROUNDS = 400;

const course = fc.record<Course>({
  count: fc.integer({ min: 2, max: 24 }),
  racks: fc.integer({ min: 1, max: 6 }),
  pdus: fc.integer({ min: 1, max: 6 }),
  running: fc.integer({ min: 1, max: 8 }),
  perRack: fc.integer({ min: 1, max: 3 }),
  perPdu: fc.integer({ min: 1, max: 2 }),
  first: fc.integer({ min: 1, max: 3 }),
  failures: fc.integer({ min: 1, max: 4 }),
  ends: fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }),
  deaths: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 }),
});

const nodesOf = ({ count, racks, pdus }: Pick<Course, 'count' | 'racks' | 'pdus'>): WorldNode[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `n${n}`,
    parents: { enclosedBy: [`rack${n % racks}`], poweredBy: [`pdu${(n * 7) % pdus}`] },
  }));

async function act(world: RolloutWorld, action: RolloutAction): Promise<void> {
  const rollout = await world.rollout();
  const { state, effects } = commandRollout(rollout.state, { ...action, at: new Date().toISOString() });
  const changed = { ...rollout, state, status: state.status, effects: [...rollout.effects, ...effects], pending: true };
  await world.rollouts.replace([{ ...changed, version: rollout.version + 1 }]);
}

class Oracle {
  readonly world: RolloutWorld;
  readonly course: Course;
  failures = 0;
  #launches = 0;

  constructor(world: RolloutWorld, course: Course) {
    this.world = world;
    this.course = course;
  }

  get isTripped(): boolean {
    return this.failures >= this.course.failures;
  }

  #busy(relation: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { node } of this.world.active)
      for (const key of this.world.nodes.get(node)?.parents[relation] ?? [])
        counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  }

  /** Also of a daemon that died. */
  afterRound(): string | undefined {
    const { active, launches } = this.world;
    const { running, perRack, perPdu } = this.course;
    if (active.length > running) return 'too many run';
    if (Math.max(0, ...this.#busy('enclosedBy').values()) > perRack) return 'too many run in a rack';
    if (Math.max(0, ...this.#busy('poweredBy').values()) > perPdu) return 'too many run on a PDU';
    if (new Set(launches).size !== launches.length) return 'a node was launched twice';
    if (this.isTripped && launches.length > this.#launches) return 'a gate was passed';
    this.#launches = launches.length;
    return undefined;
  }

  /** After a daemon that did all that it could. */
  async whenQuiet(): Promise<string | undefined> {
    const { state, effects } = await this.world.rollout();
    const targets = await this.world.targets.find({});
    if (effects.length > 0) return 'effects are left';
    const isElsewhere = ({ node }: { node: string }) => phaseOf(targets, node) !== state.phase;
    if (state.status === 'running' && this.world.active.some(isElsewhere)) return 'a target of another phase runs';
    if (state.status === 'running' && this.isTripped) return 'a gate did not trip';
    if (state.status !== 'running' || this.world.active.length >= this.course.running) return undefined;
    const [racks, pdus] = [this.#busy('enclosedBy'), this.#busy('poweredBy')];
    const couldBegin = targets.some(({ status, phase, node }) => {
      const { enclosedBy = [], poweredBy = [] } = this.world.nodes.get(node)?.parents ?? {};
      const hasRoom =
        enclosedBy.every((rack) => (racks.get(rack) ?? 0) < this.course.perRack) &&
        poweredBy.every((pdu) => (pdus.get(pdu) ?? 0) < this.course.perPdu);
      return status === 'pending' && phase === state.phase && hasRoom;
    });
    return couldBegin ? 'a target that could begin does not' : undefined;
  }
}

const phaseOf = (targets: readonly StoredTarget[], node: string) => targets.find((one) => one.node === node)?.phase;

/** A daemon for one round. @returns whether it survived */
async function round(world: RolloutWorld, death: number | undefined): Promise<boolean> {
  const life = new Life();
  if (death !== undefined) life.dieAfter(death, death % 2 === 0 ? 'before' : 'after');
  const daemon = await world.daemon(life);
  await daemon.dispatch('rollout').catch((error) => {
    if (!life.isDead) throw error;
  });
  return !life.isDead;
}

function endOne(world: RolloutWorld, oracle: Oracle, ends: boolean[]): void {
  const [id] = [...world.workflows].find(([, { status }]) => isActive(status)) ?? [];
  if (id === undefined) return;
  const succeeds = ends.shift() ?? true;
  if (!succeeds) oracle.failures += 1;
  world.end(id, succeeds ? 'succeeded' : 'failed');
}

test('no limit is exceeded, no gate is passed, and each target is launched once and as soon as it may, whatever dies', async (t) => {
  const play = async (it: Course) => {
    const world = await new RolloutWorld(nodesOf(it)).open();
    const last = { size: 'rest' as const };
    await world.create({
      phases: it.first < it.count ? [{ size: it.first }, last] : [last],
      order: { by: 'enclosedBy' },
      limits: { running: it.running, per: { enclosedBy: it.perRack, poweredBy: it.perPdu } },
      gates: [{ failures: it.failures, scope: 'rollout' }],
    });
    const oracle = new Oracle(world, it);
    const [ends, deaths] = [[...it.ends], [...it.deaths]];
    for (let rounds = 0; rounds < ROUNDS; rounds += 1) {
      const survived = await round(world, deaths.shift());
      t.is(oracle.afterRound(), undefined);
      if (!survived) continue;
      const { status } = await world.rollout();
      if (status !== 'running' && status !== 'paused') break;
      t.is(await oracle.whenQuiet(), undefined);
      if (status === 'paused' && world.active.length === 0) {
        oracle.failures = 0;
        await act(world, { command: 'resume' });
      }
      endOne(world, oracle, ends);
    }
    const { state } = await world.rollout();
    const counts = sumCounts(state.phases);
    t.is(counts.succeeded + counts.failed, it.count);
    t.is(world.launches.length, it.count);
    t.is(state.status, counts.failed === 0 ? 'succeeded' : 'completed_with_failures');
    t.deepEqual([world.actions()[0], world.actions().at(-1)], ['started', 'finished']);
  };
  await fc.assert(fc.asyncProperty(course, play), { numRuns: 60 });
});

test('without groups, targets begin in their sequence; a paused phase waits for its advance; counts follow', async (t) => {
  const world = await new RolloutWorld(nodesOf({ count: 5, racks: 1, pdus: 1 })).open();
  await world.create({ phases: [{ size: 2, advance: 'manual' }, { size: 'rest' }], limits: { running: 1 } });
  const planned = (await world.targets.find({})).map(({ node }) => node);
  const daemon = await world.daemon();
  const endAll = async () => {
    for (let rounds = 0; rounds < planned.length; rounds += 1) {
      await daemon.dispatch('rollout');
      for (const [id, { status }] of world.workflows) if (isActive(status)) world.end(id, 'succeeded');
    }
    await daemon.dispatch('rollout');
  };
  await endAll();
  t.like((await world.rollout()).state, { status: 'paused', phase: 0, reason: { kind: 'phase' } });
  t.false((await world.rollout()).pending);
  await t.throwsAsync(act(world, { command: 'resume' }), {
    message: /is paused \(phase\); resume needs the command advance/,
  });
  await t.throwsAsync(act(world, { command: 'advance', phase: 2 }), { message: /is 1; found 2/ });
  await act(world, { command: 'advance', phase: 1 });
  await endAll();
  t.deepEqual(world.launches, planned);
  t.like(await world.rollout(), { status: 'succeeded', pending: false });
  t.deepEqual(world.actions(), [
    ...['started', 'phase.started', 'phase.finished', 'paused', 'resumed', 'phase.started', 'phase.finished'],
    'finished',
  ]);
});

test('a busy node is waited for or skipped, a deleted one is skipped, and others go first', async (t) => {
  for (const onBusy of ['wait', 'skip'] as const) {
    const world = await new RolloutWorld(nodesOf({ count: 3, racks: 1, pdus: 1 })).open();
    world.busy.add('n0');
    await world.create({ onBusy });
    world.nodes.delete('n1');
    const daemon = await world.daemon();
    await daemon.dispatch('rollout');
    const [busy] = await world.targets.find({ node: 'n0' });
    t.like(busy, { status: onBusy === 'wait' ? 'waiting' : 'skipped', reason: 'busy', workflow: null });
    const [gone] = await world.targets.find({ node: 'n1' });
    t.like(gone, { status: 'skipped', reason: 'gone' });
    t.deepEqual(world.launches, ['n2']);
    for (const id of world.workflows.keys()) world.end(id, 'succeeded');
    world.busy.clear();
    await world.targets.update({ node: 'n0' }, { $set: { triedAt: new Date(0).toISOString() } });
    await daemon.dispatch('rollout');
    for (const id of world.workflows.keys()) world.end(id, 'succeeded');
    await daemon.dispatch('rollout');
    t.deepEqual(world.launches, onBusy === 'wait' ? ['n2', 'n0'] : ['n2']);
    t.is((await world.rollout()).status, 'succeeded');
  }
});

test('a held node is waited for, and is tried when its hold is gone, long before it would be tried again', async (t) => {
  const world = await new RolloutWorld(nodesOf({ count: 1, racks: 1, pdus: 1 })).open();
  world.held.add('n0');
  await world.create({ onHeld: 'wait' });
  const daemon = await world.daemon();
  await daemon.dispatch('rollout');
  /** After a moment in which no launch is tried again. */
  const dispatchLater = async () => {
    const [target] = await world.targets.find({ node: 'n0' });
    t.like(target, { status: 'waiting', reason: 'held' });
    await world.targets.update({ node: 'n0' }, { $set: { triedAt: new Date(Date.now() - 2_000).toISOString() } });
    await daemon.dispatch('rollout');
  };
  await dispatchLater();
  t.deepEqual(world.launches, []);
  world.held.clear();
  await dispatchLater();
  t.deepEqual(world.launches, ['n0']);
});

test('a cancelled rollout skips what has not begun, and with cancelRunning ends what runs; otherwise that continues', async (t) => {
  for (const cancelRunning of [true, false]) {
    const world = await new RolloutWorld(nodesOf({ count: 4, racks: 1, pdus: 1 })).open();
    await world.create({ limits: { running: 2 } });
    const daemon = await world.daemon();
    await daemon.dispatch('rollout');
    await act(world, { command: 'cancel', cancelRunning });
    await daemon.dispatch('rollout');
    t.is(world.active.length, cancelRunning ? 0 : 2);
    for (const id of world.workflows.keys()) world.end(id, 'succeeded');
    await daemon.dispatch('rollout');
    const { state } = await world.rollout();
    t.like(state, { status: 'cancelled', reason: null });
    t.not(state.finishedAt, null);
    t.like(sumCounts(state.phases), { skipped: 2, [cancelRunning ? 'cancelled' : 'succeeded']: 2 });
  }
});

test('retry-failed moves failed targets to a new last phase, keeps their earlier try, and counts their failures anew', async (t) => {
  const world = await new RolloutWorld(nodesOf({ count: 4, racks: 1, pdus: 1 })).open();
  await world.create({ gates: [{ failures: 2, scope: 'rollout' }] });
  const daemon = await world.daemon();
  const end = async (status: 'failed' | 'succeeded', count: number) => {
    const active = [...world.workflows].filter(([, one]) => isActive(one.status)).slice(0, count);
    for (const [id] of active) world.end(id, status);
    await daemon.dispatch('rollout');
  };
  await daemon.dispatch('rollout');
  await end('failed', 2);
  t.like((await world.rollout()).state, {
    status: 'paused',
    reason: { kind: 'gate', gate: { index: 0, failures: 2 } },
  });
  t.is((await world.rollout()).state.reason?.targets?.length, 2);
  await end('succeeded', 2);
  t.is((await world.rollout()).status, 'completed_with_failures');
  await act(world, { command: 'retry-failed' });
  await daemon.dispatch('rollout');
  t.is(world.active.length, 2);
  await end('succeeded', 2);
  const { state } = await world.rollout();
  t.like(state, { status: 'succeeded', phase: 1 });
  t.like(state.phases[1], { targets: 2, size: 2, counts: { succeeded: 2 } });
  t.like(state.phases[0], { targets: 2, counts: { succeeded: 2, failed: 0 } });
  const retried = await world.targets.find({ phase: 1 });
  t.deepEqual(
    retried.map(({ attempts }) => attempts.map(({ status }) => status)),
    [['failed'], ['failed']],
  );
});
