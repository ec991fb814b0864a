/**
 * Removing a job from a queue on Redis. BullMQ's own removal goes by the lock: it says yes to a job that was never
 * there, and takes one away from a worker whose lock ran out while Redis was away. Whoever asks here relies on the
 * answer: yes means that no worker will say any more what became of the job.
 */
import type { Redis } from 'ioredis';

/** Where BullMQ keeps jobs that no worker has: two lists and two sorted sets. */
const LISTS = ['wait', 'paused'];
const SETS = ['delayed', 'prioritized'];

const SCRIPT = `
local found = 0
for place = 2, ${1 + LISTS.length} do found = found + redis.call('LREM', KEYS[place], 1, ARGV[1]) end
for place = ${2 + LISTS.length}, #KEYS do found = found + redis.call('ZREM', KEYS[place], ARGV[1]) end
if found > 0 then redis.call('DEL', KEYS[1]) end
return found`;

/** @param queue what the queue's keys begin with */
export async function removeWaiting(redis: Redis, queue: string, id: string): Promise<boolean> {
  const keys = [id, ...LISTS, ...SETS].map((key) => `${queue}:${key}`);
  return (await redis.eval(SCRIPT, keys.length, ...keys, id)) === 1;
}
