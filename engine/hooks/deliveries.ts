/**
 * Deliveries: each event on its way to each hook that wants it, and the log of those that ended. A delivery's id is made
 * from both, so however often an event is handed over, it is delivered once.
 */
import type { DeliveryRecord } from '../api-port/hooks.ts';
import type { EventPayload } from '../define/event.ts';
import { now } from '../runtime/clock.ts';
import { batch } from '../store/batch.ts';
import type { Collection, CollectionSpec, Filter, Versioned } from '../store/port.ts';
import { backoff, type HookLimits } from './limits.ts';

export interface Delivery extends DeliveryRecord, Versioned {
  event: EventPayload;
  /** While it waits: hook and next attempt, so that one index finds in order what is due of a hook. */
  due: string | null;
  /** While it waits: hook, workflow and the event's number in it; null or absent: the event has no place in an order. */
  order?: string | null;
  /** When it has ended: hook and time. */
  ended: string | null;
}

export const deliverySpec: CollectionSpec = {
  name: 'deliveries',
  indexes: {
    ...{ hook: 'text', state: 'text', createdAt: 'text', due: 'text', order: 'text', ended: 'text' },
    ...{ eventId: 'text', type: 'text', action: 'text', typeId: 'text', nodeId: 'text' },
  },
};

/** What came of an attempt. */
export interface Outcome {
  /** The receiver's; null: it gave none. */
  status: number | null;
  /** null: delivered. */
  error: string | null;
  /** The receiver is not there, or overloaded: other deliveries would fare no better. */
  away: boolean;
}

export type Result = 'delivered' | 'retried' | 'failed';

const PAGE = 200;
const iso = (ms: number): string => new Date(ms).toISOString();
const key = (hook: string, at: string): string => `${hook} ${at}`;
/** Texts that begin with the hook. `!` comes after the space. */
const ofHook = (hook: string) => ({ $gte: `${hook} `, $lt: `${hook}!` });

const DIGITS = 12;
const orderOf = (hook: string, { typeId, n }: EventPayload): string | null =>
  n === undefined ? null : `${hook} ${typeId} ${String(n).padStart(DIGITS, '0')}`;
const ofWorkflow = (hook: string, workflow: string) => ofHook(`${hook} ${workflow}`);

/** Its time has come. */
export const isDue = ({ hook, due }: Delivery): boolean => due !== null && due <= key(hook, iso(now()));

export class Deliveries {
  readonly #stored: Collection<Delivery>;
  readonly #limits: HookLimits;
  readonly #insert: (delivery: Delivery) => Promise<boolean>;
  readonly #replace: (delivery: Delivery) => Promise<boolean>;

  constructor(stored: Collection<Delivery>, limits: HookLimits) {
    this.#stored = stored;
    this.#limits = limits;
    this.#insert = batch((deliveries) => stored.insertMissing(deliveries));
    this.#replace = batch((deliveries) => stored.replace(deliveries));
  }

  /** Resolves when it cannot be lost any more. */
  async add(hook: string, event: EventPayload): Promise<void> {
    const { id: eventId, type, action, typeId, nodeId } = event;
    const at = iso(now());
    await this.#insert({
      ...{ id: `${hook}.${eventId}`, version: 1, hook, state: 'waiting', eventId, type, action, typeId, nodeId, event },
      ...{ attempts: 0, nextAttemptAt: at, status: null, error: null, createdAt: at, updatedAt: at },
      due: key(hook, at),
      order: orderOf(hook, event),
      ended: null,
    });
  }

  /** The first of those that wait of the delivery's workflow, in order; the delivery alone when it has no place in one. */
  async chain(delivery: Delivery, limit: number): Promise<Delivery[]> {
    const { hook, typeId, order = null } = delivery;
    if (order === null) return [delivery];
    return this.#stored.find({ order: ofWorkflow(hook, typeId) }, { sort: { order: 1 }, limit });
  }

  /** Lets the rest of a chain wait for its first, which waits itself. */
  async holdBack([first, ...rest]: readonly Delivery[]): Promise<void> {
    const { due, nextAttemptAt } = first ?? { due: null, nextAttemptAt: null };
    if (due === null) return;
    const early = rest.filter((delivery) => delivery.due !== null && delivery.due < due);
    await Promise.all(early.map((delivery) => this.#change(delivery, { due, nextAttemptAt })));
  }

  /** Those whose time has come, the longest due first. */
  due(hook: string, limit: number): Promise<Delivery[]> {
    const due = { $gte: `${hook} `, $lte: key(hook, iso(now())) };
    return this.#stored.find({ due }, { sort: { due: 1 }, limit });
  }

  /** @returns ms until the next is due; undefined: none waits */
  async nextIn(hook: string): Promise<number | undefined> {
    const [next] = await this.#stored.find({ due: ofHook(hook) }, { sort: { due: 1 }, limit: 1 });
    return next && Math.max(0, Date.parse(next.nextAttemptAt ?? '') - now());
  }

  /** Writes down what came of an attempt. */
  async record(delivery: Delivery, { status, error }: Outcome): Promise<Result> {
    const { hook, attempts, createdAt } = delivery;
    const tried = { attempts: attempts + 1, status, error };
    if (error === null) return this.#end(delivery, 'delivered', tried);
    const next = now() + backoff(tried.attempts, this.#limits.firstWait, this.#limits.maxWait);
    if (next > Date.parse(createdAt) + this.#limits.giveUp) return this.#end(delivery, 'failed', tried);
    const nextAttemptAt = iso(next);
    await this.#change(delivery, { ...tried, nextAttemptAt, due: key(hook, nextAttemptAt), updatedAt: iso(now()) });
    return 'retried';
  }

  async #end<R extends 'delivered' | 'failed'>(of: Delivery, state: R, change: Partial<Delivery>): Promise<R> {
    const at = iso(now());
    const ended = { nextAttemptAt: null, due: null, order: null, ended: key(of.hook, at), updatedAt: at };
    await this.#change(of, { ...change, state, ...ended });
    return state;
  }

  /** One that was changed or removed meanwhile stays as it is. */
  async #change(delivery: Delivery, change: Partial<Delivery>): Promise<void> {
    await this.#replace({ ...delivery, ...change, version: delivery.version + 1 });
  }

  async forget(hook: string): Promise<void> {
    await this.#stored.remove({ hook });
  }

  /** Ends what is too old or too much, and forgets what ended long ago. @returns how many were given up */
  async trim(hook: string): Promise<number> {
    const { giveUp, maxWaiting, maxEnded } = this.#limits;
    const old = { hook, state: 'waiting', createdAt: { $lte: iso(now() - giveUp) } };
    let given = await this.#giveUp(old, Number.POSITIVE_INFINITY, 'it could not be delivered in time');
    const over = (await this.#stored.count({ due: ofHook(hook) })) - maxWaiting;
    given += await this.#giveUp({ hook, state: 'waiting' }, over, `more than ${maxWaiting} were waiting`);
    await this.#forgetEnded(hook, maxEnded);
    return given;
  }

  async #giveUp(filter: Filter, count: number, error: string): Promise<number> {
    let given = 0;
    while (given < count) {
      const limit = Math.min(PAGE, count - given);
      const page = await this.#stored.find(filter, { sort: { createdAt: 1 }, limit });
      await Promise.all(page.map((delivery) => this.#end(delivery, 'failed', { error })));
      given += page.length;
      if (page.length < limit) break;
    }
    return given;
  }

  async #forgetEnded(hook: string, kept: number): Promise<void> {
    for (let over = PAGE; over === PAGE; ) {
      const page = await this.#stored.find({ ended: ofHook(hook) }, { sort: { ended: -1 }, skip: kept, limit: PAGE });
      over = page.length;
      if (over > 0) await this.#stored.remove({ id: { $in: page.map(({ id }) => id) } });
    }
  }
}
