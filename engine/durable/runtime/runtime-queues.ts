/** The queues and channels of the runtime. */
import { batch } from '../../platform/lib/batch.ts';
import type { NewJob, Queue, Queues } from '../../platform/queue/port.ts';

export interface TimerJob {
  workflow: string;
}

/** Sent to all processes: the one that runs this activity aborts it. */
export interface AbortWord {
  workflow: string;
  operation: string;
}

export type RuntimeQueues = ReturnType<typeof runtimeQueues>;

export const runtimeQueues = (queues: Queues) => ({
  timers: queues.queue<TimerJob>('timers'),
  aborts: queues.channel<AbortWord>('aborts'),
  /** Notifies all processes that there is a command for this node's agent. */
  agentCommands: queues.channel<string>('offers'),
});

const JOBS_BATCH = 500;

/** Adds jobs of the same event loop turn in one round trip. */
export function adder<Data>(queue: Queue<Data>): (job: NewJob<Data>) => Promise<void> {
  return batch(async (jobs: NewJob<Data>[]) => {
    await queue.add(jobs);
    return jobs.map(() => undefined);
  }, JOBS_BATCH);
}
