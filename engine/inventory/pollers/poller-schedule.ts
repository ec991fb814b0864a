/**
 * The jobs of pollers: each poller has a repeating job, at times of its own.
 *
 * 1. The times of a poller follow from its id and its interval alone. A schedule that is lost (in single-node mode at
 *    each restart) is therefore re-created with the same times.
 * 2. A poll that became due in the meantime is made within a minute.
 */
import { createHash } from 'node:crypto';
import type { Queue } from '../../platform/queue/port.ts';
import type { StoredPoller } from './stored-poller.ts';

export interface PollerJob {
  poller: string;
}

/** The polls that may have been missed are spread over this time. */
const CATCH_UP_MS = 60_000;

/** Clients of RackHD give shorter intervals; a BMC would do nothing else. */
const INTERVAL_MIN_MS = 1_000;

export class PollerSchedule {
  readonly queue: Queue<PollerJob>;

  constructor(queue: Queue<PollerJob>) {
    this.queue = queue;
  }

  /** Creates or replaces the poller's job. */
  async schedule({ id, pollInterval }: StoredPoller): Promise<void> {
    const interval = Math.max(INTERVAL_MIN_MS, pollInterval);
    const sincePrevious = (Date.now() - placeOf(id, interval)) % interval;
    await this.queue.repeat(id, { poller: id }, interval, interval - sincePrevious);
  }

  /** Re-creates a job that is missing. */
  async restore(poller: StoredPoller): Promise<void> {
    await this.schedule(poller);
    if (poller.pollInterval <= CATCH_UP_MS) return;
    await this.queue.add([{ id: poller.id, data: { poller: poller.id }, delayMs: placeOf(poller.id, CATCH_UP_MS) }]);
  }

  unschedule(id: string): Promise<void> {
    return this.queue.unrepeat(id);
  }
}

/** Returns the place of the poller in its interval, in ms: the polls of all pollers are spread over it. */
function placeOf(id: string, interval: number): number {
  return Math.floor((createHash('sha256').update(id).digest().readUInt32BE() / 2 ** 32) * interval);
}
