/**
 * The tail of the log in Redis, which all processes share: a stream with one entry for each piece that a process
 * appended, named after its first position, and a hash of marks.
 *
 * 1. `append` is one script, so positions are assigned in the order in which events become visible.
 * 2. A block of positions belongs to the server, by its run id, on which it was opened. After a restart, a failover or a
 *    loss the next event opens a new one: the server may not have the last positions that it had assigned.
 * 3. The tail takes at most `MAX_BYTES`: while the archive is unavailable, events wait in their rows beyond that.
 */

import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { RedisScripts } from '../../platform/redis/redis-scripts.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { MIB } from '../../vocabulary/units.ts';
import type { EventMarks } from './event-marks.ts';
import type { EventTail, Stretch, TailView } from './port.ts';

const TAIL_KEYS = ['nodewright:{events}:marks', 'nodewright:{events}:tail'] as const;
const MAX_BYTES = 256 * MIB;
/** Entries that are read, or dropped, at a time. */
const ENTRIES = 16;
const DROPPED_ENTRIES = 200;
/** Another process may open a block at the same time. */
const OPENINGS = 5;

const [OPEN, FULL] = [0, -1];

/**
 * ARGV: the maximum of bytes; of each piece the number of events, and their lines. Returns 1: appended; 0 and the server:
 * it needs a block; -1: full.
 */
const append = `
local count, size = 0, 0
for at = 2, #ARGV, 2 do count, size = count + tonumber(ARGV[at]), size + string.len(ARGV[at + 1]) end
local server = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local found = redis.call('HMGET', KEYS[1], 'server', 'seq', 'end', 'bytes')
local seq, bytes = tonumber(found[2] or 0), tonumber(found[4] or 0)
if found[1] ~= server or seq + count > tonumber(found[3] or 0) then return {0, server} end
if bytes + size > tonumber(ARGV[1]) then return {-1} end
redis.call('HSET', KEYS[1], 'seq', string.format('%.0f', seq + count), 'bytes', string.format('%.0f', bytes + size))
for at = 2, #ARGV, 2 do
  redis.call('XADD', KEYS[2], string.format('%.0f-0', seq + 1), 'n', ARGV[at], 'e', ARGV[at + 1])
  seq = seq + tonumber(ARGV[at])
end
return {1}
`;

/** ARGV: server, first and last position of a block. Another process may have opened a later one. */
const open = `
local found = redis.call('HMGET', KEYS[1], 'server', 'end')
local first = tonumber(ARGV[2])
if first <= tonumber(found[2] or 0) then return 0 end
redis.call('HSET', KEYS[1], 'server', ARGV[1], 'seq', string.format('%.0f', first - 1), 'end', ARGV[3])
return 1
`;

/** ARGV: position, maximum of entries. Returns the mark of the archive and the newest position, or false; then entries. */
const read = `
local found = redis.call('HMGET', KEYS[1], 'archived', 'seq')
if found[2] and tonumber(found[2]) <= tonumber(ARGV[1]) then return {found[1], found[2], {}} end
local after = string.format('%.0f', tonumber(ARGV[1]) + 1)
local entries = redis.call('XRANGE', KEYS[2], '(' .. after .. '-0', '+', 'COUNT', ARGV[2])
local first = redis.call('XREVRANGE', KEYS[2], after .. '-0', '-', 'COUNT', 1)[1]
if first then table.insert(entries, 1, first) end
return {found[1], found[2], entries}
`;

/** Positions of the newest event, and of the newest archived one, which is later if Redis is an older copy. */
const newest = "return redis.call('HMGET', KEYS[1], 'seq', 'archived')";

/**
 * ARGV: position up to which the archive has everything, maximum of entries. Returns the number of dropped entries. The
 * first command may be one of a full server.
 */
const drop = `
redis.call('PERSIST', KEYS[1])
local gone = redis.call('XRANGE', KEYS[2], '-', ARGV[1], 'COUNT', ARGV[2])
local found = redis.call('HMGET', KEYS[1], 'archived', 'bytes')
local size = 0
for _, entry in ipairs(gone) do
  size = size + string.len(entry[2][4])
  redis.call('XDEL', KEYS[2], entry[1])
end
if #gone > 0 then redis.call('HSET', KEYS[1], 'bytes', string.format('%.0f', math.max(0, tonumber(found[2] or 0) - size))) end
if tonumber(ARGV[1]) > tonumber(found[1] or 0) then redis.call('HSET', KEYS[1], 'archived', ARGV[1]) end
return #gone
`;

const scripts = { append, open, read, newest, drop };

type Entry = [id: string, fields: [string, count: string, string, lines: string]];

export class RedisTail implements EventTail {
  readonly #scripts: RedisScripts<keyof typeof scripts>;
  readonly #marks: EventMarks;
  readonly #maxBytes: number;

  constructor(connections: RedisConnections, marks: EventMarks, maxBytes = MAX_BYTES) {
    this.#scripts = new RedisScripts(connections, scripts);
    this.#marks = marks;
    this.#maxBytes = maxBytes;
  }

  async append(pieces: readonly (readonly string[])[], isUrgent: boolean): Promise<void> {
    const given = pieces.flatMap((texts) => [texts.length, texts.join('\n')]);
    const count = pieces.reduce((sum, texts) => sum + texts.length, 0);
    for (let opened = 0; opened < OPENINGS; opened += 1) {
      const call = { script: 'append', keys: TAIL_KEYS, args: [this.#maxBytes, ...given] } as const;
      const [result, server = ''] = (await (isUrgent
        ? this.#scripts.run([call]).then(([reply]) => reply)
        : this.#scripts.runSoon(call))) as [number, string?];
      if (result === FULL) throw fullError(this.#maxBytes);
      if (result !== OPEN) return;
      const { first, last } = await this.#marks.reserve(count);
      await this.#run('open', server, first, last);
    }
    throw new NodewrightError('UNAVAILABLE', 'Redis is replaced again and again; events wait');
  }

  async newestSeq(): Promise<number> {
    return Math.max(...(await this.#run<(string | null)[]>('newest')).map(Number));
  }

  async after(position: number): Promise<TailView> {
    const [archived, seq, entries] = await this.#run<[string | null, string | null, Entry[]]>(
      'read',
      position,
      ENTRIES,
    );
    return {
      newest: seq === null ? undefined : Math.max(Number(seq), Number(archived)),
      archived: archived === null ? Number.POSITIVE_INFINITY : Number(archived),
      stretches: entries.map(stretchOf).filter(({ last }) => last > position),
    };
  }

  async drop(upTo: number): Promise<void> {
    while ((await this.#run<number>('drop', upTo, DROPPED_ENTRIES)) === DROPPED_ENTRIES);
  }

  async #run<R>(script: keyof typeof scripts, ...args: (string | number)[]): Promise<R> {
    return (await this.#scripts.run([{ script, keys: TAIL_KEYS, args }]))[0] as R;
  }
}

function stretchOf([id, [, count, , lines]]: Entry): Stretch {
  const first = Number(id.split('-', 1)[0]);
  return { first, last: first + Number(count) - 1, lines };
}

const fullError = (maxBytes: number) =>
  new NodewrightError('UNAVAILABLE', `the event log has ${maxBytes} bytes that MongoDB does not take; events wait`);
