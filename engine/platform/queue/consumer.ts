/**
 * Implements the port's consumer with a BullMQ worker. It owns the worker and tracks running handlers.
 *
 * 1. A job is deleted when its handler has ended, with or without an error: rows
 *    in the store say what is still to be done.
 * 2. Errors of BullMQ are logged and never thrown uncaught: its workers recover themselves.
 * 3. A handler's signal fires when its lock is lost: another process may have its job by then.
 * 4. Closing waits for handlers without a limit, but for BullMQ's backend only for a limited time. A job whose end
 *    could not be recorded then runs once more, at the next consumer.
 */
import { setTimeout } from 'node:timers/promises';
import { type IQueueBackend, type Job, Worker } from 'bullmq';
import type { Backing } from './backing.ts';
import type { ChannelLog } from './channel.ts';
import type { Consumer } from './port.ts';

/** BullMQ would fail a job that stalls twice. Rows decide on the number of attempts, so here there is no limit. */
const MAX_STALLED = 2 ** 31 - 1;

/** s. New and due jobs notify a worker themselves; this is for a notification lost with a connection. */
const DRAIN_DELAY_SEC = 5;

/** ms to retry after an error of the connection. BullMQ's 15 s are longer than most restarts of a server. */
const RECONNECT_MS = 1_000;

/** BullMQ's own close waits for the server in several places, and renews locks until it has finished. */
class LeavableWorker<Data, B extends IQueueBackend, C> extends Worker<Data, void, string, B, number, C> {
  /** Stops background work and reconnection attempts; harmless when the worker is closed. */
  async leave(): Promise<void> {
    await this.lockManager.close();
    await this.backend.close(true);
  }
}

export type Handler<Data> = (data: Data, signal: AbortSignal) => Promise<void>;

export class BullBackedConsumer<Data, B extends IQueueBackend, C> implements Consumer {
  readonly #name: string;
  readonly #handler: Handler<Data>;
  readonly #log: ChannelLog;
  readonly #closeMs: number | undefined;
  readonly #worker: LeavableWorker<Data, B, C>;
  readonly #inHand = new Set<Promise<void>>();

  constructor(name: string, handler: Handler<Data>, concurrency: number, backing: Backing<B, C>, log: ChannelLog) {
    this.#name = name;
    this.#handler = handler;
    this.#log = log;
    this.#closeMs = backing.closeMs;
    this.#worker = new LeavableWorker<Data, B, C>(
      name,
      // BullMQ passes a signal only to a function with three parameters.
      (job, _token, signal) => this.#take(job, signal ?? new AbortController().signal),
      {
        connection: backing.workerConnection?.() ?? backing.connection,
        ...(backing.prefix !== undefined && { prefix: backing.prefix }),
        ...(backing.process !== undefined && { name: backing.process }),
        concurrency,
        lockDuration: backing.lockMs,
        stalledInterval: backing.stalledMs,
        maxStalledCount: MAX_STALLED,
        drainDelay: DRAIN_DELAY_SEC,
        runRetryDelay: RECONNECT_MS,
      },
      backing.factory,
    );
    this.#worker.on('error', (error) => backing.quiet?.(error) || log(`queue ${name}`, error));
    this.#worker.on('failed', (job, error) => log(`queue ${name}: job ${job?.id} failed`, error));
    this.#worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) this.#worker.cancelJob(id, 'the lock is lost');
    });
  }

  async #take(job: Job<Data>, signal: AbortSignal): Promise<void> {
    const work = this.#run(job, signal);
    this.#inHand.add(work);
    await work;
    this.#inHand.delete(work);
  }

  async #run(job: Job<Data>, signal: AbortSignal): Promise<void> {
    try {
      await this.#handler(job.data, signal);
    } catch (error) {
      this.#log(`queue ${this.#name}: the handler of job ${job.id} failed`, error);
    }
  }

  limit(concurrency: number): void {
    this.#worker.concurrency = concurrency;
  }

  async close(): Promise<void> {
    const closed = this.#worker.close();
    if (this.#closeMs === undefined) return closed;
    const gaveUp = new AbortController();
    const late = this.#isLate(this.#closeMs, gaveUp.signal).catch(() => {});
    await Promise.race([closed, late]);
    gaveUp.abort();
    await this.#worker.leave();
  }

  /** Resolves when all handlers have ended; a job that was on its way when the close began may still arrive. */
  async #isLate(ms: number, signal: AbortSignal): Promise<void> {
    do {
      await Promise.all(this.#inHand);
      await setTimeout(ms, undefined, { signal });
    } while (this.#inHand.size > 0);
  }
}
