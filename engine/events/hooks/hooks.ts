/**
 * Web hooks: posts events to the hooks that select them, at least once.
 *
 * Owns: deliveries, from the moment an event is accepted (`take`) until they are in the log of ended deliveries. Relies
 * on the caller to keep the event until `take` resolves, and otherwise to pass it again with the same id.
 *
 * 1. `take` matches an event against the hooks, and stores it once per matching hook, before it resolves. It sends
 *    nothing: no caller waits for a receiver.
 * 2. Events of one workflow reach a hook in order, other events in any order (`delivery-workers.ts`).
 */

import type { Queue } from '../../platform/queue/port.ts';
import { eventIn, type Publication } from '../../vocabulary/event.ts';
import type { EventSink } from '../broker/port.ts';
import { Deliveries, type Delivery, deliverySpec, type TracedEvent } from './deliveries.ts';
import { deliveryReconciler } from './delivery-reconciler.ts';
import { DeliveryWorkers, type HookJob } from './delivery-workers.ts';
import { wants } from './filters.ts';
import { HookCache } from './hook-cache.ts';
import { usualLimits } from './hook-limits.ts';
import { HookRequests } from './hook-requests.ts';
import type { HooksPort } from './hooks-port.ts';
import { hookSpec, type StoredHook } from './stored-hook.ts';

export async function openHooks(port: HooksPort) {
  const { store, queues, failed } = port;
  const limits = { ...usualLimits, ...port.limits };
  const hooks = await store.collection<StoredHook>(hookSpec);
  const stored = await store.collection<Delivery>(deliverySpec);
  const deliveries = new Deliveries(stored, limits);
  const queue: Queue<HookJob> = queues.queue('hooks');
  const cache = new HookCache(hooks, queues.channel('hooks'), failed, (all) => workers.tidy(all.map(({ id }) => id)));
  const workers = new DeliveryWorkers(port, hooks, deliveries, queue, limits);
  const reconciler = deliveryReconciler(port, cache, hooks, deliveries, workers, limits.round);

  async function keep(hook: string, traced: TracedEvent): Promise<void> {
    await deliveries.add(hook, traced);
    workers.nudge(hook);
  }
  async function keepAll(publications: readonly Publication[]): Promise<void> {
    const wanted: [hook: string, traced: TracedEvent][] = [];
    for (const publication of publications) {
      const event = eventIn(publication);
      if (event === undefined || publication.isQuiet === true) continue;
      const { traceparent } = publication;
      const traced = traceparent === undefined ? { event } : { event, traceparent };
      for (const { id, filters } of cache.all) if (await wants(filters, event)) wanted.push([id, traced]);
    }
    await Promise.all(wanted.map(([hook, traced]) => keep(hook, traced)));
  }
  const sink: EventSink = {
    take(publications: readonly Publication[]) {
      if (cache.all.length === 0) return undefined;
      return keepAll(publications);
    },
  };

  return {
    sink,
    queue,
    /** For the requests about hooks. */
    requests: new HookRequests(hooks, stored, port.encrypt, port.vault, cache, {
      deliveries,
      nudge: (hook) => workers.nudge(hook),
      egress: port.egress,
    }),

    /** Resolves when `take` may be called. */
    async start(): Promise<void> {
      await cache.start();
    },

    /** Returns the number of deliveries that wait for an attempt. */
    backlog: () => stored.count({ state: 'waiting' }),

    /** @param sends whether this process makes deliveries itself */
    work(sends: boolean): void {
      if (sends) workers.start();
      reconciler.start();
    },

    /** Stops sending; events are still accepted. @param timeoutMs timeout for running attempts */
    async stop(timeoutMs: number): Promise<void> {
      await reconciler.close();
      await workers.close(timeoutMs);
    },

    async close(): Promise<void> {
      await cache.close();
    },
  };
}
