/**
 * Pollers at work: each has a job that comes again and again, and whoever takes it looks at its machine.
 *
 * 1. Records say which pollers there are, the queue only when they look: on a duty, one process makes the jobs that are
 *    missing and ends those that nobody wants.
 * 2. Pollers with one interval do not look at the same moment: each begins at a place of its own in it.
 */
import { createHash } from 'node:crypto';
import { type ReportUnsupported, UnsupportedPatterns } from '../patterns/unsupported.ts';
import type { Duties } from '../peers/duties.ts';
import type { Consumer, Queue } from '../queue/port.ts';
import { pages } from '../runtime/pages.ts';
import { type LookPort, look } from './look.ts';
import type { StoredPoller } from './record.ts';

export interface PollersPort extends Omit<LookPort, 'unsupported'> {
  queue: Queue<PollerJob>;
  duties: Duties;
  /** Called once for each poller with patterns that are not supported. */
  unsupported: ReportUnsupported;
  failed(error: unknown): void;
}

export interface PollerJob {
  poller: string;
}

const DUTY = 'pollers';
const ROUND_MS = 30_000;
/** Machines that one process looks at at once: a dead one takes a while to be found out. */
const AT_ONCE = 32;
/** Jobs that are made side by side. */
const TOGETHER = 50;

export class PollerWork {
  readonly #port: PollersPort;
  readonly #look: LookPort;
  readonly #closing = new AbortController();
  readonly #inHand = new Set<string>();
  #consumer: Consumer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();

  constructor(port: PollersPort) {
    this.#port = port;
    this.#look = { ...port, unsupported: new UnsupportedPatterns(port.unsupported) };
  }

  get queue(): Queue<PollerJob> {
    return this.#port.queue;
  }

  /** @param works whether this process looks at machines itself */
  start(works: boolean): void {
    if (works) this.#consumer = this.#port.queue.consume((job, signal) => this.#take(job, signal), AT_ONCE);
    this.#timer = setInterval(() => this.#again(), ROUND_MS);
    this.#again();
  }

  /** Asked for again, it begins at its place anew. */
  async schedule({ id, pollInterval }: StoredPoller): Promise<void> {
    await this.#port.queue.repeat(id, { poller: id }, pollInterval, placeOf(id, pollInterval));
  }

  unschedule(id: string): Promise<void> {
    return this.#port.queue.unrepeat(id);
  }

  /** A look that takes longer than the interval is not joined by another. */
  async #take({ poller }: PollerJob, lost: AbortSignal): Promise<void> {
    if (this.#inHand.has(poller)) return;
    this.#inHand.add(poller);
    const ended = new AbortController();
    const end = () => ended.abort();
    for (const signal of [lost, this.#closing.signal]) signal.addEventListener('abort', end, { once: true });
    try {
      if (this.#closing.signal.aborted) return;
      if (!(await look(this.#look, poller, ended.signal))) await this.unschedule(poller);
    } finally {
      for (const signal of [lost, this.#closing.signal]) signal.removeEventListener('abort', end);
      this.#inHand.delete(poller);
    }
  }

  #again(): void {
    this.#round = this.#round.then(() => this.#mend()).catch(this.#port.failed);
  }

  async #mend(): Promise<void> {
    if (this.#closing.signal.aborted || !(await this.#port.duties.take(DUTY))) return;
    const repeated = new Set(await this.#port.queue.repeated());
    const missing: StoredPoller[] = [];
    for await (const poller of pages(this.#port.stored, {})) if (!repeated.delete(poller.id)) missing.push(poller);
    for (const id of repeated) await this.unschedule(id);
    for (let from = 0; from < missing.length; from += TOGETHER) {
      await Promise.all(missing.slice(from, from + TOGETHER).map((poller) => this.schedule(poller)));
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#consumer?.close();
    await this.#round;
  }
}

/** ms from now until its first look: the same share of the interval each time. */
function placeOf(id: string, interval: number): number {
  return Math.floor((createHash('sha256').update(id).digest().readUInt32BE() / 2 ** 32) * interval);
}
