/**
 * Removes a job from a queue on Redis. BullMQ's own removal depends on the lock: it returns true for a job that never
 * existed, and takes a job from a worker whose lock expired during an outage. Callers here rely on the answer: true
 * means that no worker will report on the job any more.
 */
import type { Redis } from 'ioredis';

/** BullMQ's keys for jobs without a worker: two lists and two sorted sets. */
const LISTS = ['wait', 'paused'];
const SETS = ['delayed', 'prioritized'];

const SCRIPT = `
local found = 0
for place = 2, ${1 + LISTS.length} do found = found + redis.call('LREM', KEYS[place], 1, ARGV[1]) end
for place = ${2 + LISTS.length}, #KEYS do found = found + redis.call('ZREM', KEYS[place], ARGV[1]) end
if found > 0 then redis.call('DEL', KEYS[1]) end
return found`;

/** @param queue prefix of the queue's keys */
export async function removeWaiting(redis: Redis, queue: string, id: string): Promise<boolean> {
  const keys = [id, ...LISTS, ...SETS].map((key) => `${queue}:${key}`);
  return (await redis.eval(SCRIPT, keys.length, ...keys, id)) === 1;
}
