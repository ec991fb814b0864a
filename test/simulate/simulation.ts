/**
 * One simulation: a world of daemons whose every delay, death and loss comes from a seed. Hours consist of rounds: a burst of
 * launches, in which daemons die and messages are lost, then quiet, after which the oracle checks the world.
 */
import { createHash } from 'node:crypto';
import { VirtualWorld } from '../../engine/assembly/virtual-world.ts';
import type { OpenDefinitions } from '../../engine/assembly/definitions.ts';
import { HOUR_MS } from '../../engine/vocabulary/units.ts';
import { stayOnThisThread } from '../../engine/virtual/on-this-thread.ts';
import { SeededRandom } from '../../engine/virtual/random.ts';
import { VirtualTime } from '../../engine/virtual/virtual-time.ts';
import { Clients } from './clients.ts';
import { SimulatedEffects } from './effects.ts';
import { Members } from './members.ts';
import { Oracle } from './oracle.ts';

export interface SimulationPlan {
  seed: number;
  hours: number;
  daemons: number;
  crashesPerHour: number;
  /** Stop after this step. */
  untilStep?: number | undefined;
  /** Receives each line of the trace. */
  trace?: ((line: string) => void) | undefined;
}

export interface SimulationOutcome {
  steps: number;
  hours: number;
  crashes: number;
  launches: number;
  /** Of the trace, hexadecimal. */
  digest: string;
  violation: { rule: string; step: number } | undefined;
}

const BEGIN = Date.UTC(2026, 0, 1);
const ROUNDS_PER_HOUR = 5;
const ROUND_MS = HOUR_MS / ROUNDS_PER_HOUR;
/** Long enough for every recovery. */
const QUIET_MS = ROUND_MS / 2;

export async function simulate(
  { seed, hours, daemons, crashesPerHour, untilStep = Number.POSITIVE_INFINITY, trace }: SimulationPlan,
  definitions: OpenDefinitions,
  dataDir: string,
): Promise<SimulationOutcome> {
  const time = new VirtualTime(BEGIN);
  const randomOf = (what: string) => new SeededRandom(`${seed} ${what}`);
  const [fate, identity] = [randomOf('fate'), randomOf('identity')];
  const digest = createHash('sha256');
  const note = (line: string) => {
    const whole = `${(time.now - BEGIN).toFixed(3)} ${line}\n`;
    digest.update(whole);
    trace?.(whole);
  };
  const effects = new SimulatedEffects();
  let doomed: { daemon: number; calls: number; downMs: number } | undefined;
  const faults = { slow: 0.1, slowMs: 30, lost: 0.05 };
  const world: VirtualWorld = new VirtualWorld({
    time,
    random: randomOf('world'),
    faults,
    definitions,
    dataDir,
    config: { heartbeatIntervalSec: 0 },
    called(daemon, what) {
      note(`${daemon} ${what}`);
      if (doomed === undefined || members.indexOf(daemon) !== doomed.daemon) return;
      doomed.calls -= 1;
      if (doomed.calls > 0) return;
      const { daemon: n, downMs } = doomed;
      doomed = undefined;
      note(`${daemon} dies`);
      members.kill(n, downMs);
    },
  });
  const members: Members = new Members(world, time, randomOf('members'), daemons);
  const oracle = new Oracle(world, effects);
  members.failed = (what) => {
    oracle.violation ??= what;
  };
  const clients = new Clients(time, randomOf('clients'), members, oracle);
  const end = BEGIN + hours * HOUR_MS;
  const round = () => {
    if (time.now >= end) return;
    note('round');
    clients.burst();
    const crashes = Math.floor(crashesPerHour / ROUNDS_PER_HOUR + fate.next());
    for (let n = 0; n < crashes; n += 1) {
      const doom = { daemon: fate.below(daemons), calls: 1 + fate.below(60), downMs: fate.between(10, 20_000) };
      time.add(fate.between(0, 10_000), () => (doomed = doom), '');
    }
    if (fate.chance(0.3)) {
      const [n, ms] = [fate.below(daemons), fate.between(500, 15_000)];
      time.add(fate.between(0, 5_000), () => members.separate(n, ms), '');
    }
    if (fate.chance(0.2)) {
      const ms = fate.between(1_000, 30_000);
      time.add(fate.between(0, 5_000), () => world.broker.set(false), '');
      time.add(ms + 5_000, () => world.broker.set(true), '');
    }
    time.add(QUIET_MS, () => (doomed = undefined), '');
    time.add(ROUND_MS - 1, () => rest(), '');
    time.add(ROUND_MS, round, '');
  };
  const rest = () => {
    oracle.checkRest();
    const { all } = world.rows.workflows.rows;
    const ended = [...all.values()].filter(({ finishedAt }) => finishedAt !== null).map(({ id }) => id);
    for (const id of ended) {
      all.delete(id);
      world.rows.history.delete(id);
    }
    oracle.forget(ended);
  };
  const restore = stayOnThisThread(identity);
  time.install();
  effects.install();
  try {
    members.startAll();
    time.add(5_000, round, '');
    await time.run(() => time.now >= end || oracle.violation !== undefined || time.steps >= untilStep);
  } finally {
    time.uninstall();
    restore();
  }
  const violation = oracle.violation === undefined ? undefined : { rule: oracle.violation, step: time.steps };
  return {
    steps: time.steps,
    hours: (time.now - BEGIN) / HOUR_MS,
    crashes: members.crashes,
    launches: clients.launches,
    digest: digest.digest('hex'),
    violation,
  };
}
