/**
 * Every few seconds, the lease holder looks for hooks with due deliveries and schedules their jobs, in case no process
 * works on them; less often, it abandons deliveries that are too old or too many.
 */
import { now } from '../../platform/lib/clock.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { Deliveries } from './deliveries.ts';
import type { DeliveryWorkers } from './delivery-workers.ts';
import type { HookCache } from './hook-cache.ts';
import type { HooksPort } from './hooks-port.ts';
import { HOOKS_READ, type StoredHook } from './stored-hook.ts';

/** Number of passes between two trims of the deliveries. */
const TRIM_PASSES = 15;
/** Hooks checked concurrently. */
const HOOKS_PER_GROUP = 20;

export function deliveryReconciler(
  { cluster, count, failed }: Pick<HooksPort, 'cluster' | 'count' | 'failed'>,
  cache: HookCache,
  hooks: Collection<StoredHook>,
  deliveries: Deliveries,
  workers: DeliveryWorkers,
  everyMs: number,
): Reconciler {
  let passes = 0;

  async function check({ id, retryAt }: StoredHook, trims: boolean): Promise<void> {
    const backsOff = retryAt !== null && Date.parse(retryAt) > now();
    if (!backsOff && (await deliveries.dueDeliveries(id, 1)).length > 0) workers.nudge(id);
    if (!trims) return;
    const abandoned = await deliveries.trim(id);
    if (abandoned > 0) count('failed', abandoned);
  }

  return cluster.reconciler({
    name: 'hooks',
    everyMs,
    failed,
    async pass({ goesOn }) {
      if (cache.all.length === 0) return;
      const trims = passes % TRIM_PASSES === 0;
      passes += 1;
      const all = await hooks.find({}, { limit: HOOKS_READ });
      for (let from = 0; from < all.length && (await goesOn()); from += HOOKS_PER_GROUP) {
        await Promise.all(all.slice(from, from + HOOKS_PER_GROUP).map((hook) => check(hook, trims)));
      }
    },
  });
}
