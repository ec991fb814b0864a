/**
 * BullMQ on the embedded database. Its tables live in the schema `bullmq`, beside the documents, and its statements
 * run on the same session in turn with theirs; their commits do not wait for the disk (`pglite.ts`, rule 2).
 */
import { createPostgresBackend, runMigrations } from 'bullmq';
import type { Database } from '../store/pglite.ts';
import { createQueues } from './bullmq.ts';
import { type Log, localChannels } from './channel.ts';
import type { Queues } from './port.ts';

/** BullMQ's bulk add makes temporary tables, which cost 7 ms whatever their size; one add costs 0.7 ms. */
const BULK_FROM = 10;

/** Nobody else could take a job. So long that a lock is not lost to a process that has much to do. */
const LOCK_MS = 60_000;

/** The database is its opener's: closing the queues leaves it open. */
export async function createEmbeddedQueues(db: Database, log: Log): Promise<Queues> {
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
