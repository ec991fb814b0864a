/**
 * Changes that run one at a time across all processes. Within this process they wait for each other, beside others for the lease.
 */
import { setTimeout } from 'node:timers/promises';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { Lease, Leases } from './leases.ts';

const LOCK_TIMEOUT_MS = 4_000;
const INTERVAL_MS = 50;

export class SerializedChanges {
  readonly #leases: Leases;
  readonly #lease: string;
  readonly #what: string;
  #last: Promise<unknown> = Promise.resolve();

  /** @param lease its name @param what is changed, for the error */
  constructor(leases: Leases, lease: string, what: string) {
    this.#leases = leases;
    this.#lease = lease;
    this.#what = what;
  }

  /** @param change renews the lease before a write that no other process may make at the same time */
  run<T>(change: (lease: Lease) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#runAlone(change));
    this.#last = result.catch(() => {});
    return result;
  }

  /** @throws NodewrightError UNAVAILABLE: the lease is lost, or unknown */
  async renew(lease: Lease): Promise<void> {
    if (!(await lease.renew())) throw this.#busy();
  }

  /** @throws NodewrightError UNAVAILABLE */
  async #runAlone<T>(change: (lease: Lease) => Promise<T>): Promise<T> {
    const until = performance.now() + LOCK_TIMEOUT_MS;
    let lease = await this.#leases.acquire(this.#lease);
    for (; lease === undefined; lease = await this.#leases.acquire(this.#lease)) {
      if (performance.now() > until) throw this.#busy();
      await setTimeout(INTERVAL_MS);
    }
    try {
      return await change(lease);
    } finally {
      // If this fails, the next heartbeat releases it.
      await lease.release().catch(() => {});
    }
  }

  #busy(): NodewrightError {
    return new NodewrightError('UNAVAILABLE', `another change to ${this.#what} is in progress; try again`);
  }
}
