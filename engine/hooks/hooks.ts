/**
 * Web hooks: events that somebody wants are posted to them, at least once.
 *
 * Owns: deliveries, from the moment an event is handed over (`take`) until they are in the log of what ended. Relies on
 * whoever hands over to keep the event until `take` resolves, and to hand it over again with the same id otherwise.
 *
 * 1. Handed over, an event is matched against the hooks, and kept once for each that wants it, before `take` resolves.
 *    Nothing is sent there: nobody waits for a receiver.
 * 2. An expression that takes long is not waited for either: the delivery is kept undecided, and decided when it is
 *    worked off.
 * 3. Deliveries have no order among each other.
 */

import { type EventPayload, eventIn, type Publication } from '../define/event.ts';
import type { EventTaker } from '../events/port.ts';
import { Expressions } from '../expressions/expressions.ts';
import type { Peers } from '../peers/peers.ts';
import type { Queue, Queues } from '../queue/port.ts';
import type { Seal } from '../secrets.ts';
import type { Store } from '../store/port.ts';
import { Claims } from './claims.ts';
import { Deliveries, type Delivery, deliverySpec, type Result } from './deliveries.ts';
import { Filters } from './filters.ts';
import { KnownHooks } from './known.ts';
import { type HookJob, Lanes } from './lanes.ts';
import { type HookLimits, usualLimits } from './limits.ts';
import { hookSpec, type StoredHook } from './record.ts';
import { Rounds } from './rounds.ts';

export interface OpenHooksPort {
  store: Store;
  queues: Queues;
  peers: Pick<Peers, 'id' | 'alone' | 'alive' | 'duties'>;
  /** For the secrets of hooks. */
  seal: Seal;
  limits?: Partial<HookLimits>;
  count(result: Result, times?: number): void;
  /** Told once of each expression that ran away. */
  runaway(pattern: string): void;
  failed(error: unknown): void;
}

export async function openHooks(port: OpenHooksPort) {
  const { store, queues, failed } = port;
  const limits = { ...usualLimits, ...port.limits };
  const hooks = await store.collection<StoredHook>(hookSpec);
  const stored = await store.collection<Delivery>(deliverySpec);
  const deliveries = new Deliveries(stored, limits);
  const expressions = new Expressions(port.runaway);
  const filters = new Filters(expressions);
  const queue: Queue<HookJob> = queues.queue('hooks');
  const known = new KnownHooks(hooks, queues.channel('hooks'), failed);
  const claims = new Claims(hooks, port.peers);
  const lanes = new Lanes({ ...port, hooks, claims, deliveries, filters, queue, limits });
  const rounds = new Rounds({
    ...port,
    duties: port.peers.duties,
    hooks,
    deliveries,
    known,
    lanes,
    everyMs: limits.round,
  });

  async function keep(hook: StoredHook, event: EventPayload): Promise<void> {
    const wanted = await filters.matchSoon(hook.filters, event);
    if (wanted === false) return;
    await deliveries.add(hook.id, event, wanted);
    lanes.nudge(hook.id);
  }
  async function keepAll(events: readonly EventPayload[]): Promise<void> {
    await Promise.all(events.flatMap((event) => known.all.map((hook) => keep(hook, event))));
  }
  const taker: EventTaker = {
    take(publications: readonly Publication[]) {
      if (known.all.length === 0) return undefined;
      return keepAll(publications.flatMap((publication) => eventIn(publication) ?? []));
    },
  };

  return {
    taker,
    queue,
    /** For the requests about hooks. */
    requests: { hooks, stored, seal: port.seal, changed: () => known.changed() },

    /** Resolves when events may be handed over. A process that is alone finds in the queue what one that is gone left. */
    async start(): Promise<void> {
      if (port.peers.alone) await queue.clear();
      await known.start();
    },

    /** @param sends this process sends too */
    work(sends: boolean): void {
      if (sends) lanes.start();
      rounds.start();
    },

    /** Sends no more; events are still taken. @param patienceMs for attempts in hand */
    async stop(patienceMs: number): Promise<void> {
      await rounds.close();
      await lanes.close(patienceMs);
    },

    async close(): Promise<void> {
      await known.close();
      await expressions.close();
    },
  };
}
