/**
 * Checks once, at the start, whether the server persists its data. Jobs can be re-created from rows, so a failure is
 * only a warning; but lost jobs wait for the sweep, and a server that evicts keys can leave a job incomplete.
 *
 * INFO reports both settings and is allowed nearly everywhere; CONFIG, which many hosted servers reject, only
 * adds whether there are at least snapshots.
 */
import type { Redis } from 'ioredis';
import { reason } from './redis-errors.ts';

export interface Warning {
  message: string;
  found: string;
  expected: string;
  action: string;
}

const PERSISTENCE = {
  message: 'Redis may lose jobs when it stops',
  expected: 'appendonly yes',
  action: 'set appendonly yes in its configuration and with CONFIG SET; lost jobs wait for the next sweep',
};

const EVICTION = {
  message: 'Redis may evict jobs when its memory is full',
  expected: 'maxmemory-policy noeviction',
  action:
    'set maxmemory-policy noeviction in its configuration and with CONFIG SET; use another server for other purposes',
};

const unchecked = (why: string) => `could not be checked: ${why}`;

export async function durabilityWarnings(redis: Redis): Promise<Warning[]> {
  const { text, refused } = await info(redis);
  const aof = field(text, 'aof_enabled');
  const policy = field(text, 'maxmemory_policy');
  const warnings: Warning[] = [];
  if (aof === undefined) warnings.push({ ...PERSISTENCE, found: unchecked(refused) });
  else if (aof !== '1') warnings.push({ ...PERSISTENCE, found: `appendonly no, ${await snapshots(redis)}` });
  if (policy === undefined) warnings.push({ ...EVICTION, found: unchecked(refused) });
  else if (policy !== 'noeviction') warnings.push({ ...EVICTION, found: `maxmemory-policy ${policy}` });
  return warnings;
}

async function info(redis: Redis): Promise<{ text: string; refused: string }> {
  try {
    const text = `${await redis.info('persistence')}\n${await redis.info('memory')}`;
    return { text, refused: 'INFO does not report it' };
  } catch (error) {
    return { text: '', refused: reason(error) };
  }
}

const field = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}:([^\\r\\n]*)`, 'm').exec(text)?.[1];

async function snapshots(redis: Redis): Promise<string> {
  try {
    const [, save] = (await redis.config('GET', 'save')) as [string, string];
    return save === '' ? 'no snapshots' : `snapshots (save ${save}) lose changes after the last one`;
  } catch (error) {
    return `snapshots ${unchecked(reason(error))}`;
  }
}
