/**
 * A BullMQ worker as the port's consumer. It owns the worker and knows which handlers are in hand.
 *
 * 1. A job is gone when its handler has ended, well or badly: rows in the store say what is still to be done.
 * 2. An error of BullMQ is logged and never thrown at nobody: its workers go on by themselves.
 * 3. A handler's signal fires when its lock is lost: another process may have its job by then.
 * 4. Closing waits for handlers as long as they take, but for what stands behind BullMQ only as long as that allows.
 *    A job whose end could not be said then comes once more, to whoever consumes next.
 */
import { setTimeout } from 'node:timers/promises';
import { type IQueueBackend, type Job, Worker } from 'bullmq';
import type { Backing } from './backing.ts';
import type { Log } from './channel.ts';
import type { Consumer } from './port.ts';

/** BullMQ would fail a job that stalls twice. Its row decides how often it is tried, so here there is no limit. */
const MAX_STALLED = 2 ** 31 - 1;

/** s. New and due jobs wake a worker by themselves; this is for a wake-up that got lost with a connection. */
const DRAIN_DELAY_SEC = 5;

/** After an error of the connection. BullMQ's 15 s are longer than most restarts of a server. */
const RETRY_MS = 1_000;

/** BullMQ's own close waits for the server at several places, and renews locks until it is through. */
class LeavableWorker<Data, B extends IQueueBackend, C> extends Worker<Data, void, string, B, number, C> {
  /** Stops what would go on in the background or connect again; harmless when the worker has closed. */
  async leave(): Promise<void> {
    await this.lockManager.close();
    await this.backend.close(true);
  }
}

export type Handler<Data> = (data: Data, signal: AbortSignal) => Promise<void>;

export class BullBackedConsumer<Data, B extends IQueueBackend, C> implements Consumer {
  readonly #name: string;
  readonly #handler: Handler<Data>;
  readonly #log: Log;
  readonly #closeMs: number | undefined;
  readonly #worker: LeavableWorker<Data, B, C>;
  readonly #inHand = new Set<Promise<void>>();

  constructor(name: string, handler: Handler<Data>, concurrency: number, backing: Backing<B, C>, log: Log) {
    this.#name = name;
    this.#handler = handler;
    this.#log = log;
    this.#closeMs = backing.closeMs;
    this.#worker = new LeavableWorker<Data, B, C>(
      name,
      // BullMQ hands out a signal only to a function with three parameters.
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
        runRetryDelay: RETRY_MS,
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

  async close(): Promise<void> {
    const closed = this.#worker.close();
    if (this.#closeMs === undefined) return closed;
    const gaveUp = new AbortController();
    const late = this.#late(this.#closeMs, gaveUp.signal).catch(() => {});
    await Promise.race([closed, late]);
    gaveUp.abort();
    await this.#worker.leave();
  }

  /** A job that was on its way when the worker began to close may still come. */
  async #late(ms: number, signal: AbortSignal): Promise<void> {
    do {
      await Promise.all(this.#inHand);
      await setTimeout(ms, undefined, { signal });
    } while (this.#inHand.size > 0);
  }
}
