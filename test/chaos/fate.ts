/** What befalls the daemons and their services, as the seed decides. */
import { type Member, pause } from './member.ts';
import { between, type Draw, pick } from './random.ts';
import type { Scene } from './scene.ts';

/** Each with its share of the draws. */
const SHARES = [
  { weight: 85, of: 'SIGKILL' },
  { weight: 8, of: 'SIGSTOP' },
  { weight: 5, of: 'redis' },
  { weight: 2, of: 'rabbitmq' },
] as const;

type Blow = (typeof SHARES)[number]['of'];

/** Between two blows at one daemon: some come while it is still at what the last one left. */
const [FROM_MS, TO_MS] = [300, 9_000];
/** Longer than a lock lasts. */
const [STILL_FROM_MS, STILL_TO_MS] = [5_500, 9_000];
const [AWAY_FROM_MS, AWAY_TO_MS] = [200, 4_000];

export class Fate {
  readonly #scene: Scene;
  readonly #most: number;
  readonly #away = new Set<Blow>();
  readonly kills: Record<Blow, number> = { SIGKILL: 0, SIGSTOP: 0, redis: 0, rabbitmq: 0 };
  /** From a SIGKILL until the daemon listens again, ms. */
  readonly recoveries: number[] = [];

  /** @param most blows in all */
  constructor(scene: Scene, most: number) {
    this.#scene = scene;
    this.#most = most;
  }

  get count(): number {
    return Object.values(this.kills).reduce((sum, count) => sum + count, 0);
  }

  /** Befalls one daemon again and again until the blows or the time are used up. */
  async run(member: Member, draw: Draw, signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(between(draw, FROM_MS, TO_MS), signal);
      if (signal.aborted || this.count >= this.#most) return;
      await this.#strike(member, pick(draw, SHARES), draw, signal);
    }
  }

  async #strike(member: Member, drawn: Blow, draw: Draw, signal: AbortSignal): Promise<void> {
    const blow = this.#away.has(drawn) ? 'SIGKILL' : drawn;
    this.kills[blow] += 1;
    if (blow === 'SIGKILL') this.recoveries.push(await member.die());
    else if (blow === 'SIGSTOP') await member.standStill(between(draw, STILL_FROM_MS, STILL_TO_MS), signal);
    else await this.#takeAway(blow, between(draw, AWAY_FROM_MS, AWAY_TO_MS), signal);
  }

  /** Killed, and back on what stands on its disk. */
  async #takeAway(blow: 'redis' | 'rabbitmq', ms: number, signal: AbortSignal): Promise<void> {
    const service = this.#scene[blow];
    this.#away.add(blow);
    await service.kill();
    await pause(ms, signal);
    await service.start();
    this.#away.delete(blow);
  }
}
