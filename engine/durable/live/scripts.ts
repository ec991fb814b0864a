/**
 * The scripts of live rows in Redis. All keys have one hash tag, so that a cluster has them in one slot.
 *
 * A row is a hash:
 * - `base`: the row, whole, of some version. `d<version>`: the delta of each later step (`delta.ts`).
 * - `!v`: its version.
 * - `!q`: the version that last changed a field which filters use, and which the record does not have yet.
 * - `!r`: it may have a document.
 * - `!hold`: of a node: the version with which the whole row followed from its holder, and the holder or ''.
 * - `!rest`: its document may say that it rests. 1: it is going to rest. 2: it is activating. No step is saved in the
 *   meantime.
 *
 * Without the key `epoch`, Redis has lost everything, and takes no row until that is healed (`healing.ts`).
 *
 * Sorted sets of ids: `left` has the pending rows by their last save; `idle` the others, by the time at which they may
 * rest; `due` the times of timers; `unrecorded` the rows with `!q`. Times but those of timers are the server's.
 */
import { SERVER_NOW } from '../../platform/redis/redis-scripts.ts';

/**
 * A script for many rows, of which each is one atomic change, or none. KEYS: left, idle, due, unrecorded, the epoch; then
 * of each row its hash, its lines, and the mark that it has left. ARGV: of each row the JSON of a list, with its id and
 * version, and as many other texts. One text is much cheaper for the client than many. Returns a number for each row.
 * @param one Lua: the body of a function of a row, with its list as `args`, and two other texts
 * @param first Lua that precedes it
 */
const forEach = (one: string, first = '') => `
local left, idle, due, unrecorded = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local sets = {left, idle, due, unrecorded}
${first}
local function one(row, lines, gone, args, body, line)
local id, version = args[1], args[2]
${one}
end
local results = {}
local rows = (#KEYS - 5) / 3
local texts = #ARGV / rows
for at = 1, rows do
  local key, text = 3 + at * 3, (at - 1) * texts + 1
  local body, line
  if texts > 1 then body, line = ARGV[text + 1], ARGV[text + 2] end
  results[at] = one(KEYS[key], KEYS[key + 1], KEYS[key + 2], cjson.decode(ARGV[text]), body, line)
end
return results
`;

/**
 * A full server rejects the first write of a script if it needs memory, and no later one. After this one, which changes
 * nothing, rows can leave a full server.
 */
const ALTHOUGH_FULL = "redis.call('PERSIST', KEYS[1])";

/**
 * List of a written row: id, version, whether its text is the whole row, whether it is pending, whether it was (null: it is
 * new here), ms until it may rest, time of the next timer or '', whether that has changed, ms until another process
 * records it or '', `!rest` or '', `!hold` without the version or null. Texts: the row or its delta; history line or ''.
 */
const WRITE = `
${SERVER_NOW}
local function drop(row)
  for _, name in ipairs(redis.call('HKEYS', row)) do
    if string.sub(name, 1, 1) == 'd' then redis.call('HDEL', row, name) end
  end
end
local function write(sets, row, lines, args, version, body, line)
  local left, idle, due, unrecorded = unpack(sets)
  local id, _, isWhole, pending, wasPending, restAfter, timerAt, isTimerChanged, recordAfter, rest, hold = unpack(args, 1, 11)
  if isWhole and wasPending ~= cjson.null then drop(row) end
  local part = isWhole and 'base' or 'd' .. version
  if hold == cjson.null then redis.call('HSET', row, '!v', version, part, body)
  else redis.call('HSET', row, '!v', version, part, body, '!hold', version .. ' ' .. hold) end
  if rest ~= '' then redis.call('HSET', row, '!rest', rest, '!r', 1) end
  if pending then
    redis.call('ZADD', left, now, id)
    if wasPending ~= true then redis.call('ZREM', idle, id) end
  else
    if wasPending ~= false then redis.call('ZREM', left, id) end
    redis.call('ZADD', idle, now + restAfter, id)
  end
  if isTimerChanged then
    if timerAt == '' then redis.call('ZREM', due, id) else redis.call('ZADD', due, timerAt, id) end
  end
  if recordAfter ~= '' then
    redis.call('HSET', row, '!q', version)
    redis.call('ZADD', unrecorded, now + recordAfter, id)
  end
  if line ~= '' then redis.call('RPUSH', lines, line) end
  return 1
end
`;

const WITH_EPOCH = `${WRITE}
local hasEpoch = redis.call('EXISTS', KEYS[5]) == 1
`;
const EPOCH = 'if not hasEpoch then return -9 end';

/**
 * Saves a written row; the version is the previous one.
 * Returns 1: saved; 0: another version is stored; -1: it rests, or is about to; -2: it is not here; -9: no epoch.
 */
const save = forEach(
  `${EPOCH}
local found = redis.call('HMGET', row, '!v', '!rest')
if not found[1] then return -2 end
if found[2] then return -1 end
if found[1] ~= version then return 0 end
return write(sets, row, lines, args, tonumber(version) + 1, body, line)`,
  WITH_EPOCH,
);

/**
 * For pairs of a written workflow and its node, of which both are written, or none. KEYS: the sorted sets of workflows, the
 * epoch, the sorted sets of nodes; then of each pair the keys of the workflow and of the node. ARGV: of each pair the
 * texts of both; the node's list has its holder instead of a version, if it does not depend on the row before.
 * Returns the node's new version; 0: another version is stored of the workflow, or it is here, or not here, or the node has
 * another holder, or more in its row; -1: the node rests, or is about to; -2: it is not here; -9: no epoch.
 */
export const pair = `${WRITE}
local workflows, nodes = {KEYS[1], KEYS[2], KEYS[3], KEYS[4]}, {KEYS[6], KEYS[7], KEYS[8], KEYS[9]}
local hasEpoch = redis.call('EXISTS', KEYS[5]) == 1
local function isExpected(row, gone, args)
  if args[5] == cjson.null then return redis.call('EXISTS', row, gone) == 0 end
  local found = redis.call('HMGET', row, '!v', '!rest')
  return found[1] == args[2] and not found[2]
end
local function save(sets, key, args, version, text)
  write(sets, KEYS[key], KEYS[key + 1], args, version, ARGV[text + 1], ARGV[text + 2])
end
local function one(key, text)
  if not hasEpoch then return -9 end
  local workflow, node = cjson.decode(ARGV[text]), cjson.decode(ARGV[text + 3])
  if not isExpected(KEYS[key], KEYS[key + 2], workflow) then return 0 end
  local found = redis.call('HMGET', KEYS[key + 3], '!v', '!rest', '!hold')
  if not found[1] then return -2 end
  if found[2] then return -1 end
  if node[12] and found[3] ~= found[1] .. ' ' .. node[2] then return 0 end
  if not node[12] and found[1] ~= node[2] then return 0 end
  save(workflows, key, workflow, workflow[5] == cjson.null and workflow[2] or tonumber(workflow[2]) + 1, text)
  save(nodes, key + 3, node, tonumber(found[1]) + 1, text + 3)
  return tonumber(found[1]) + 1
end
local results = {}
for at = 1, #ARGV / 6 do results[at] = one(4 + at * 6, at * 6 - 5) end
return results
`;

/** Inserts a written row. Returns 1: inserted; 0: it is here, or has left a moment ago; -9: no epoch. */
const insert = forEach(
  `${EPOCH}
if redis.call('EXISTS', row, gone) > 0 then return 0 end
return write(sets, row, lines, args, version, body, line)`,
  WITH_EPOCH,
);

/** Activates a written row that has a document. Returns 1: it is activating; 0: it is here, or removed; -9: no epoch. */
const revive = forEach(
  `${EPOCH}
if redis.call('EXISTS', row) == 1 or redis.call('GET', gone) == 'removed' then return 0 end
redis.call('DEL', gone)
return write(sets, row, lines, args, version, body, line)`,
  WITH_EPOCH,
);

/**
 * Saves a written row that is activating, as its first step; the version is the previous one. Returns 0: it is not here any more, or
 * another process has activated it; -9: no epoch.
 */
const resume = forEach(
  `${EPOCH}
local found = redis.call('HMGET', row, '!v', '!rest')
if found[1] ~= version or found[2] ~= '2' then return 0 end
redis.call('HDEL', row, '!rest')
return write(sets, row, lines, args, tonumber(version) + 1, body, line)`,
  WITH_EPOCH,
);

const RESTORE = `local found = redis.call('HGET', row, '!v')
if found and tonumber(found) >= tonumber(version) then return 0 end
redis.call('DEL', row)
return write(sets, row, lines, args, version, body, line)`;

/** Restores a written row from the memory of a process. Returns 0: the same version is here, or a newer one. */
const restore = forEach(RESTORE, WRITE);

/** The same for a row that may have come to rest, or was removed, after it was read: it has left the mark. */
const restoreUnlessLeft = forEach(
  `if redis.call('EXISTS', gone) == 1 then return 0 end
${RESTORE}`,
  WRITE,
);

/** List: id, the recorded version. */
const recorded = forEach(
  `if redis.call('EXISTS', row) == 1 then redis.call('HSET', row, '!r', 1) end
local queued = redis.call('HGET', row, '!q')
if queued and tonumber(queued) <= tonumber(version) then
  redis.call('HDEL', row, '!q')
  redis.call('ZREM', unrecorded, id)
end
return 1`,
  ALTHOUGH_FULL,
);

/**
 * List: id, version. Returns 1: the row, now of the next version, takes no step until it is forgotten or activated. A row
 * whose rest or activating was interrupted is put to rest again.
 */
const rest = forEach(
  `if redis.call('HGET', row, '!v') ~= version or redis.call('ZSCORE', left, id) then return 0 end
redis.call('HSET', row, '!v', tonumber(version) + 1, '!rest', 1, '!r', 1)
return 1`,
  ALTHOUGH_FULL,
);

/**
 * The mark rejects an insertion that a process decided before it saw the row, and makes late; that of a removed row also an
 * activation, which would show the row until its document is compared.
 */
const leaveWith = (mark: 'left' | 'removed') => `redis.call('DEL', row, lines)
for i = 1, 4 do redis.call('ZREM', KEYS[i], id) end
redis.call('SET', gone, '${mark}', 'EX', 60)
return 1`;
const LEAVE = leaveWith('left');
const REMOVE = leaveWith('removed');

/**
 * List: id, version of a row that rests, or is activating, and has a document. Returns 0: it was activated in the meantime, or
 * removed.
 */
const forget = forEach(`local found = redis.call('HMGET', row, '!v', '!rest')
if found[1] ~= version or not found[2] then return 0 end
${LEAVE}`);

/** List: id, version of a row that is over, and has a document. Returns 0: another process settled it. */
const leave = forEach(
  `local found = redis.call('HMGET', row, '!v', '!rest')
if found[1] ~= version or found[2] then return 0 end
${LEAVE}`,
  ALTHOUGH_FULL,
);

/**
 * List: id. Returns the version that the record must know before the row takes a step; 0: it takes steps already. It is
 * above that of the document that says that the row rests, which is above that of the row.
 */
const activate = forEach(`local found = redis.call('HMGET', row, '!v', '!rest')
if not found[2] then return 0 end
if found[2] == '2' then return tonumber(found[1]) end
redis.call('HSET', row, '!v', tonumber(found[1]) + 2, '!rest', 2)
return tonumber(found[1]) + 2`);

/** List: id, version. */
const activated = forEach(`local found = redis.call('HMGET', row, '!v', '!rest')
if found[1] == version and found[2] == '2' then redis.call('HDEL', row, '!rest') end
return 1`);

/** List: id. Returns 0: it may have a document, which has to be removed first. */
const removeUnrecorded = forEach(
  `if redis.call('HEXISTS', row, '!r') == 1 or redis.call('EXISTS', row) == 0 then return 0 end
${REMOVE}`,
  ALTHOUGH_FULL,
);

/** List: id, the version of a document that does not move. Returns 0: the row is newer. */
const outdated = forEach(`local found = redis.call('HGET', row, '!v')
if not found or tonumber(found) >= tonumber(version) then return 0 end
${LEAVE}`);

/** List: id. */
const remove = forEach(REMOVE, ALTHOUGH_FULL);

/** List: id, the version of its insertion. Returns 0: it took a step. */
const withdraw = forEach(
  `if redis.call('HGET', row, '!v') ~= version then return 0 end
${LEAVE}`,
  ALTHOUGH_FULL,
);

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
  resume,
  recorded,
  rest,
  forget,
  leave,
  activate,
  activated,
  removeUnrecorded,
  outdated,
  remove,
  withdraw,
  take,
  older,
};
export type ScriptName = keyof typeof scripts;
export type WritingScript = 'save' | 'insert' | 'revive' | 'resume' | 'restore' | 'restoreUnlessLeft';
export type RowScript = Exclude<ScriptName, 'take' | 'older'>;
