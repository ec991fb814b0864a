/**
 * A moment of Redis: while writes wait, rows are read. The pause ends by itself, also if this process dies; heartbeats,
 * leases and locks of jobs outlast it, because they all wait together.
 */

import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';

/** Less than what any caller of a daemon's command waits for its answer (`platform/redis/redis-connections.ts`). */
const PAUSE_MS = 3_000;
/** Less, because the reads must have ended before a write continues. */
const READ_MS = 2_500;

/** @returns what `read` returns, and how long writes waited @throws NodewrightError BACKUP_FAILED */
export async function whilePaused<T>(
  { commands }: Pick<RedisConnections, 'commands'>,
  read: () => Promise<T>,
): Promise<{ found: T; ms: number }> {
  const began = performance.now();
  await commands.client('PAUSE', PAUSE_MS, 'WRITE').catch((error) => {
    throw backupError(`its writes cannot be paused (${messageOf(error)}); the user in the URL needs CLIENT PAUSE`);
  });
  try {
    const result = await withTimeout(read(), READ_MS, () => {
      throw backupError(
        `the rows that move could not be read within ${READ_MS} ms, in which daemons wait; ` +
          'make the backup when fewer workflows run',
      );
    });
    const ms = performance.now() - began;
    // The answers may have come in time to Redis, and late to this process.
    if (ms > READ_MS) throw backupError(`reading the rows that move took ${Math.round(ms)} ms; try again`);
    return { found: result, ms };
  } finally {
    await commands.client('UNPAUSE').catch(() => {});
  }
}

const backupError = (why: string) => new NodewrightError('BACKUP_FAILED', `Redis: ${why}`);
