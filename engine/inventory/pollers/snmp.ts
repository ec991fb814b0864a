/** Reads trees of an SNMP agent, by version 1, 2c or 3. */
import type Snmp from 'net-snmp';
import { ObmError } from '../../define/obm.ts';
import type { SnmpTarget, SnmpUser } from '../../hardware/obm/snmp-settings.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { numberOf } from './snmp-names.ts';
import { snmpText } from './snmp-values.ts';

/** The values below one object, by object identifier. */
export interface SnmpTree {
  source: string;
  values: Record<string, string>;
}

/** Limits of one poll. */
const VALUES = 1_000;
const RESPONSE_TIMEOUT_MS = 3_000;
/** Objects per answer. */
const ROWS = 20;

/** @throws ObmError; the signal's reason if the signal fired */
export async function readTrees(
  target: SnmpTarget,
  oids: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<SnmpTree[]> {
  // Few daemons need it.
  const { default: snmp } = await import('net-snmp');
  const roots = oids.map((name) => [name, numberOf(name, snmp)] as const);
  signal.throwIfAborted();
  const { host } = target;
  const session = sessionTo(target, snmp);
  let end: (error: unknown) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    end = reject;
  });
  ended.catch(() => {});
  const stop = () => end(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => end(silentError(host, `no end within ${timeoutMs} ms`)), timeoutMs);
  session.on('error', (error: Error) => end(silentError(host, error.message)));
  try {
    const trees: SnmpTree[] = [];
    let room = VALUES;
    for (const [source, oid] of roots) {
      const values = await Promise.race([readTree(session, oid, room, snmp), ended]);
      room -= Object.keys(values).length;
      trees.push({ source, values });
    }
    return trees;
  } catch (error) {
    throw error instanceof ObmError || error === signal.reason ? error : silentError(host, messageOf(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    session.close();
  }
}

/** Returns the values below an object; of an object without any, its own. */
async function readTree(session: Snmp.Session, oid: string, room: number, snmp: typeof Snmp) {
  const values: Record<string, string> = {};
  const keep = (one: Snmp.Varbind) => {
    if (Object.keys(values).length < room && !snmp.isVarbindError(one)) values[one.oid] = snmpText(one);
  };
  await new Promise<void>((resolve, reject) => {
    const feed = (varbinds: readonly Snmp.Varbind[]) => {
      for (const one of varbinds) keep(one);
      // True ends the walk; the type knows no other answer.
      return (Object.keys(values).length >= room) as true;
    };
    session.subtree(oid, ROWS, feed, (error: Error | null) => (error ? reject(error) : resolve()));
  });
  if (Object.keys(values).length > 0) return values;
  return new Promise<typeof values>((resolve, reject) => {
    session.get([oid], (error: Error | null, varbinds: readonly Snmp.Varbind[] = []) => {
      // Version 1 answers that there is no such object with an error.
      if (error !== null && !(error instanceof snmp.RequestFailedError)) return reject(error);
      for (const one of varbinds) keep(one);
      resolve(values);
    });
  });
}

function sessionTo({ host, port, access }: SnmpTarget, snmp: typeof Snmp): Snmp.Session {
  const options = { port, timeout: RESPONSE_TIMEOUT_MS, retries: 1 };
  if (access.version === '3') return snmp.createV3Session(host, userOf(access, snmp), { ...options, version: 3 });
  const version = access.version === '1' ? snmp.Version1 : snmp.Version2c;
  return snmp.createSession(host, access.community, { ...options, version });
}

function userOf({ user: name, authPassword, privPassword, ...of }: SnmpUser, snmp: typeof Snmp): Snmp.User {
  const { SecurityLevel, AuthProtocols, PrivProtocols } = snmp;
  if (authPassword === undefined) return { name, level: SecurityLevel.noAuthNoPriv };
  const auth = { authProtocol: AuthProtocols[of.authProtocol], authKey: authPassword };
  if (privPassword === undefined) return { name, level: SecurityLevel.authNoPriv, ...auth };
  const priv = { privProtocol: PrivProtocols[of.privProtocol], privKey: privPassword };
  return { name, level: SecurityLevel.authPriv, ...auth, ...priv };
}

const silentError = (host: string, problem: string) =>
  new ObmError('OBM_UNREACHABLE', `the SNMP agent at ${host} gave no answer: ${problem}`);
