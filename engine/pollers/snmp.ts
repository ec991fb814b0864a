/** Reads trees of an SNMP agent, by version 2c. */
import { ObmError } from '../define/obm.ts';
import type { SnmpTarget } from '../obm/obm-drivers.ts';

/** The values below one object, by object identifier. */
export interface SnmpTree {
  source: string;
  values: Record<string, string>;
}

/** Limits of one poll. */
const VALUES = 1_000;
const CHARACTERS = 1_024;
const ANSWER_MS = 3_000;

/** @throws ObmError; the signal's reason if the signal fired */
export async function readTrees(
  { host, port, community }: SnmpTarget,
  oids: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<SnmpTree[]> {
  // Few daemons need it.
  const { default: snmp } = await import('net-snmp');
  const roots = numbered(oids, (name) => snmp.createModuleStore().translate(name, snmp.OidFormat.oid));
  signal.throwIfAborted();
  const session = snmp.createSession(host, community, {
    port,
    version: snmp.Version2c,
    timeout: ANSWER_MS,
    retries: 1,
  });
  let end: (error: unknown) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    end = reject;
  });
  ended.catch(() => {});
  const stop = () => end(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => end(silent(host, `no end within ${timeoutMs} ms`)), timeoutMs);
  session.on('error', (error: Error) => end(silent(host, error.message)));
  try {
    const trees: SnmpTree[] = [];
    let room = VALUES;
    for (const [source, oid] of roots) {
      const values: Record<string, string> = {};
      const read = new Promise<void>((resolve, reject) => {
        const feed = (found: readonly { oid: string; value?: unknown }[]) => {
          for (const one of found.slice(0, room)) values[one.oid] = textOf(one.value);
          room -= found.length;
          // True ends the walk; the type knows no other answer.
          return (room <= 0) as true;
        };
        session.subtree(oid, 20, feed, (error: Error | null) =>
          error ? reject(silent(host, error.message)) : resolve(),
        );
      });
      await Promise.race([read, ended]);
      trees.push({ source, values });
    }
    return trees;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    session.close();
  }
}

/** Object identifiers by the names that the user gave. */
function numbered(oids: readonly string[], translate: (name: string) => string): [string, string][] {
  return oids.map((name) => {
    const plain = name.replace(/^\./, '');
    if (/^\d+(\.\d+)+$/.test(plain)) return [name, plain];
    try {
      return [name, translate(name)];
    } catch {
      const advice = 'give its numbers, or a name of IF-MIB or SNMPv2-MIB';
      throw new ObmError('OBM_INVALID', `the object ${name} is in no MIB that the daemon has; ${advice}`, {
        retry: false,
      });
    }
  });
}

/** Texts as they are, other bytes in hexadecimal. */
function textOf(value: unknown): string {
  if (!Buffer.isBuffer(value)) return String(value).slice(0, CHARACTERS);
  const text = value.toString('utf8');
  return (/^[\p{L}\p{N}\p{P}\p{S}\s]*$/u.test(text) ? text : value.toString('hex')).slice(0, CHARACTERS);
}

const silent = (host: string, found: string) =>
  new ObmError('OBM_UNREACHABLE', `the SNMP agent at ${host} gave no answer: ${found}`);
