/** The schema version of the rows in Redis. A Redis that was emptied has none until the next start, and no older rows. */
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import type { SchemaMark } from '../../platform/store/schema-version.ts';

/** A hash; in the slot of the rows. */
const SCHEMA_KEY = 'nodewright:{live}:schema';

/** ARGV: number, from. */
const BEGIN = `
if tonumber(redis.call('HGET', KEYS[1], 'number') or 0) >= tonumber(ARGV[1]) then return 0 end
return redis.call('HSET', KEYS[1], 'number', ARGV[1], 'from', ARGV[2])`;

/** ARGV: number. */
const FINISH = `
if redis.call('HGET', KEYS[1], 'number') ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'from')`;

export function redisMark(connections: Pick<RedisConnections, 'commands' | 'within'>): SchemaMark {
  const { commands } = connections;
  return {
    place: 'Redis',
    async read() {
      const { number, from } = await connections.within(commands.hgetall(SCHEMA_KEY));
      if (number === undefined) return undefined;
      return { number: Number(number), ...(from !== undefined && { from: Number(from) }) };
    },
    async begin(number, from) {
      await connections.within(commands.eval(BEGIN, 1, SCHEMA_KEY, number, from));
    },
    async finish(number) {
      await connections.within(commands.eval(FINISH, 1, SCHEMA_KEY, String(number)));
    },
  };
}
