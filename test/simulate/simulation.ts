/**
 * One simulation: a world of daemons whose every delay, death and loss comes from a seed. Hours consist of rounds: a burst of
 * launches, in which daemons die and messages are lost, then quiet, after which the oracle checks the world.
 *
 * 1. The same plan gives the same trace, to the last byte: it has virtual times only.
 * 2. Random numbers begin anew in each round, from the seed and its number. So the same round often fails alone, too.
 */
import { createHash } from 'node:crypto';
import type { OpenDefinitions } from '../../engine/assembly/definitions.ts';
import { stayOnThisThread } from '../../engine/assembly/virtual/on-this-thread.ts';
import { VirtualTime } from '../../engine/assembly/virtual/virtual-time.ts';
import { VirtualWorld } from '../../engine/assembly/virtual-world.ts';
import { follow } from '../../engine/platform/lib/clock.ts';
import { SeededRandom } from '../../engine/platform/lib/seeded-random.ts';
import { HOUR_MS } from '../../engine/vocabulary/units.ts';
import { ClientCalls } from './client-calls.ts';
import { Clients } from './clients.ts';
import { SimulatedEffects } from './effects.ts';
import { Fate } from './fate.ts';
import { FleetClients } from './fleet-clients.ts';
import { fleetGraphs } from './kinds.ts';
import { Members } from './members.ts';
import { Oracle } from './oracle.ts';
import { ROUNDS_PER_HOUR, type SimulationOutcome, type SimulationPlan } from './plan.ts';

const BEGIN = Date.UTC(2026, 0, 1);
const ROUND_MS = HOUR_MS / ROUNDS_PER_HOUR;
/** Time for the daemons to start. */
const START_MS = 5_000;

export interface Simulator {
  definitions: OpenDefinitions;
  dataDir: string;
  /** Receives each line of the trace. */
  trace?: ((line: string) => void) | undefined;
}

export async function simulate(plan: SimulationPlan, simulator: Simulator): Promise<SimulationOutcome> {
  const {
    seed,
    daemons,
    fleet,
    rounds,
    untilStep = Number.POSITIVE_INFINITY,
    untilHour = Number.POSITIVE_INFINITY,
  } = plan;
  const { definitions, dataDir, trace } = simulator;
  const time = new VirtualTime(BEGIN);
  const streams: [string, SeededRandom][] = [];
  const randomOf = (what: string) => {
    const random = new SeededRandom(`${seed} ${what}`);
    streams.push([what, random]);
    return random;
  };
  const digest = createHash('sha256');
  const note = (line: string) => {
    const whole = `${(time.now - BEGIN).toFixed(3)} ${line}\n`;
    digest.update(whole);
    trace?.(whole);
  };
  const effects = new SimulatedEffects(note, randomOf('effects'));
  const world: VirtualWorld = new VirtualWorld({
    time,
    random: randomOf('world'),
    faults: { slow: 0.1, slowMs: 30, lost: 0.05, full: 0 },
    definitions,
    dataDir,
    config: { heartbeatIntervalSec: 0, ...(fleet && { approvals: [{ graphs: [fleetGraphs.approved] }] }) },
    called: (daemon, what) => {
      note(`${daemon} ${what}`);
      fate.called(daemon);
    },
  });
  const members: Members = new Members(world, time, randomOf('members'), daemons);
  const oracle = new Oracle(world, effects, () => time.now, note);
  members.failed = (what) => oracle.fail('STARTS', what);
  const fate: Fate = new Fate({ world, time, members, random: randomOf('fate'), plan, note });
  const calls = new ClientCalls(time, members);
  const clients = new Clients({ time, random: randomOf('clients'), calls, oracle, note });
  const fleetClients = new FleetClients({ time, random: randomOf('fleet'), calls, oracle, note });
  const identity = randomOf('identity');
  const end = BEGIN + START_MS + (rounds.to - rounds.from) * ROUND_MS;
  let round = rounds.from - 1;
  const begin = () => {
    round += 1;
    if (round >= rounds.to) return;
    note(`round ${round}`);
    for (const [what, random] of streams) random.restart(`${seed} ${round} ${what}`);
    clients.burst();
    if (fleet) fleetClients.burst();
    fate.round(ROUND_MS);
    time.add(ROUND_MS - 2_000, () => clients.askWhy(), '');
    time.add(ROUND_MS - 1, () => oracle.rest(), '');
    time.add(ROUND_MS, begin, '');
  };
  const restore = stayOnThisThread(identity);
  time.install();
  // As all processes of a cluster follow the clock of Redis.
  follow(BEGIN);
  effects.install();
  try {
    members.startAll();
    time.add(START_MS, begin, '');
    const last = Math.min(end, BEGIN + untilHour * HOUR_MS);
    await time.run(() => time.now >= last || oracle.violation !== undefined || time.steps >= untilStep);
  } finally {
    time.uninstall();
    restore();
  }
  const { violation } = oracle;
  return {
    steps: time.steps,
    hours: (time.now - BEGIN) / HOUR_MS,
    crashes: members.crashes,
    launches: clients.launches,
    digest: digest.digest('hex'),
    ...(violation && { violation: { ...violation, step: time.steps, round } }),
  };
}
