/**
 * Membership and leases in Redis. It owns a connection of its own: heartbeats wait behind no other command, and are sent
 * again soon after an outage.
 *
 * 1. Each change is one script. All keys have one hash tag, so that a Redis Cluster has them in one slot.
 * 2. The members are a hash from the id of a process to its count of heartbeats. Its field `!began` is the time of the
 *    server at which the hash was created: a Redis that was emptied a moment ago does not know all members yet.
 * 3. The leases are a hash from the name of a lease to its holder.
 */
import type { Redis } from 'ioredis';
import type { RedisConnections } from '../redis/redis-connections.ts';
import { RedisScripts, SERVER_NOW } from '../redis/redis-scripts.ts';
import type { SharedCluster } from './cluster.ts';
import type { LeaseRecord } from './leases.ts';
import type { Heartbeats } from './membership.ts';

const KEY_PREFIX = 'nodewright:{cluster}';
export const MEMBERS = `${KEY_PREFIX}:members`;
export const LEASES = `${KEY_PREFIX}:leases`;
const BEGAN = '!began';

/** KEYS: members, leases. ARGV: id, count. Returns the leases whose holder is the process: names and holders in turn. */
const beat = `${SERVER_NOW}
local began = tonumber(redis.call('HGET', KEYS[1], '${BEGAN}'))
if not began or began > now then redis.call('HSET', KEYS[1], '${BEGAN}', now) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
local leases = redis.call('HGETALL', KEYS[2])
local held = {}
for i = 1, #leases, 2 do
  if string.sub(leases[i + 1], 1, #ARGV[1] + 1) == ARGV[1] .. ' ' then
    held[#held + 1] = leases[i]
    held[#held + 1] = leases[i + 1]
  end
end
return held
`;

/** KEYS: members. ARGV: id, ms. Returns 1: it is not a member, and every member was heard within the given ms. */
const absent = `${SERVER_NOW}
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
local began = tonumber(redis.call('HGET', KEYS[1], '${BEGAN}'))
if not began or now - began < tonumber(ARGV[2]) then return 0 end
return 1
`;

/** KEYS: members. ARGV: id, the count that it still has to have, or ''. */
const leave = `
if ARGV[2] == '' or redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1
`;

/** KEYS: leases. ARGV: name, holder before, new holder; '' is none. Returns 1: changed, also if it had been before. */
const change = `
local found = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if found ~= '' and found == ARGV[3] then return 1 end
if found ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1
`;

const holder = "return redis.call('HGET', KEYS[1], ARGV[1])";

const scripts = { beat, absent, leave, change, holder };
export type ClusterScripts = Pick<RedisScripts<keyof typeof scripts>, 'run'>;

export function openRedisCluster(connections: RedisConnections): SharedCluster {
  const client = connections.prompt();
  const ownScripts = clusterScripts(connections, client);
  return {
    heartbeats: redisHeartbeats(ownScripts, () => connections.within(client.hgetall(MEMBERS))),
    leases: redisLeases(ownScripts),
    close: () => connections.disconnect(client),
  };
}

export function clusterScripts(connections: Pick<RedisConnections, 'within'>, commands: Redis): ClusterScripts {
  // Each of these scripts may be run twice, so a lost answer leaves nothing unknown.
  return new RedisScripts({ commands, within: (work) => connections.within(work), losses: 0 }, scripts);
}

function redisHeartbeats(ownScripts: ClusterScripts, members: () => Promise<Record<string, string>>): Heartbeats {
  return {
    async beat(id, count) {
      const [held] = (await ownScripts.run([{ script: 'beat', keys: [MEMBERS, LEASES], args: [id, count] }])) as [
        string[],
      ];
      return new Map(held.flatMap((name, at) => (at % 2 === 0 ? [[name, held[at + 1] as string]] : [])));
    },
    async counts() {
      const { [BEGAN]: _began, ...counts } = await members();
      return new Map(Object.entries(counts).map(([id, count]) => [id, Number(count)]));
    },
    async isAbsent(id, heardMs) {
      return (await ownScripts.run([{ script: 'absent', keys: [MEMBERS], args: [id, heardMs] }]))[0] === 1;
    },
    async leave(id, count) {
      await ownScripts.run([{ script: 'leave', keys: [MEMBERS], args: [id, count ?? ''] }]);
    },
  };
}

export function redisLeases(ownScripts: ClusterScripts): (name: string) => LeaseRecord {
  return (name) => ({
    async holder() {
      return (await ownScripts.run([{ script: 'holder', keys: [LEASES], args: [name] }]))[0] as string | null;
    },
    async change(from, to) {
      return (
        (await ownScripts.run([{ script: 'change', keys: [LEASES], args: [name, from ?? '', to ?? ''] }]))[0] === 1
      );
    },
  });
}
