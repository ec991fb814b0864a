/**
 * Whether the server keeps what it is given, looked at once, at the start. Jobs can be made again from rows, so it is a
 * warning; but what is lost waits for the sweep, and a server that evicts keys can tear a job in two.
 *
 * INFO tells both settings and is allowed nearly everywhere; CONFIG, which many hosted servers refuse, tells only
 * whether there are snapshots at least.
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
  message: 'Redis may forget jobs when it stops',
  expected: 'appendonly yes',
  action: 'set appendonly yes in its configuration and with CONFIG SET; jobs that it forgets wait for the next sweep',
};

const EVICTION = {
  message: 'Redis may throw jobs away when its memory is full',
  expected: 'maxmemory-policy noeviction',
  action: 'set maxmemory-policy noeviction in its configuration and with CONFIG SET; give other uses another server',
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
    return { text, refused: 'INFO does not tell' };
  } catch (error) {
    return { text: '', refused: reason(error) };
  }
}

const field = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}:([^\\r\\n]*)`, 'm').exec(text)?.[1];

async function snapshots(redis: Redis): Promise<string> {
  try {
    const [, save] = (await redis.config('GET', 'save')) as [string, string];
    return save === '' ? 'no snapshots' : `snapshots (save ${save}) lose what came after the last`;
  } catch (error) {
    return `snapshots ${unchecked(reason(error))}`;
  }
}
