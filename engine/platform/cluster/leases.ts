/**
 * Leases: the right of one process to do something for all. A record names the holder, and changes by compare-and-set
 * only. It is in Redis (`redis-cluster.ts`), or a field of the document of something that has an owner.
 *
 * 1. A lease has no time of its own: it is held while its owner sends heartbeats (`membership.ts`), until it is
 *    released.
 * 2. A lease is taken over from an owner that is `silent` if the work under it is harmless to repeat: two processes may
 *    briefly both believe that they hold it. Otherwise it is taken over once the owner is `gone`, which takes longer.
 * 3. An owner that was believed dead learns of it when it renews the lease: its signal is aborted.
 * 4. The holder is the process and a token, which is new each time a lease is acquired: a late release, also of the same
 *    process, releases no later lease.
 * 5. A lease that the process does not use any more, but whose record still names it, is released with a heartbeat
 *    (`releaseUnused`): the release failed, or Redis lost it.
 * 6. Periodic passes ask seldom who holds their lease: for a second after a heartbeat, its answer names what this process holds,
 *    and another holder is remembered for a minute, or until it is silent.
 *
 * If the process dies
 * - before the record names it: nothing was changed;
 * - after that, before the work, in the work, or before the release: the record names a dead owner, and the next
 *   process that asks takes the lease over. The work has its own records of what is left;
 * - in the release: the record names it or no process. The former is the case before.
 */
import { randomUUID } from 'node:crypto';
import type { Collection, Document } from '../store/port.ts';

/** Where the holder of a lease is stored. */
export interface LeaseRecord {
  /** @returns null: none; undefined: the record is gone, and nothing can hold it */
  holder(): Promise<string | null | undefined>;
  /** Compare-and-set. @returns whether it was written */
  change(from: string | null, to: string | null): Promise<boolean>;
}

/** Returns the id of the process that a holder is or was. */
export const ownerOf = (holder: string): string => holder.split(' ', 1)[0] as string;

export interface AcquireOptions {
  /** When the lease of another process may be taken over. */
  from: 'silent' | 'gone';
  signal?: AbortSignal;
  /** Called before the lease of a dead owner is taken over. @returns false: it is not */
  recover?(): Promise<boolean>;
}

/** The view that leases have of the other processes (`Presence`). */
export interface Liveness {
  /** Whether a process has sent heartbeats lately. @throws UNAVAILABLE when it cannot be determined */
  isHeard(id: string): Promise<boolean>;
  /** Takes up to seconds. @throws when it cannot be determined */
  isAlive(id: string, signal: AbortSignal): Promise<boolean>;
  /** Returns the holder of a lease if it is this process, and a heartbeat has just said so. Absent: no heartbeat does. */
  heldHere?(name: string): string | undefined;
}

/** How long the holder of a lease is remembered that is another process. */
const REMEMBERED_MS = 60_000;

/** The record of a lease for periodic passes (rule 6). */
class PassRecord implements LeaseRecord {
  readonly #record: LeaseRecord;
  readonly #heldHere: () => string | undefined;
  readonly #isOther: (holder: string) => boolean;
  #other: { holder: string; until: number } | undefined;

  constructor(record: LeaseRecord, heldHere: () => string | undefined, isOther: (holder: string) => boolean) {
    this.#record = record;
    this.#heldHere = heldHere;
    this.#isOther = isOther;
  }

  async holder(): Promise<string | null | undefined> {
    const heldHere = this.#heldHere();
    if (heldHere !== undefined) return heldHere;
    if (this.#other !== undefined && performance.now() < this.#other.until) return this.#other.holder;
    const holder = await this.#record.holder();
    const isOther = typeof holder === 'string' && this.#isOther(holder);
    this.#other = isOther ? { holder, until: performance.now() + REMEMBERED_MS } : undefined;
    return holder;
  }

  change(from: string | null, to: string | null): Promise<boolean> {
    this.#other = undefined;
    return this.#record.change(from, to);
  }
}

export class Lease {
  readonly #record: LeaseRecord;
  readonly #holder: string;
  readonly #lost = new AbortController();

  constructor(record: LeaseRecord, holder: string) {
    this.#record = record;
    this.#holder = holder;
  }

  /** Aborted once the lease is known to be lost, or released. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** @returns whether this process still holds it. @throws UNAVAILABLE: it is unknown */
  async renew(): Promise<boolean> {
    if (!this.#lost.signal.aborted && (await this.#record.holder()) !== this.#holder) this.#lost.abort();
    return !this.#lost.signal.aborted;
  }

  /** Harmless if the lease is lost. */
  async release(): Promise<void> {
    this.#lost.abort();
    await this.#record.change(this.#holder, null);
  }
}

export class Leases {
  readonly #recordOf: (name: string) => LeaseRecord;
  readonly #id: string;
  readonly #others: Liveness;
  /** The holders of leases that this process is acquiring or uses. */
  readonly #used = new Set<string>();
  /** By the name of a lease. */
  readonly #passRecords = new Map<string, PassRecord>();

  /** @param recordOf returns the record of a lease without a document of its own */
  constructor(recordOf: (name: string) => LeaseRecord, id: string, others: Liveness) {
    this.#recordOf = recordOf;
    this.#id = id;
    this.#others = others;
  }

  /** For work that is harmless to repeat. @returns undefined while another process holds it. @throws UNAVAILABLE */
  acquire(name: string): Promise<Lease | undefined> {
    return this.#acquireUsed(this.#recordOf(name));
  }

  /** Like `acquire`, for periodic passes. */
  acquireForPasses(name: string): Promise<Lease | undefined> {
    const record =
      this.#passRecords.get(name) ??
      new PassRecord(
        this.#recordOf(name),
        () => this.#others.heldHere?.(name),
        (holder) => ownerOf(holder) !== this.#id,
      );
    this.#passRecords.set(name, record);
    return this.#acquireUsed(record);
  }

  async #acquireUsed(record: LeaseRecord): Promise<Lease | undefined> {
    const holder = this.#newHolder();
    this.#used.add(holder);
    let lease: Lease | undefined;
    try {
      lease = await this.#acquire(record, { from: 'silent' }, holder);
    } finally {
      if (lease === undefined) this.#used.delete(holder);
      else lease.signal.addEventListener('abort', () => this.#used.delete(holder), { once: true });
    }
    return lease;
  }

  /** Like `acquire`, for the owner of something that has a document. @throws as `Liveness.alive` */
  acquireOn(record: LeaseRecord, options: AcquireOptions): Promise<Lease | undefined> {
    return this.#acquire(record, options, this.#newHolder());
  }

  #newHolder(): string {
    return `${this.#id} ${randomUUID()}`;
  }

  async #acquire(record: LeaseRecord, options: AcquireOptions, next: string): Promise<Lease | undefined> {
    const holder = await record.holder();
    if (holder === undefined) return undefined;
    if (!((await this.#isFree(holder, options)) && (await record.change(holder, next)))) return undefined;
    return new Lease(record, next);
  }

  async #isFree(holder: string | null, { from, signal, recover }: AcquireOptions): Promise<boolean> {
    if (holder === null) return true;
    const owner = ownerOf(holder);
    if (owner === this.#id) return true;
    const { isHeard: heard, isAlive: alive } = this.#others;
    const isAlive = await (from === 'silent' ? heard(owner) : alive(owner, signal ?? new AbortController().signal));
    return !isAlive && ((await recover?.()) ?? true);
  }

  /** @param held names of leases, and their holders, which are this process */
  async releaseUnused(held: ReadonlyMap<string, string>): Promise<void> {
    for (const [name, holder] of held) if (!this.#used.has(holder)) await this.#recordOf(name).change(holder, null);
  }
}

/** The lease of something that has a document, whose field `by` names the holder. */
export function fieldLease<T extends Document & { by: string | null }>(stored: Collection<T>, id: string): LeaseRecord {
  return {
    holder: async () => (await stored.get(id))?.by,
    change: async (from, to) => (await stored.update({ id, by: from }, { $set: { by: to } })) !== undefined,
  };
}

/** A lease that no other process can hold, because there is none. */
export function unsharedLease(): LeaseRecord {
  let holder: string | null = null;
  return {
    holder: async () => holder,
    async change(from, to) {
      if (holder !== from) return false;
      holder = to;
      return true;
    },
  };
}
