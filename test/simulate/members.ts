/** The daemons of a simulation: started, killed, separated, started again. */

import type { VirtualTime } from '../../engine/assembly/virtual/virtual-time.ts';
import type { VirtualWorld, WorldDaemon } from '../../engine/assembly/virtual-world.ts';
import type { SeededRandom } from '../../engine/platform/lib/seeded-random.ts';
import type { NodewrightError } from '../../engine/vocabulary/errors.ts';

interface Member {
  runs: number;
  /** Absent: dead. */
  link: ReturnType<VirtualWorld['link']> | undefined;
  /** Absent: it does not answer requests yet. */
  daemon: WorldDaemon | undefined;
}

export class Members {
  crashes = 0;
  readonly #members: Member[];
  readonly #world: VirtualWorld;
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  /** Receives the error of a start that failed although nothing was away. */
  failed: (what: string) => void = () => {};

  constructor(world: VirtualWorld, time: VirtualTime, random: SeededRandom, count: number) {
    this.#world = world;
    this.#time = time;
    this.#random = random;
    this.#members = Array.from({ length: count }, () => ({ runs: 0, link: undefined, daemon: undefined }));
  }

  startAll(): void {
    for (const n of this.#members.keys()) this.start(n);
  }

  start(n: number): void {
    const member = this.#members[n];
    if (member === undefined || member.link !== undefined) return;
    const id = `daemon${n}-${member.runs}`;
    const previous = member.runs === 0 ? undefined : `daemon${n}-${member.runs - 1}`;
    member.runs += 1;
    const link = this.#world.link(id);
    member.link = link;
    this.#time.add(
      0,
      () => {
        const opened = (daemon: WorldDaemon) => {
          member.daemon = daemon;
        };
        this.#world.start(id, previous, opened, link).catch((error: NodewrightError) => {
          // A daemon that cannot start ends, and is started again.
          if (!link.isCut) this.kill(n, 5_000);
          if (error.code !== 'UNAVAILABLE') this.failed(`${id} does not start: ${error.stack}`);
        });
      },
      id,
    );
  }

  /** @param downMs until it is started again */
  kill(n: number, downMs: number): void {
    const member = this.#members[n];
    if (member?.link === undefined) return;
    this.crashes += 1;
    this.#world.kill(member.link);
    Object.assign(member, { link: undefined, daemon: undefined });
    this.#time.add(downMs, () => this.start(n), '');
  }

  separate(n: number, ms: number): void {
    const link = this.#members[n]?.link;
    if (link === undefined || link.isAway) return;
    this.#world.separate(link);
    this.#time.add(ms, () => this.#world.rejoin(link), '');
  }

  /** Its machine stops it for a while. */
  stop(n: number, ms: number): void {
    const link = this.#members[n]?.link;
    if (link === undefined || link.isAway) return;
    this.#time.stop(link.daemon, ms);
    this.#world.silence(link);
    this.#time.add(ms, () => this.#world.unsilence(link), '');
  }

  /** Its clock jumps. */
  jump(n: number, ms: number): void {
    const link = this.#members[n]?.link;
    if (link !== undefined) this.#time.jump(link.daemon, ms);
  }

  indexOf(id: string): number {
    return this.#members.findIndex(({ link }) => link?.daemon === id);
  }

  /** A daemon that answers requests; undefined: none does. */
  pick(): WorldDaemon | undefined {
    const up = this.#members.flatMap(({ daemon, link }) =>
      daemon !== undefined && link?.isAway === false ? [daemon] : [],
    );
    return up.length === 0 ? undefined : this.#random.pick(up);
  }
}
