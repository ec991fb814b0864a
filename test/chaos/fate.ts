/** Injects faults into the daemons and their services, as the seed determines. */
import { type Member, pause } from './member.ts';
import { between, type Draw, pick } from './random.ts';
import type { Scene } from './scene.ts';

/** Faults with their weights. */
const OWN_FAULTS = [
  { weight: 80, of: 'SIGKILL' },
  { weight: 8, of: 'SIGSTOP' },
] as const;
const SERVICE_FAULTS = [
  { weight: 6, of: 'redis' },
  { weight: 4, of: 'mongodb' },
  { weight: 2, of: 'rabbitmq' },
] as const;

type Blow = (typeof OWN_FAULTS | typeof SERVICE_FAULTS)[number]['of'];

/** Pause between two faults of one daemon; some hit it while it still recovers from the last one. */
const [FROM_MS, TO_MS] = [300, 9_000];
/** The same of an embedded daemon, which is alone and starts faster. */
const EMBEDDED_TO_MS = 3_000;
/** Longer than the lifetime of a lock. */
const [STILL_FROM_MS, STILL_TO_MS] = [5_500, 9_000];
const [AWAY_FROM_MS, AWAY_TO_MS] = [200, 4_000];

export class Fate {
  readonly #scene: Scene;
  readonly #most: number;
  readonly #away = new Set<Blow>();
  readonly kills: Record<Blow, number> = { SIGKILL: 0, SIGSTOP: 0, redis: 0, mongodb: 0, rabbitmq: 0 };
  /** ms from each SIGKILL until the daemon listens again. */
  readonly recoveries: number[] = [];

  /** @param most maximum number of faults */
  constructor(scene: Scene, most: number) {
    this.#scene = scene;
    this.#most = most;
  }

  get count(): number {
    return Object.values(this.kills).reduce((sum, count) => sum + count, 0);
  }

  /** Injects faults into one daemon until a limit is reached. */
  async run(member: Member, draw: Draw, signal: AbortSignal): Promise<void> {
    const { services } = this.#scene;
    for (;;) {
      await pause(between(draw, FROM_MS, services === undefined ? EMBEDDED_TO_MS : TO_MS), signal);
      if (signal.aborted || this.count >= this.#most) return;
      const faults: { weight: number; of: Blow }[] = [...OWN_FAULTS, ...(services === undefined ? [] : SERVICE_FAULTS)];
      await this.#strike(member, pick(draw, faults), draw, signal);
    }
  }

  async #strike(member: Member, drawn: Blow, draw: Draw, signal: AbortSignal): Promise<void> {
    const blow = this.#away.has(drawn) ? 'SIGKILL' : drawn;
    this.kills[blow] += 1;
    if (blow === 'SIGKILL') this.recoveries.push(await member.die());
    else if (blow === 'SIGSTOP') await member.standStill(between(draw, STILL_FROM_MS, STILL_TO_MS), signal);
    else await this.#takeAway(blow, between(draw, AWAY_FROM_MS, AWAY_TO_MS), signal);
  }

  /** Kills a service and restarts it on its data. */
  async #takeAway(blow: 'redis' | 'mongodb' | 'rabbitmq', ms: number, signal: AbortSignal): Promise<void> {
    const service = this.#scene.services?.[blow];
    if (service === undefined) return;
    this.#away.add(blow);
    await service.kill();
    await pause(ms, signal);
    await service.start();
    this.#away.delete(blow);
  }
}
