/** Whether the receiver of a hook takes its deliveries: the deliveries that wait, and the last one that ended, say so. */
import type { GetAnswer, Requests } from './requests.ts';

type SentDelivery = Pick<GetAnswer<'/hooks/:id/deliveries'>[number], 'id' | 'redeliveryOf'>;
type Delivery = Pick<GetAnswer<'/hooks/:id/deliveries'>[number], 'state' | 'error' | 'createdAt' | 'updatedAt'>;

export interface HookHealth {
  state: 'unknown' | 'ok' | 'critical';
  /** Deliveries that wait. */
  waiting: number;
  /** The error of the last attempt; null: the receiver took it, or none was made. */
  error: string | null;
  /** The oldest delivery that waits, or the end of the last one; null: there was none. */
  at: string | null;
}

/** A workflow's events are sent in order, so the oldest may wait behind others of the same millisecond, which were tried. */
const OLDEST_READ = 20;

/** Reads the deliveries from which the health of a hook follows. @throws as requests do */
export async function readHookHealth(client: Requests, id: string): Promise<HookHealth> {
  const firstOf = (query: { state: string; sort?: string; $top: number }) =>
    client.get('/hooks/:id/deliveries', { params: { id }, query });
  const [waiting, ended] = await Promise.all([
    firstOf({ state: 'waiting', sort: 'createdAt', $top: OLDEST_READ }),
    firstOf({ state: 'delivered,failed', $top: 1 }),
  ]);
  return hookHealthIn(waiting.total ?? waiting.body.length, waiting.body, ended.body[0]);
}

/** @param oldest some of those that wait @param last the newest that ended */
export function hookHealthIn(waiting: number, oldest: readonly Delivery[], last: Delivery | undefined): HookHealth {
  // A delivery that has just begun to wait has no error, whatever the receiver does.
  const failing = [...oldest, last].find((one) => one !== undefined && one.state !== 'delivered' && one.error !== null);
  if (failing !== undefined) return { state: 'critical', waiting, error: failing.error, at: failing.createdAt };
  return { state: last === undefined ? 'unknown' : 'ok', waiting, error: null, at: last?.updatedAt ?? null };
}

/** @returns those of the first list that no delivery of the others repeats */
export function notRepeated<T extends SentDelivery>(failed: readonly T[], others: readonly SentDelivery[]): T[] {
  const repeated = new Set([...failed, ...others].map(({ redeliveryOf }) => redeliveryOf));
  return failed.filter(({ id }) => !repeated.has(id));
}
