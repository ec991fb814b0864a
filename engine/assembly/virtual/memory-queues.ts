/**
 * The queue port in memory: jobs that wait, jobs with their consumers, and schedules, shared by all daemons of a world. A job
 * whose daemon has died comes back when another daemon releases it, or when its lock has expired.
 */

import type { SeededRandom } from '../../platform/lib/seeded-random.ts';
import type { Channel, Consumer, NewJob, Queue, Queues } from '../../platform/queue/port.ts';
import type { Link } from './daemon-link.ts';
import type { VirtualTime } from './virtual-time.ts';

const LOCK_MS = 30_000;

interface QueuedJob {
  id: string;
  data: unknown;
  state: 'delayed' | 'waiting' | 'active';
  /** The daemon that has it. */
  by: string;
  schedule?: string;
}

interface QueueConsumer {
  link: Link;
  handler: (data: unknown, signal: AbortSignal) => Promise<void>;
  limit: number;
  running: Map<QueuedJob, { done: Promise<void>; stop: AbortController }>;
  isClosed: boolean;
}

interface Schedule {
  data: unknown;
  everyMs: number;
  /** Replaced by each change: the timers of earlier ones do nothing. */
  version: object;
}

/** Losses of messages between daemons. */
export interface QueueLosses {
  /** Share of messages on channels that do not arrive. */
  lost: number;
}

class SharedQueue {
  readonly jobs = new Map<string, QueuedJob>();
  readonly schedules = new Map<string, Schedule>();
  readonly consumers: QueueConsumer[] = [];
  readonly #time: VirtualTime;
  #turn = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  add({ id, data, delayMs = 0 }: NewJob<unknown>, schedule?: string): void {
    if (this.jobs.has(id)) return;
    const job: QueuedJob = { id, data, state: 'delayed', by: '', ...(schedule !== undefined && { schedule }) };
    this.jobs.set(id, job);
    if (delayMs <= 0) this.#wait(job);
    else this.#time.add(delayMs, () => this.jobs.get(id) === job && this.#wait(job), '');
  }

  remove(id: string): boolean {
    const job = this.jobs.get(id);
    if (job === undefined || job.state === 'active') return false;
    return this.jobs.delete(id);
  }

  release(daemon: string): void {
    for (const job of this.jobs.values()) if (job.state === 'active' && job.by === daemon) this.#wait(job);
  }

  repeat(id: string, data: unknown, everyMs: number, firstMs: number): void {
    const schedule = { data, everyMs, version: {} };
    this.schedules.set(id, schedule);
    this.#arm(id, schedule, firstMs);
  }

  #arm(id: string, schedule: Schedule, ms: number): void {
    this.#time.add(
      Math.max(1, ms),
      () => {
        if (this.schedules.get(id) !== schedule) return;
        this.add({ id: `repeat-${id}`, data: schedule.data }, id);
        this.#arm(id, schedule, schedule.everyMs);
      },
      '',
    );
  }

  #wait(job: QueuedJob): void {
    Object.assign(job, { state: 'waiting', by: '' });
    this.take();
  }

  /** Gives waiting jobs to consumers with room, in turns. */
  take(): void {
    for (const job of this.jobs.values()) {
      if (job.state !== 'waiting') continue;
      const open = this.consumers.filter(
        ({ isClosed, link, running, limit }) => !isClosed && !link.isCut && !link.isAway && running.size < limit,
      );
      if (open.length === 0) return;
      this.#turn += 1;
      this.#give(job, open[this.#turn % open.length] as QueueConsumer);
    }
  }

  #give(job: QueuedJob, consumer: QueueConsumer): void {
    const { link, handler } = consumer;
    Object.assign(job, { state: 'active', by: link.daemon });
    const stop = new AbortController();
    let ended: () => void = () => {};
    consumer.running.set(job, { done: new Promise((resolve) => (ended = resolve)), stop });
    const data = structuredClone(job.data);
    link.deliver(0, () => {
      void handler(data, stop.signal)
        .catch(() => {})
        .then(() => {
          consumer.running.delete(job);
          if (job.by === link.daemon && job.state === 'active') this.jobs.delete(job.id);
          ended();
          this.take();
        });
    });
    this.#watchLock(job, link);
  }

  #watchLock(job: QueuedJob, link: Link): void {
    this.#time.add(
      LOCK_MS,
      () => {
        if (job.state !== 'active' || job.by !== link.daemon || this.jobs.get(job.id) !== job) return;
        if (link.isCut) this.#wait(job);
        else this.#watchLock(job, link);
      },
      '',
    );
  }
}

type Hear = (message: unknown) => void;

export class MemoryQueues {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #faults: QueueLosses;
  readonly #queues = new Map<string, SharedQueue>();
  readonly #subscribers = new Map<string, Set<{ link: Link; hear: Hear }>>();

  constructor(time: VirtualTime, random: SeededRandom, faults: QueueLosses) {
    this.#time = time;
    this.#random = random;
    this.#faults = faults;
  }

  #queue(name: string): SharedQueue {
    const queue = this.#queues.get(name) ?? new SharedQueue(this.#time);
    this.#queues.set(name, queue);
    return queue;
  }

  /** As one daemon has them. */
  through(link: Link): Queues {
    return {
      queue: <Data>(name: string) => this.#queueThrough<Data>(name, link),
      destroy: (name) => link.call(`${name} destroy`, () => void this.#queues.delete(name)),
      channel: <T>(name: string) => this.#channelThrough<T>(name, link),
      ping: () => link.call('queue ping', () => undefined),
      close: async () => {},
    };
  }

  /** The daemon is gone: nothing is given to it any more. */
  forget(link: Link): void {
    for (const queue of this.#queues.values()) {
      queue.consumers.splice(0, queue.consumers.length, ...queue.consumers.filter((one) => one.link !== link));
    }
    for (const all of this.#subscribers.values()) for (const one of all) if (one.link === link) all.delete(one);
  }

  #queueThrough<Data>(name: string, link: Link): Queue<Data> {
    const queue = () => this.#queue(name);
    const call = <T>(operation: string, apply: () => T) => link.call(`${name} ${operation}`, apply);
    return {
      add: (jobs) =>
        call('add', () => {
          for (const job of jobs) queue().add({ ...job, data: structuredClone(job.data) });
        }),
      remove: (id) => call('remove', () => queue().remove(id)),
      waitingCount: () =>
        call('waitingCount', () => [...queue().jobs.values()].filter(({ state }) => state === 'waiting').length),
      has: (id) => call('has', () => queue().jobs.has(id)),
      repeat: (id, data, everyMs, firstMs) =>
        call('repeat', () => queue().repeat(id, structuredClone(data), everyMs, firstMs)),
      unrepeat: (id) => call('unrepeat', () => void queue().schedules.delete(id)),
      repeatedJobs: () => call('repeatedJobs', () => [...queue().schedules.keys()]),
      release: (daemon) => call('release', () => queue().release(daemon)),
      consume: (handler, limit) =>
        consumerOf(queue(), {
          link,
          handler: handler as QueueConsumer['handler'],
          limit,
          running: new Map(),
          isClosed: false,
        }),
    };
  }

  #channelThrough<T>(name: string, link: Link): Channel<T> {
    return {
      publish: (message) => {
        const text = JSON.stringify(message);
        return link.call(`${name} publish`, () => {
          for (const { link: other, hear } of this.#subscribers.get(name) ?? []) {
            if (other.isAway || this.#random.chance(this.#faults.lost)) continue;
            other.deliver(this.#random.between(0, 5), () => hear(JSON.parse(text)));
          }
        });
      },
      subscribe: (handler) => {
        const subscriber = { link, hear: handler as Hear };
        const all = this.#subscribers.get(name) ?? new Set();
        this.#subscribers.set(name, all);
        return link.call(`${name} subscribe`, () => {
          all.add(subscriber);
          return async () => void all.delete(subscriber);
        });
      },
    };
  }
}

function consumerOf(queue: SharedQueue, consumer: QueueConsumer): Consumer {
  queue.consumers.push(consumer);
  consumer.link.deliver(0, () => queue.take());
  return {
    limit(concurrency) {
      consumer.limit = concurrency;
      consumer.link.deliver(0, () => queue.take());
    },
    async close() {
      consumer.isClosed = true;
      queue.consumers.splice(queue.consumers.indexOf(consumer), 1);
      await Promise.all([...consumer.running.values()].map(({ done }) => done));
    },
  };
}
