/**
 * Delivery workers: each hook has one job in the queue, and the process that takes it makes the hook's due deliveries.
 * No hook thus waits for another.
 *
 * 1. The database says which deliveries are due; the job only schedules them. A worker ends when none is due, and
 *    leaves a delayed job that starts the worker again when the next is.
 * 2. An unreachable receiver gets a back-off that grows with each failure; then one delivery probes it.
 * 3. Saving the outcome of an attempt is retried until it succeeds: an outage of the store causes no duplicates.
 * 4. An attempt that is aborted because the daemon stops does not count: it is made again.
 * 5. Events of one workflow, or of one rollout, are delivered one at a time, in order: a failing delivery delays those behind it until it
 *    is delivered or abandoned. Other events are unordered.
 * 6. A process delivers to a hook only while it holds the hook's lease, which the hook's record stores. A job can reach a
 *    second process while the first still runs (its lock was lost, or it did not respond for a moment); the first then
 *    keeps the hook, and nothing is posted twice.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fieldLease, type Lease, unsharedLease } from '../../platform/cluster/leases.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Consumer, Queue } from '../../platform/queue/port.ts';
import type { Collection } from '../../platform/store/port.ts';
import { ReceiverConnections } from './connections.ts';
import { type AttemptOutcome, type Deliveries, type Delivery, isDue } from './deliveries.ts';
import { emailEvent } from './email-event.ts';
import { backoff, type HookLimits } from './hook-limits.ts';
import type { HooksPort } from './hooks-port.ts';
import { postEvent } from './post-event.ts';
import { HOOKS, type StoredHook } from './stored-hook.ts';

export interface HookJob {
  hook: string;
  /** The job only starts the delivery worker. */
  later?: true;
}

/** Concurrent requests to one receiver. */
const POSTS_CONCURRENCY = 8;
/** Deliveries after which the hook is read again. */
const DELIVERIES_PER_READ = 64;
/** The same in ms: shorter than the time after which an unresponsive process loses its hooks. */
const PAGE_MS = 2_000;
/** Below this delay the worker waits itself: a delayed job would arrive while it still runs, and be ignored. */
const SOON_MS = 250;
const SAVE_AGAIN_MS = 200;
const SAVE_AGAIN_MAX_MS = 5_000;

export class DeliveryWorkers {
  readonly #port: HooksPort;
  readonly #hooks: Collection<StoredHook>;
  readonly #deliveries: Deliveries;
  readonly #queue: Queue<HookJob>;
  readonly #limits: HookLimits;
  readonly #agents: ReceiverConnections;
  readonly #inHand = new Set<string>();
  readonly #closing = new AbortController();
  #toNudge = new Set<string>();
  #nudging: Promise<void> | undefined;
  #consumer: Consumer | undefined;
  #stopping = false;

  constructor(
    port: HooksPort,
    hooks: Collection<StoredHook>,
    deliveries: Deliveries,
    queue: Queue<HookJob>,
    limits: HookLimits,
  ) {
    // Each running request adds a listener, and removes it at its end.
    setMaxListeners(0, this.#closing.signal);
    this.#port = port;
    this.#hooks = hooks;
    this.#deliveries = deliveries;
    this.#queue = queue;
    this.#limits = limits;
    this.#agents = new ReceiverConnections(POSTS_CONCURRENCY, limits.attempt, port.egress);
  }

  start(): void {
    this.#consumer = this.#queue.consume((job) => this.#take(job), HOOKS);
  }

  /**
   * Schedules the hook's job because a delivery may be due. Not awaited: if it fails, the reconcile loop repeats it.
   */
  nudge(hook: string): void {
    if (this.#stopping) return;
    this.#toNudge.add(hook);
    this.#nudging ??= this.#nudge();
  }

  async #nudge(): Promise<void> {
    while (this.#toNudge.size > 0) {
      const hooks = [...this.#toNudge];
      this.#toNudge = new Set();
      await this.#queue.add(hooks.map((hook) => ({ id: hook, data: { hook } }))).catch(this.#port.failed);
    }
    this.#nudging = undefined;
  }

  /** Closes the connections of other hooks. @param ids all existing hooks */
  tidy(ids: readonly string[]): void {
    this.#agents.keep(new Set([...ids, ...this.#inHand]));
  }

  async #take({ hook: id, later }: HookJob): Promise<void> {
    if (later) return this.nudge(id);
    if (this.#stopping || this.#inHand.has(id)) return;
    this.#inHand.add(id);
    try {
      const { cluster } = this.#port;
      const record = cluster.singleNode ? unsharedLease() : fieldLease(this.#hooks, id);
      const lease = await cluster.leases.acquireOn(record, { from: 'gone', signal: this.#closing.signal });
      if (lease !== undefined) await this.#deliverUnder(lease, id);
      else if ((await this.#hooks.get(id)) === undefined) await this.#deliveries.forget(id);
    } finally {
      this.#inHand.delete(id);
    }
  }

  async #deliverUnder(lease: Lease, id: string): Promise<void> {
    try {
      await this.#work(lease, id, this.#closing.signal);
    } finally {
      await this.#trySave(() => lease.release());
    }
  }

  async #work(lease: Lease, id: string, signal: AbortSignal): Promise<void> {
    const deliveries = this.#deliveries;
    while (!this.#stopping) {
      const isOurs = await lease.renew();
      const hook = await this.#hooks.get(id);
      if (hook === undefined) return deliveries.forget(id);
      if (!isOurs) return;
      const page =
        backoffLeft(hook) > 0 ? [] : await deliveries.dueDeliveries(id, hook.misses > 0 ? 1 : DELIVERIES_PER_READ);
      if (page.length > 0) {
        if (!(await this.#page(hook, page, signal))) return;
      } else if (!(await this.#wait(hook, signal))) return;
    }
  }

  /** @returns false when the worker ends here */
  async #wait(hook: StoredHook, signal: AbortSignal): Promise<boolean> {
    const nextIn = await this.#deliveries.nextIn(hook.id);
    if (nextIn === undefined) return false;
    const delayMs = Math.max(nextIn, backoffLeft(hook));
    if (delayMs <= SOON_MS) {
      await setTimeout(delayMs, undefined, { signal }).catch(() => {});
      return true;
    }
    await this.#queue.add([{ id: `${hook.id}.later`, data: { hook: hook.id, later: true }, delayMs }]);
    return false;
  }

  /** Delivers concurrently until the receiver turns out to be unreachable. @returns false after an internal error */
  async #page(hook: StoredHook, page: readonly Delivery[], signal: AbortSignal): Promise<boolean> {
    const left = chainsOf(page);
    const seen = { away: false, there: false, amiss: false };
    const until = performance.now() + PAGE_MS;
    const chain = async () => {
      const goesOn = () => !seen.away && !seen.amiss && !this.#stopping && performance.now() < until;
      while (goesOn()) {
        const first = left.shift();
        if (first === undefined) return;
        await this.#chain(first, async (delivery) => {
          const outcome = goesOn() ? await this.#deliver(hook, delivery, signal) : undefined;
          if (outcome?.away) seen.away = true;
          else if (outcome !== undefined) seen.there = true;
          return outcome?.error === null;
        });
      }
    };
    const safely = () =>
      chain().catch((error) => {
        seen.amiss = true;
        this.#port.failed(error);
      });
    await Promise.all(Array.from({ length: Math.min(POSTS_CONCURRENCY, page.length) }, safely));
    if (seen.away) await this.#backOff(hook);
    else if (seen.there && hook.misses > 0) await this.#set(hook, { misses: 0, retryAt: null });
    return !seen.amiss;
  }

  /**
   * Delivers the waiting events of one workflow, one after the other, until one is not due or fails.
   * @param deliver returns whether the receiver accepted the event
   */
  async #chain(first: Delivery, deliver: (delivery: Delivery) => Promise<boolean>): Promise<void> {
    const deliveries = this.#deliveries;
    const chain = await deliveries.chain(first, DELIVERIES_PER_READ);
    for (const delivery of chain) {
      if (isDue(delivery) && (await deliver(delivery))) continue;
      return deliveries.holdBack(await deliveries.chain(first, DELIVERIES_PER_READ));
    }
  }

  async #backOff(hook: StoredHook): Promise<void> {
    const { firstWait, maxBackoff } = this.#limits;
    const misses = hook.misses + 1;
    const retryAt = new Date(now() + backoff(misses, firstWait, maxBackoff)).toISOString();
    await this.#set(hook, { misses, retryAt });
  }

  /** Applies only while the hook has this url: a new one starts without back-off. */
  async #set({ id, address }: StoredHook, change: Pick<StoredHook, 'misses' | 'retryAt'>): Promise<void> {
    await this.#hooks.update({ id, address }, { $set: { ...change } });
  }

  /** @returns undefined when no attempt was made */
  async #deliver(hook: StoredHook, delivery: Delivery, signal: AbortSignal): Promise<AttemptOutcome | undefined> {
    try {
      const outcome = await this.#attempt(hook, delivery, signal);
      await this.#trySave(async () => this.#port.count(await this.#deliveries.record(delivery, outcome)));
      return outcome;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #attempt(hook: StoredHook, { event, traceparent }: Delivery, signal: AbortSignal): Promise<AttemptOutcome> {
    const { encrypt, vault, egress } = this.#port;
    const url = vault.decrypt(hook.address).value;
    const secret = hook.secret === null ? undefined : String(encrypt.decrypt(hook.secret));
    const sending = { url, event, secret, egress, limitMs: this.#limits.attempt, signal };
    const format = hook.format ?? null;
    if (format === 'mail') return emailEvent({ ...sending, trust: hook });
    return postEvent({ ...sending, traceparent, format, dispatcher: await this.#agents.of(hook) });
  }

  /** Retries a save until it succeeds or the daemon stops. */
  async #trySave(save: () => Promise<void>): Promise<void> {
    for (let waitMs = SAVE_AGAIN_MS; ; waitMs = Math.min(2 * waitMs, SAVE_AGAIN_MAX_MS)) {
      try {
        return await save();
      } catch (error) {
        this.#port.failed(error);
        if (this.#closing.signal.aborted) throw error;
        await setTimeout(waitMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }

  /** Starts no more attempts. @param timeoutMs timeout for running attempts */
  async close(timeoutMs: number): Promise<void> {
    this.#stopping = true;
    const timer = globalThis.setTimeout(() => this.#closing.abort(), timeoutMs);
    await this.#consumer?.close();
    clearTimeout(timer);
    this.#closing.abort();
    await this.#nudging;
    await this.#agents.close();
  }
}

/** Returns the first delivery of each workflow, and all unordered ones. */
function chainsOf(page: readonly Delivery[]): Delivery[] {
  const workflows = new Set<string>();
  return page.filter(({ order = null, typeId }) => {
    if (order === null) return true;
    const isFirst = !workflows.has(typeId);
    workflows.add(typeId);
    return isFirst;
  });
}

/** Returns the remaining ms of the receiver's back-off. */
const backoffLeft = ({ retryAt }: StoredHook): number => (retryAt === null ? 0 : Date.parse(retryAt) - now());
