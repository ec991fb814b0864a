/**
 * BullMQ on the embedded database. Its tables are in the schema `bullmq`, beside the documents, and its statements
 * share the session with theirs; their commits do not wait for the disk (`pglite.ts`, rule 2).
 */
import { createPostgresBackend, runMigrations } from 'bullmq';
import type { Database } from '../store/pglite.ts';
import { createQueues } from './bullmq.ts';
import { type ChannelLog, localChannels } from './channel.ts';
import type { Queues } from './port.ts';

/** BullMQ's bulk add creates temporary tables, which costs 7 ms regardless of their size; one add costs 0.7 ms. */
const BULK_FROM = 10;

/** No other process could take a job, so the time is long enough that a busy process loses no lock. */
const LOCK_MS = 60_000;

/** The caller owns the database: closing the queues leaves it open. */
export async function createEmbeddedQueues(db: Database, log: ChannelLog): Promise<Queues> {
  const client = await db.connect();
  try {
    await runMigrations(client);
  } finally {
    client.release();
  }
  return createQueues(
    {
      connection: db,
      factory: createPostgresBackend,
      lockMs: LOCK_MS,
      stalledMs: LOCK_MS,
      bulkFrom: BULK_FROM,
      channels: localChannels(log),
      async ping() {
        await db.query('SELECT 1');
      },
      async close() {},
    },
    log,
  );
}
