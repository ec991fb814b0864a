/**
 * Deliveries: each event pending for each hook that selects it, and the log of those that ended. A delivery's id is
 * derived from both, so an event that is passed repeatedly is delivered once.
 */
import { randomUUID } from 'node:crypto';
import type { DeliveryRecord } from '../../api-port/hooks.ts';
import { batch } from '../../platform/lib/batch.ts';
import { now } from '../../platform/lib/clock.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import type { Collection, CollectionSpec, Filter, VersionedDocument } from '../../platform/store/port.ts';
import type { EventPayload } from '../../vocabulary/event.ts';
import { backoff, type HookLimits } from './hook-limits.ts';

export interface Delivery extends DeliveryRecord, VersionedDocument {
  event: EventPayload;
  /** Events of workflows only: sent as a header. */
  traceparent?: string;
  /** While waiting: hook and time of the next attempt, so that one index finds a hook's due deliveries in order. */
  due: string | null;
  /** While waiting: hook, workflow and the event's number in it; null or absent: the event is not ordered. */
  order?: string | null;
  /** After the end: hook and time. */
  ended: string | null;
}

/** An event, and the header by which its receiver continues its trace. */
export type TracedEvent = Pick<Delivery, 'event' | 'traceparent'>;

export const deliverySpec: CollectionSpec = {
  name: 'deliveries',
  indexes: {
    hook: 'text',
    state: 'text',
    createdAt: 'text',
    due: 'text',
    order: 'text',
    ended: 'text',
    eventId: 'text',
    type: 'text',
    action: 'text',
    typeId: 'text',
    nodeId: 'text',
  },
};

/** Outcome of an attempt. */
export interface AttemptOutcome {
  /** HTTP status of the receiver, or reply code of a mail relay; null: no answer. */
  status: number | null;
  /** null: delivered. */
  error: string | null;
  /** The receiver is unreachable or overloaded: other deliveries would fail too. */
  away: boolean;
}

export type AttemptResult = 'delivered' | 'retried' | 'failed';

const DELIVERIES_PER_PAGE = 200;
const iso = (ms: number): string => new Date(ms).toISOString();
const key = (hook: string, at: string): string => `${hook} ${at}`;
/** Matches keys that begin with the hook: `!` follows the space. */
const ofHook = (hook: string) => ({ $gte: `${hook} `, $lt: `${hook}!` });

const DIGITS = 12;
const orderOf = (hook: string, { typeId, n }: EventPayload): string | null =>
  n === undefined ? null : `${hook} ${typeId} ${String(n).padStart(DIGITS, '0')}`;
const ofWorkflow = (hook: string, workflow: string) => ofHook(`${hook} ${workflow}`);

/** Whether its next attempt is due. */
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

  /** Resolves when the delivery cannot be lost any more. */
  async add(hook: string, { event, traceparent }: TracedEvent): Promise<void> {
    const delivery = waitingDelivery(uuidOf(`${hook} ${event.id}`), hook, event, orderOf(hook, event));
    await this.#insert(traceparent === undefined ? delivery : { ...delivery, traceparent });
  }

  /** The same for a request of a user, which is delivered however often the event was before, and in no order. */
  async addAgain(hook: string, { event, traceparent }: TracedEvent, redeliveryOf?: string): Promise<Delivery> {
    const delivery = waitingDelivery(randomUUID(), hook, event, null);
    const traced = traceparent === undefined ? delivery : { ...delivery, traceparent };
    const added = redeliveryOf === undefined ? traced : { ...traced, redeliveryOf };
    await this.#insert(added);
    return added;
  }

  /** Makes a waiting delivery due immediately. @returns undefined: it was attempted or deleted in the meantime */
  async hasten(delivery: Delivery): Promise<Delivery | undefined> {
    const at = iso(now());
    const due = { due: key(delivery.hook, at), nextAttemptAt: at };
    const hastened = { ...delivery, ...due, version: delivery.version + 1 };
    return (await this.#replace(hastened)) ? hastened : undefined;
  }

  /** Returns the first waiting deliveries of the delivery's workflow, in order; an unordered one alone. */
  async chain(delivery: Delivery, limit: number): Promise<Delivery[]> {
    const { hook, typeId, order = null } = delivery;
    if (order === null) return [delivery];
    return this.#stored.find({ order: ofWorkflow(hook, typeId) }, { sort: { order: 1 }, limit });
  }

  /** Postpones the rest of a chain until the next attempt of its first delivery. */
  async holdBack([first, ...rest]: readonly Delivery[]): Promise<void> {
    const { due, nextAttemptAt } = first ?? { due: null, nextAttemptAt: null };
    if (due === null) return;
    const early = rest.filter((delivery) => delivery.due !== null && delivery.due < due);
    await Promise.all(early.map((delivery) => this.#change(delivery, { due, nextAttemptAt })));
  }

  /** Returns due deliveries, the longest due first. */
  dueDeliveries(hook: string, limit: number): Promise<Delivery[]> {
    const due = { $gte: `${hook} `, $lte: key(hook, iso(now())) };
    return this.#stored.find({ due }, { sort: { due: 1 }, limit });
  }

  /** @returns ms until the next delivery is due; undefined: none is waiting */
  async nextIn(hook: string): Promise<number | undefined> {
    const [next] = await this.#stored.find({ due: ofHook(hook) }, { sort: { due: 1 }, limit: 1 });
    return next && Math.max(0, Date.parse(next.nextAttemptAt ?? '') - now());
  }

  /** Saves the outcome of an attempt. */
  async record(delivery: Delivery, { status, error }: AttemptOutcome): Promise<AttemptResult> {
    const { hook, attempts, createdAt } = delivery;
    const tried = { attempts: attempts + 1, status, error };
    if (error === null) return this.#end(delivery, 'delivered', tried);
    const next = now() + backoff(tried.attempts, this.#limits.firstWait, this.#limits.maxWait);
    if (next > Date.parse(createdAt) + this.#limits.abandonAfter) return this.#end(delivery, 'failed', tried);
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

  /** Saves a change, unless the delivery was changed or deleted in the meantime. */
  async #change(delivery: Delivery, change: Partial<Delivery>): Promise<void> {
    await this.#replace({ ...delivery, ...change, version: delivery.version + 1 });
  }

  async forget(hook: string): Promise<void> {
    await this.#stored.remove({ hook });
  }

  /** Abandons deliveries that are too old or too many, and deletes old ended ones. @returns the number abandoned */
  async trim(hook: string): Promise<number> {
    const { abandonAfter, maxWaiting, maxEnded } = this.#limits;
    const old = { hook, state: 'waiting', createdAt: { $lte: iso(now() - abandonAfter) } };
    let abandoned = await this.#abandon(old, 0, 'the delivery was not possible in time');
    if ((await this.#stored.count({ due: ofHook(hook) })) > maxWaiting)
      abandoned += await this.#abandon({ hook, state: 'waiting' }, maxWaiting, `more than ${maxWaiting} were waiting`);
    await this.#forgetEnded(hook, maxEnded);
    return abandoned;
  }

  /** Abandons all but the newest, so that two processes which do it concurrently abandon no more than one does. */
  async #abandon(filter: Filter, kept: number, error: string): Promise<number> {
    let abandoned = 0;
    for (let over = DELIVERIES_PER_PAGE; over === DELIVERIES_PER_PAGE; ) {
      const page = await this.#stored.find(filter, { sort: { createdAt: -1 }, skip: kept, limit: DELIVERIES_PER_PAGE });
      over = page.length;
      await Promise.all(page.map((delivery) => this.#end(delivery, 'failed', { error })));
      abandoned += over;
    }
    return abandoned;
  }

  async #forgetEnded(hook: string, kept: number): Promise<void> {
    for (let over = DELIVERIES_PER_PAGE; over === DELIVERIES_PER_PAGE; ) {
      const page = await this.#stored.find(
        { ended: ofHook(hook) },
        { sort: { ended: -1 }, skip: kept, limit: DELIVERIES_PER_PAGE },
      );
      over = page.length;
      if (over > 0) await this.#stored.remove({ id: { $in: page.map(({ id }) => id) } });
    }
  }
}

function waitingDelivery(id: string, hook: string, event: EventPayload, order: string | null): Delivery {
  const { id: eventId, type, action, typeId, nodeId } = event;
  const at = iso(now());
  return {
    id,
    version: 1,
    hook,
    state: 'waiting',
    eventId,
    type,
    action,
    typeId,
    nodeId,
    event,
    attempts: 0,
    nextAttemptAt: at,
    status: null,
    error: null,
    createdAt: at,
    updatedAt: at,
    due: key(hook, at),
    order,
    ended: null,
  };
}
