import test from 'ava';
import { Deliveries, type Delivery, deliverySpec } from '../../../../engine/events/hooks/deliveries.ts';
import { usualLimits } from '../../../../engine/events/hooks/hook-limits.ts';
import { nodeEvent } from '../../../support/engine/events.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const WAITING = 5;

test('two processes that trim the deliveries of a hook at the same time abandon no more than one does', async (t) => {
  const stored = await new MemoryStore().collection<Delivery>(deliverySpec);
  const limits = { ...usualLimits, maxWaiting: WAITING };
  const deliveries = new Deliveries(stored, limits);
  for (let n = 0; n < 2 * WAITING; n += 1) await deliveries.add('h', { event: nodeEvent({ id: `e${n}` }) });
  // The other process trims when this one has counted.
  const slow = Object.assign(Object.create(stored) as typeof stored, {
    async count(...args: Parameters<typeof stored.count>) {
      const counted = await stored.count(...args);
      await deliveries.trim('h');
      return counted;
    },
  });
  await new Deliveries(slow, limits).trim('h');
  t.is(await stored.count({ state: 'waiting' }), WAITING);
});
