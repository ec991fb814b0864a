/**
 * Lanes: each hook has one job in the queue, whoever takes it works off what is due of that hook. So no hook waits for
 * another. That two processes do not send to the same one is the business of `claims.ts`.
 *
 * 1. Rows say what is due; the job only says who sees to it. A lane ends when nothing is due, and leaves a second job
 *    that comes when the next is, and makes the lane again.
 * 2. A receiver that is not there is left alone for a while, longer each time; then one delivery tries how it is.
 * 3. What came of an attempt is told until it is saved: a store that is away makes no copies.
 * 4. An attempt that is broken off because the daemon stops is none: it is made again.
 * 5. Events of one workflow go one after the other, in their order: a delivery that fails holds back those behind it until
 *    it is delivered or given up. Other events have no order.
 * 6. A lane goes on without its job's lock, as long as the hook is this process's.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Consumer, Queue } from '../queue/port.ts';
import { now } from '../runtime/clock.ts';
import type { Seal } from '../secrets.ts';
import type { Collection } from '../store/port.ts';
import type { Vault } from '../vault.ts';
import { Agents } from './agents.ts';
import type { Claims } from './claims.ts';
import { type Deliveries, type Delivery, isDue, type Outcome, type Result } from './deliveries.ts';
import { backoff, type HookLimits } from './limits.ts';
import { HOOKS, type StoredHook } from './record.ts';
import { send } from './send.ts';

export interface HookJob {
  hook: string;
  /** It only makes the lane. */
  later?: true;
}

export interface LanesPort {
  hooks: Collection<StoredHook>;
  claims: Claims;
  deliveries: Deliveries;
  queue: Queue<HookJob>;
  seal: Seal;
  vault: Vault;
  limits: HookLimits;
  /** Told of what came of each attempt. */
  count(result: Result): void;
  failed(error: unknown): void;
}

/** Requests at once to one receiver. */
const AT_ONCE = 8;
/** Deliveries until it is looked again what has become of the hook. */
const PAGE = 64;
/** The same in ms: shorter than it takes until a process that stands still has lost its hooks. */
const PAGE_MS = 2_000;
/** A second job would come while the lane is still in hand, and make none. */
const SOON_MS = 250;
const SAVE_AGAIN_MS = 200;
const SAVE_AGAIN_MAX_MS = 5_000;

export class Lanes {
  readonly #port: LanesPort;
  readonly #agents: Agents;
  readonly #inHand = new Set<string>();
  readonly #closing = new AbortController();
  #toNudge = new Set<string>();
  #nudging: Promise<void> | undefined;
  #consumer: Consumer | undefined;
  #stopping = false;

  constructor(port: LanesPort) {
    // One listener for each request under way, and they take it off again.
    setMaxListeners(0, this.#closing.signal);
    this.#port = port;
    this.#agents = new Agents(AT_ONCE, port.limits.attempt);
  }

  start(): void {
    this.#consumer = this.#port.queue.consume((job) => this.#take(job), HOOKS);
  }

  /** Something may be due. Nobody waits for it: should the job not come about, a round makes it. */
  nudge(hook: string): void {
    if (this.#stopping) return;
    this.#toNudge.add(hook);
    this.#nudging ??= this.#nudge();
  }

  async #nudge(): Promise<void> {
    while (this.#toNudge.size > 0) {
      const hooks = [...this.#toNudge];
      this.#toNudge = new Set();
      await this.#port.queue.add(hooks.map((hook) => ({ id: hook, data: { hook } }))).catch(this.#port.failed);
    }
    this.#nudging = undefined;
  }

  /** @param ids the hooks that there are */
  tidy(ids: readonly string[]): void {
    this.#agents.keep(new Set([...ids, ...this.#inHand]));
  }

  async #take({ hook: id, later }: HookJob): Promise<void> {
    if (later) return this.nudge(id);
    if (this.#stopping || this.#inHand.has(id)) return;
    this.#inHand.add(id);
    try {
      const { hooks, claims, deliveries } = this.#port;
      const hook = await hooks.get(id);
      if (hook === undefined) await deliveries.forget(id);
      else if (await claims.take(hook, this.#closing.signal)) await this.#claimed(id);
    } finally {
      this.#inHand.delete(id);
    }
  }

  async #claimed(id: string): Promise<void> {
    try {
      await this.#work(id, this.#closing.signal);
    } finally {
      await this.#saved(() => this.#port.claims.give(id));
    }
  }

  async #work(id: string, signal: AbortSignal): Promise<void> {
    const { hooks, claims, deliveries } = this.#port;
    while (!this.#stopping) {
      const hook = await hooks.get(id);
      if (hook === undefined) return deliveries.forget(id);
      if (!claims.holds(hook)) return;
      const page = restOf(hook) > 0 ? [] : await deliveries.due(id, hook.misses > 0 ? 1 : PAGE);
      if (page.length > 0) {
        if (!(await this.#page(hook, page, signal))) return;
      } else if (!(await this.#wait(hook, signal))) return;
    }
  }

  /** @returns false: the lane ends here */
  async #wait(hook: StoredHook, signal: AbortSignal): Promise<boolean> {
    const nextIn = await this.#port.deliveries.nextIn(hook.id);
    if (nextIn === undefined) return false;
    const delayMs = Math.max(nextIn, restOf(hook));
    if (delayMs <= SOON_MS) {
      await setTimeout(delayMs, undefined, { signal }).catch(() => {});
      return true;
    }
    await this.#port.queue.add([{ id: `${hook.id}.later`, data: { hook: hook.id, later: true }, delayMs }]);
    return false;
  }

  /** Several side by side, until one finds the receiver away. @returns false: something of ours is amiss */
  async #page(hook: StoredHook, page: readonly Delivery[], signal: AbortSignal): Promise<boolean> {
    const left = chainsOf(page);
    const seen = { away: false, there: false, amiss: false };
    const until = performance.now() + PAGE_MS;
    const chain = async () => {
      const goesOn = () => !seen.away && !seen.amiss && !this.#stopping && performance.now() < until;
      while (left.length > 0 && goesOn()) {
        await this.#chain(left.shift() as Delivery, async (delivery) => {
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
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, page.length) }, safely));
    if (seen.away) await this.#rest(hook);
    else if (seen.there && hook.misses > 0) await this.#set(hook, { misses: 0, restsUntil: null });
    return !seen.amiss;
  }

  /**
   * Delivers what waits of one workflow, one after the other, until one is not due or not delivered.
   * @param deliver returns whether the receiver has it
   */
  async #chain(first: Delivery, deliver: (delivery: Delivery) => Promise<boolean>): Promise<void> {
    const { deliveries } = this.#port;
    const chain = await deliveries.chain(first, PAGE);
    for (const delivery of chain) {
      if (isDue(delivery) && (await deliver(delivery))) continue;
      return deliveries.holdBack(await deliveries.chain(first, PAGE));
    }
  }

  async #rest(hook: StoredHook): Promise<void> {
    const { firstWait, maxRest } = this.#port.limits;
    const misses = hook.misses + 1;
    const restsUntil = new Date(now() + backoff(misses, firstWait, maxRest)).toISOString();
    await this.#set(hook, { misses, restsUntil });
  }

  /** Of the url that it was found out of: a new one starts anew. */
  async #set({ id, address }: StoredHook, change: Pick<StoredHook, 'misses' | 'restsUntil'>): Promise<void> {
    await this.#port.hooks.update({ id, address }, { $set: { ...change } });
  }

  /** @returns undefined: there was no attempt */
  async #deliver(hook: StoredHook, delivery: Delivery, signal: AbortSignal): Promise<Outcome | undefined> {
    const { deliveries, seal, vault, limits, count } = this.#port;
    try {
      const outcome = await send({
        url: vault.open(hook.address).value,
        event: delivery.event,
        secret: hook.secret === null ? undefined : String(seal.open(hook.secret)),
        dispatcher: this.#agents.of(hook),
        limitMs: limits.attempt,
        signal,
      });
      await this.#saved(async () => count(await deliveries.record(delivery, outcome)));
      return outcome;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** Told again until it is, or the daemon stops. */
  async #saved(save: () => Promise<void>): Promise<void> {
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

  /** @param patienceMs for attempts in hand; no more are begun */
  async close(patienceMs: number): Promise<void> {
    this.#stopping = true;
    const timer = globalThis.setTimeout(() => this.#closing.abort(), patienceMs);
    await this.#consumer?.close();
    clearTimeout(timer);
    this.#closing.abort();
    await this.#nudging;
    await this.#agents.close();
  }
}

/** One delivery of each workflow, and all that are of none. */
function chainsOf(page: readonly Delivery[]): Delivery[] {
  const workflows = new Set<string>();
  return page.filter(({ order = null, typeId }) => {
    if (order === null) return true;
    const isFirst = !workflows.has(typeId);
    workflows.add(typeId);
    return isFirst;
  });
}

/** ms for which the receiver is still left alone. */
const restOf = ({ restsUntil }: StoredHook): number => (restsUntil === null ? 0 : Date.parse(restsUntil) - now());
