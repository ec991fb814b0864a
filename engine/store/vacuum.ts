/**
 * Background maintenance, which a PostgreSQL server does itself and PGlite does not: checkpoints (otherwise the log
 * grows forever, and a restart after a crash replays all of it) and vacuum (otherwise tables and indexes only grow).
 *
 * 1. Each round does little, because all other statements wait for it: at most one checkpoint and one table.
 * 2. An idle database is left alone: without writes since the last round, a round only reads the log position.
 */
import type { Query } from './statements.ts';

/**
 * An idle round takes 0.1 ms. Queries on a table that has just been filled are slow until the first
 * round, because it has no statistics yet.
 */
export const MAINTENANCE_INTERVAL_MS = 2_000;

/** Replays in about a second; under steady load, checkpoints (50 ms) occur every few minutes. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

/** PostgreSQL's own rule for autovacuum, with a base that suits short tables such as a queue's. */
const WORN = `SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_all_tables
  WHERE n_dead_tup > 500 + 0.2 * n_live_tup OR n_mod_since_analyze > 500 + 0.2 * n_live_tup
  ORDER BY n_dead_tup + n_mod_since_analyze DESC LIMIT 1`;

const LOG_POSITION = `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`;

/** @returns runs one round of maintenance; the caller must prevent overlapping rounds */
export function createMaintenance(query: Query): () => Promise<void> {
  let seen = 0;
  let checkpointed = 0;

  return async () => {
    const at = Number((await query<{ bytes: string }>(LOG_POSITION, [])).rows[0]?.bytes ?? 0);
    if (at === seen) return;
    if (at - checkpointed > MAX_LOG_BYTES) {
      await query('CHECKPOINT', []);
      checkpointed = at;
    }
    const [worn] = (await query<{ name: string }>(WORN, [])).rows;
    if (worn) await query(`VACUUM (ANALYZE) ${worn.name}`, []);
    seen = Number((await query<{ bytes: string }>(LOG_POSITION, [])).rows[0]?.bytes ?? 0);
  };
}
