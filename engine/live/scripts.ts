/**
 * The scripts of live rows in Redis. Each is one atomic change. All keys have one hash tag, so that a cluster has them in
 * one slot.
 *
 * A row is a hash: the fields of `parts.ts`, and these:
 * - `!v`: its version.
 * - `!q`: the version that last changed a field which filters use, and which the record does not have yet.
 * - `!r`: it may have a document.
 * - `!rest`: its document may say that it rests. 1: it is going to rest. 2: it is waking. No step is saved meanwhile.
 *
 * Without the key `epoch`, Redis has lost everything, and takes no row until that is healed (`healing.ts`).
 *
 * Sorted sets of ids: `left` has the pending rows by their last save; `idle` the others, by the time at which they may
 * rest; `due` the times of timers; `unrecorded` the rows with `!q`. Times but those of timers are the server's.
 */
import { SERVER_NOW } from '../queue/redis-scripts.ts';

/**
 * A full server rejects the first write of a script if it needs memory, and no later one. After this one, which changes
 * nothing, rows can leave a full server.
 */
const ALTHOUGH_FULL = "redis.call('PERSIST', KEYS[1])";

/** KEYS of a row: row, lines, left, idle, due, unrecorded, the mark that it has left, and the epoch. */
const EPOCH = "if redis.call('EXISTS', KEYS[8]) == 0 then return -9 end";

/**
 * ARGV of a written row: id, version, pending, ms until it may rest, time of the next timer or '', ms until another
 * process records it or '', `!rest` or '', history line or '', number of set fields and values, these, removed fields.
 */
const WRITE = `
local function write(version)
  local set = 9 + tonumber(ARGV[9])
  for i = 10, set, 200 do redis.call('HSET', KEYS[1], unpack(ARGV, i, math.min(i + 199, set))) end
  for i = set + 1, #ARGV, 200 do redis.call('HDEL', KEYS[1], unpack(ARGV, i, math.min(i + 199, #ARGV))) end
  redis.call('HSET', KEYS[1], '!v', version)
  if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], '!rest', ARGV[7], '!r', 1) end
  ${SERVER_NOW}
  if ARGV[3] == '1' then
    redis.call('ZADD', KEYS[3], now, ARGV[1])
    redis.call('ZREM', KEYS[4], ARGV[1])
  else
    redis.call('ZREM', KEYS[3], ARGV[1])
    redis.call('ZADD', KEYS[4], now + tonumber(ARGV[4]), ARGV[1])
  end
  if ARGV[5] == '' then redis.call('ZREM', KEYS[5], ARGV[1]) else redis.call('ZADD', KEYS[5], ARGV[5], ARGV[1]) end
  if ARGV[6] ~= '' then
    redis.call('HSET', KEYS[1], '!q', version)
    redis.call('ZADD', KEYS[6], now + tonumber(ARGV[6]), ARGV[1])
  end
  if ARGV[8] ~= '' then redis.call('RPUSH', KEYS[2], ARGV[8]) end
  return 1
end
`;

/**
 * ARGV: a written row; the version is the one before.
 * Returns 1: saved; 0: another version is stored; -1: it rests, or is about to; -2: it is not here; -9: no epoch.
 */
const save = `${EPOCH}
${WRITE}
local found = redis.call('HMGET', KEYS[1], '!v', '!rest')
if not found[1] then return -2 end
if found[2] then return -1 end
if found[1] ~= ARGV[2] then return 0 end
return write(tonumber(ARGV[2]) + 1)
`;

/** ARGV: a written row. Returns 1: inserted; 0: it is here, or has left a moment ago; -9: no epoch. */
const insert = `${EPOCH}
${WRITE}
if redis.call('EXISTS', KEYS[1], KEYS[7]) > 0 then return 0 end
return write(ARGV[2])
`;

/** ARGV: a written row, which has a document. Returns 1: it is waking; 0: it is here; -9: no epoch. */
const revive = `${EPOCH}
${WRITE}
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
write(ARGV[2])
redis.call('DEL', KEYS[7])
return 1
`;

/** ARGV: a written row, which a process has in memory. Returns 0: the same version is here, or a newer one. */
const restore = `${WRITE}
local found = redis.call('HGET', KEYS[1], '!v')
if found and tonumber(found) >= tonumber(ARGV[2]) then return 0 end
redis.call('DEL', KEYS[1])
return write(ARGV[2])
`;

/** The same for a row that may have come to rest, or was removed, after it was read: it has left the mark. */
const restoreUnlessLeft = `
if redis.call('EXISTS', KEYS[7]) == 1 then return 0 end
${restore}`;

/** ARGV: id, the recorded version. */
const recorded = `${ALTHOUGH_FULL}
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], '!r', 1) end
local queued = redis.call('HGET', KEYS[1], '!q')
if queued and tonumber(queued) <= tonumber(ARGV[2]) then
  redis.call('HDEL', KEYS[1], '!q')
  redis.call('ZREM', KEYS[6], ARGV[1])
end
return 1
`;

/**
 * ARGV: id, version. Returns 1: the row, now of the next version, takes no step until it is forgotten or woken. A row
 * whose rest or waking was interrupted is put to rest again.
 */
const rest = `
${ALTHOUGH_FULL}
if redis.call('HGET', KEYS[1], '!v') ~= ARGV[2] then return 0 end
if redis.call('ZSCORE', KEYS[3], ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], '!v', tonumber(ARGV[2]) + 1, '!rest', 1, '!r', 1)
return 1
`;

/** The mark rejects an insertion that a process decided before it saw the row, and makes late. */
const LEAVE = `
redis.call('DEL', KEYS[1], KEYS[2])
for i = 3, 6 do redis.call('ZREM', KEYS[i], ARGV[1]) end
redis.call('SET', KEYS[7], 1, 'EX', 60)
return 1
`;

/** ARGV: id, version at rest. Returns 0: it was woken meanwhile, or removed. */
const forget = `
local found = redis.call('HMGET', KEYS[1], '!v', '!rest')
if found[1] ~= ARGV[2] or found[2] ~= '1' then return 0 end
${LEAVE}`;

/**
 * ARGV: id. Returns the version that the record must know before the row takes a step; 0: it takes steps already. It is
 * above that of the document that says that the row rests, which is above that of the row.
 */
const wake = `
local found = redis.call('HMGET', KEYS[1], '!v', '!rest')
if not found[2] then return 0 end
if found[2] == '2' then return tonumber(found[1]) end
redis.call('HSET', KEYS[1], '!v', tonumber(found[1]) + 2, '!rest', 2)
return tonumber(found[1]) + 2
`;

/** ARGV: id, version. */
const awake = `
local found = redis.call('HMGET', KEYS[1], '!v', '!rest')
if found[1] == ARGV[2] and found[2] == '2' then redis.call('HDEL', KEYS[1], '!rest') end
return 1
`;

/** ARGV: id. Returns 0: it may have a document, which has to be removed first. */
const removeUnrecorded = `${ALTHOUGH_FULL}
if redis.call('HEXISTS', KEYS[1], '!r') == 1 or redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
${LEAVE}`;

/** ARGV: id, the version of a document that does not move. Returns 0: the row is newer. */
const outdated = `
local found = redis.call('HGET', KEYS[1], '!v')
if not found or tonumber(found) >= tonumber(ARGV[2]) then return 0 end
${LEAVE}`;

/** ARGV: id. */
const remove = `${ALTHOUGH_FULL}
${LEAVE}`;

/** ARGV: id, the version of its insertion. Returns 0: it took a step. */
const withdraw = `${ALTHOUGH_FULL}
if redis.call('HGET', KEYS[1], '!v') ~= ARGV[2] then return 0 end
${LEAVE}`;

/** KEYS: a sorted set. ARGV: limit, ms until others may take them. Returns the ids whose time has come. */
const take = `${SERVER_NOW}
${ALTHOUGH_FULL}
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), id) end
return ids
`;

/** KEYS: a sorted set. ARGV: ms. Returns the ids that were last set before so long. */
const older = `${SERVER_NOW}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[1]))
`;

export const scripts = {
  save,
  restore,
  restoreUnlessLeft,
  insert,
  revive,
  recorded,
  rest,
  forget,
  wake,
  awake,
  removeUnrecorded,
  outdated,
  remove,
  withdraw,
  take,
  older,
};
export type ScriptName = keyof typeof scripts;
