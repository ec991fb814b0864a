/**
 * Reconcile loop: every few seconds, the lease holder looks for hooks with due deliveries and schedules their jobs, in
 * case no process works on them; less often, it abandons deliveries that are too old or too many.
 */
import type { Leases } from '../cluster/leases.ts';
import type { Collection } from '../store/port.ts';
import type { Deliveries } from './deliveries.ts';
import type { DeliveryWorkers } from './delivery-workers.ts';
import type { KnownHooks } from './known.ts';
import { HOOKS_READ, type StoredHook } from './record.ts';

export interface RoundsPort {
  known: KnownHooks;
  hooks: Collection<StoredHook>;
  deliveries: Deliveries;
  workers: DeliveryWorkers;
  leases: Leases;
  everyMs: number;
  count(result: 'failed', times: number): void;
  failed(error: unknown): void;
}

const TRIM_ROUNDS = 15;
/** Hooks checked concurrently. */
const AT_ONCE = 20;

export class Rounds {
  readonly #port: RoundsPort;
  #timer: NodeJS.Timeout | undefined;
  #round = 0;
  #pass: Promise<void> | undefined;

  constructor(port: RoundsPort) {
    this.#port = port;
  }

  start(): void {
    this.#next();
    this.#timer = setInterval(() => this.#next(), this.#port.everyMs);
  }

  /** Starts a pass unless one is still running. */
  #next(): void {
    this.#pass ??= this.#run()
      .catch(this.#port.failed)
      .finally(() => {
        this.#pass = undefined;
      });
  }

  async #run(): Promise<void> {
    const { known, hooks, workers, leases } = this.#port;
    workers.tidy(known.all.map(({ id }) => id));
    if (known.all.length === 0 || !(await leases.take('hooks'))) return;
    const trims = this.#round % TRIM_ROUNDS === 0;
    this.#round += 1;
    const all = await hooks.find({}, { limit: HOOKS_READ });
    for (let from = 0; from < all.length; from += AT_ONCE) {
      await Promise.all(all.slice(from, from + AT_ONCE).map((hook) => this.#see(hook, trims)));
    }
  }

  async #see({ id, restsUntil }: StoredHook, trims: boolean): Promise<void> {
    const { deliveries, workers, count } = this.#port;
    const rests = restsUntil !== null && Date.parse(restsUntil) > Date.now();
    if (!rests && (await deliveries.due(id, 1)).length > 0) workers.nudge(id);
    if (!trims) return;
    const given = await deliveries.trim(id);
    if (given > 0) count('failed', given);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pass;
  }
}
