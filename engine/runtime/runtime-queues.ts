/** The queues and channels of the runtime. Their names are those of earlier versions, whose jobs may still be stored. */
import type { Queues } from '../queue/port.ts';

export interface ChainJob {
  workflow: string;
  chain: string;
}

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
  chains: queues.queue<ChainJob>('lanes'),
  timers: queues.queue<TimerJob>('wakes'),
  aborts: queues.channel<AbortWord>('aborts'),
  /** Notifies all processes that there is a command for this node's agent. */
  agentCommands: queues.channel<string>('offers'),
});
