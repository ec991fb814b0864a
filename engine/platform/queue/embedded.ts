/**
 * BullMQ in this process's memory (`memory/`): the adapter for single-node mode. Nothing needs to be durable, because
 * the owners of jobs re-create them from rows at the start.
 */
import { createQueues } from './bullmq.ts';
import { type ChannelLog, localChannels } from './channel.ts';
import { createMemoryBackend, MemoryConnection } from './memory/memory-backend.ts';
import type { Queues } from './port.ts';

/** A bulk add costs less than two adds. */
const BULK_FROM = 2;

/** Locks end with their worker; BullMQ only does its bookkeeping at this interval. */
const LOCK_MS = 60_000;

export function createEmbeddedQueues(log: ChannelLog): Queues {
  return createQueues(
    {
      connection: new MemoryConnection(),
      factory: createMemoryBackend,
      lockMs: LOCK_MS,
      stalledMs: LOCK_MS,
      bulkFrom: BULK_FROM,
      channels: localChannels(log),
      async ping() {},
      async close() {},
    },
    log,
  );
}
