/** The jobs of pollers: each poller has a repeating job, with an offset of its own in its interval. */
import { createHash } from 'node:crypto';
import type { Queue } from '../queue/port.ts';
import type { StoredPoller } from './stored-poller.ts';

export interface PollerJob {
  poller: string;
}

export class PollerSchedule {
  readonly queue: Queue<PollerJob>;

  constructor(queue: Queue<PollerJob>) {
    this.queue = queue;
  }

  /** Creates or replaces the poller's job, which starts at the poller's offset. */
  async schedule({ id, pollInterval }: StoredPoller): Promise<void> {
    await this.queue.repeat(id, { poller: id }, pollInterval, placeOf(id, pollInterval));
  }

  unschedule(id: string): Promise<void> {
    return this.queue.unrepeat(id);
  }
}

/** Returns the ms until the first poll: a fraction of the interval that is fixed per poller. */
function placeOf(id: string, interval: number): number {
  return Math.floor((createHash('sha256').update(id).digest().readUInt32BE() / 2 ** 32) * interval);
}
