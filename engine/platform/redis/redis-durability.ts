/**
 * Checks once, at the start, whether a power failure of the host loses writes that Redis has acknowledged. Rows that move
 * are in Redis only, so a server that may lose writes is rejected, unless the configuration accepts it.
 *
 * INFO reports whether there is an append-only file and what is evicted, and is allowed nearly everywhere. CONFIG, which
 * many hosted servers reject, reports how the file is synced. The configuration decides about unchecked settings.
 */
import type { Redis } from 'ioredis';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { reason } from './redis-errors.ts';

/** How the append-only file is synced, in the words of Redis (`appendfsync`); `no` also: there is none. */
export type RedisDurability = 'always' | 'everysec' | 'no';

export interface Warning {
  message: string;
  found: string;
  expected: string;
  action: string;
}

/** A setting of the server: how it is reported; undefined: it could not be checked. */
interface ServerSetting<T> {
  value: T | undefined;
  shown: string;
}

const FROM_LOWEST: readonly RedisDurability[] = ['no', 'everysec', 'always'];

const EXPECTED: Record<RedisDurability, string> = {
  always: 'appendonly yes with appendfsync always',
  everysec: 'appendonly yes with appendfsync everysec or always',
  no: 'any',
};

const LOST: Record<RedisDurability, string> = {
  always: 'nothing, if its provider guarantees that',
  everysec: 'up to two seconds of steps, which are taken again: a task that must not run twice may run twice',
  no: 'every workflow that runs',
};

const NOEVICTION = 'maxmemory-policy noeviction';
const ACTION = 'set it in the configuration of Redis and with CONFIG SET';

/**
 * @param accepted from the configuration; absent: only a server that is known to lose nothing
 * @returns what the configuration accepts, to be logged
 * @throws NodewrightError CONFIG_INVALID when the server may lose more
 */
export async function checkedDurability(redis: Redis, accepted: RedisDurability | undefined): Promise<Warning[]> {
  const info = await infoOf(redis);
  const sync = await syncOf(redis, info);
  const policy = policyOf(info);
  const needed = accepted ?? 'always';
  const isSyncAccepted = sync.value === undefined ? accepted !== undefined : !isWeaker(sync.value, needed);
  const isPolicyAccepted =
    needed === 'no' || (policy.value === undefined ? accepted !== undefined : policy.value === 'noeviction');
  const rejected = [
    ...(isSyncAccepted ? [] : [{ found: sync, expected: EXPECTED[needed] }]),
    ...(isPolicyAccepted ? [] : [{ found: policy, expected: NOEVICTION }]),
  ];
  if (rejected.length > 0) throw rejection(rejected);
  const warnings: Warning[] = [];
  if (sync.value !== 'always') {
    const message = `A power failure of the Redis host loses ${LOST[sync.value ?? needed]}`;
    warnings.push({ message, found: sync.shown, expected: EXPECTED.always, action: ACTION });
  }
  if (policy.value !== 'noeviction') {
    const message = 'Redis may remove workflows that run when its memory is full';
    warnings.push({ message, found: policy.shown, expected: NOEVICTION, action: ACTION });
  }
  return warnings;
}

const isWeaker = (one: RedisDurability, other: RedisDurability): boolean =>
  FROM_LOWEST.indexOf(one) < FROM_LOWEST.indexOf(other);

function rejection(all: readonly { found: ServerSetting<string>; expected: string }[]): NodewrightError {
  const problem = all.map((each) => each.found.shown).join(' and ');
  const expected = all.map((each) => each.expected).join(' and ');
  const isUnknown = all.every((each) => each.found.value === undefined);
  const action = isUnknown
    ? 'allow INFO and CONFIG GET, or set redisDurability in the configuration to what the provider guarantees'
    : `${ACTION}, or accept the loss with redisDurability in the configuration`;
  return new NodewrightError(
    'CONFIG_INVALID',
    `redis: found ${problem}, expected ${expected}, because workflows that run are in Redis only; ${action}`,
  );
}

interface Info {
  text: string;
  /** Why it lacks a field. */
  lacking: string;
}

async function infoOf(redis: Redis): Promise<Info> {
  try {
    const text = `${await redis.info('persistence')}\n${await redis.info('memory')}`;
    return { text, lacking: 'INFO does not report it' };
  } catch (error) {
    return { text: '', lacking: reason(error) };
  }
}

const field = ({ text }: Info, name: string): string | undefined =>
  new RegExp(`^${name}:([^\\r\\n]*)`, 'm').exec(text)?.[1];

const uncheckedSetting = (name: string, why: string): ServerSetting<never> => ({
  value: undefined,
  shown: `an unknown ${name} (${why})`,
});

async function syncOf(redis: Redis, info: Info): Promise<ServerSetting<RedisDurability>> {
  const aof = field(info, 'aof_enabled');
  if (aof === undefined) return uncheckedSetting('appendonly', info.lacking);
  if (aof !== '1') return { value: 'no', shown: 'appendonly no' };
  try {
    const { appendfsync, 'no-appendfsync-on-rewrite': pause } = await configOf(redis, '*appendfsync*');
    const value = FROM_LOWEST.find((one) => one === appendfsync);
    if (value === undefined) return uncheckedSetting('appendfsync', 'CONFIG does not report it');
    // The file is rewritten every now and then, and is not synced in the meantime.
    if (pause === 'yes') return { value: 'no', shown: `appendfsync ${value} with no-appendfsync-on-rewrite yes` };
    return { value, shown: `appendfsync ${value}` };
  } catch (error) {
    return uncheckedSetting('appendfsync', reason(error));
  }
}

async function configOf(redis: Redis, pattern: string): Promise<Record<string, string | undefined>> {
  const list = (await redis.config('GET', pattern)) as string[];
  return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : [])));
}

function policyOf(info: Info): ServerSetting<string> {
  const value = field(info, 'maxmemory_policy');
  return value === undefined
    ? uncheckedSetting('maxmemory-policy', info.lacking)
    : { value, shown: `maxmemory-policy ${value}` };
}
