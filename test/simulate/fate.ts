/** The faults of a simulation. In the second half of a round there are none. */

import type { VirtualTime } from '../../engine/assembly/virtual/virtual-time.ts';
import type { VirtualWorld } from '../../engine/assembly/virtual-world.ts';
import type { SeededRandom } from '../../engine/platform/lib/seeded-random.ts';
import type { Members } from './members.ts';
import { ROUNDS_PER_HOUR, type SimulationPlan } from './plan.ts';

export interface FatePort {
  world: VirtualWorld;
  time: VirtualTime;
  members: Members;
  random: SeededRandom;
  plan: SimulationPlan;
  note(line: string): void;
}

/** A daemon that dies at one of its next calls. */
interface Doom {
  daemon: number;
  calls: number;
  downMs: number;
}

/** Launches come in the first seconds of a round, and what they cause takes some more. */
const BUSY_MS = 10_000;
const CALLS = 60;

export class Fate {
  readonly #port: FatePort;
  #doomed: Doom[] = [];

  constructor(port: FatePort) {
    this.#port = port;
  }

  /** Called before each call of a daemon. */
  called(id: string): void {
    const { members, note } = this.#port;
    if (this.#doomed.length === 0) return;
    const n = members.indexOf(id);
    for (const doom of this.#doomed) if (doom.daemon === n) doom.calls -= 1;
    const due = this.#doomed.find(({ daemon, calls }) => daemon === n && calls <= 0);
    if (due === undefined) return;
    this.#doomed = this.#doomed.filter((doom) => doom !== due);
    note(`${id} dies`);
    members.kill(n, due.downMs);
  }

  round(ms: number): void {
    const { random, time, plan, members, note } = this.#port;
    const later = (most: number, run: () => void) => time.add(random.between(0, most), run, '');
    const someone = () => random.below(plan.daemons);
    const crashes = Math.floor(plan.crashesPerHour / ROUNDS_PER_HOUR + random.next());
    for (let n = 0; n < crashes; n += 1) {
      const doom = { daemon: someone(), calls: 1 + random.below(CALLS), downMs: random.between(10, 20_000) };
      later(BUSY_MS, () => {
        this.#doomed.push(doom);
      });
    }
    if (random.chance(0.3)) {
      const [n, awayMs] = [someone(), random.between(500, 15_000)];
      later(5_000, () => {
        note(`daemon${n} is away`);
        members.separate(n, awayMs);
      });
    }
    if (random.chance(0.2)) {
      const [n, stillMs] = [someone(), random.between(500, 20_000)];
      later(BUSY_MS, () => {
        note(`daemon${n} stands still`);
        members.stop(n, stillMs);
      });
    }
    if (random.chance(0.2)) {
      const [n, jumpMs] = [someone(), random.between(-3_600_000, 3_600_000)];
      later(BUSY_MS, () => {
        note(`the clock of daemon${n} jumps`);
        members.jump(n, jumpMs);
      });
    }
    this.#around(random.between(0, 5_000), random);
    time.add(ms / 2, () => this.#quiet(), '');
  }

  /** Faults of what all daemons share. */
  #around(ms: number, random: SeededRandom): void {
    const { world, time, note } = this.#port;
    const { faults } = world;
    const during = (what: string, mostMs: number, begin: () => void, end: () => void) => {
      time.add(
        ms,
        () => {
          note(what);
          begin();
        },
        '',
      );
      time.add(ms + random.between(500, mostMs), end, '');
    };
    const kind = random.below(6);
    if (kind === 0) {
      during(
        'the broker is away',
        30_000,
        () => world.broker.set(false),
        () => world.broker.set(true),
      );
    }
    if (kind === 1) {
      during(
        'the store is slow',
        20_000,
        () => Object.assign(faults, { slow: 0.7, slowMs: 1_500 }),
        () => Object.assign(faults, { slow: 0.1, slowMs: 30 }),
      );
    }
    if (kind === 2) {
      during(
        'the store is full',
        10_000,
        () => Object.assign(faults, { full: 0.7 }),
        () => Object.assign(faults, { full: 0 }),
      );
    }
  }

  #quiet(): void {
    this.#doomed = [];
    this.#port.world.broker.set(true);
    Object.assign(this.#port.world.faults, { slow: 0.1, slowMs: 30, full: 0 });
  }
}
