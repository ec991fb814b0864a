/** Sessions with SNMP agents, by version 1, 2c or 3. */
import type Snmp from 'net-snmp';
import { ObmError } from '../../define/obm.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { SnmpTarget, SnmpUser } from './snmp-settings.ts';

/** The package, and a session with one agent. */
export interface SnmpSession {
  snmp: typeof Snmp;
  session: Snmp.Session;
}

interface SessionLimits {
  /** All of `use`. */
  timeoutMs: number;
  /** No packet of a command is repeated, and a command without an answer may be done. */
  isCommand?: boolean;
}

const RESPONSE_TIMEOUT_MS = 3_000;

/**
 * Returns the result of `use`, and closes the session.
 * @throws ObmError of `use`; OBM_UNREACHABLE for its other errors, of a command OBM_UNANSWERED; the signal's reason if the signal fired
 */
export async function withAgent<T>(
  target: SnmpTarget,
  { timeoutMs, isCommand = false }: SessionLimits,
  signal: AbortSignal,
  use: (open: SnmpSession) => Promise<T>,
): Promise<T> {
  // Few daemons need it.
  const { default: snmp } = await import('net-snmp');
  signal.throwIfAborted();
  const { host } = target;
  const code = isCommand ? 'OBM_UNANSWERED' : 'OBM_UNREACHABLE';
  const silentError = (problem: string) => new ObmError(code, `the SNMP agent at ${host} gave no answer: ${problem}`);
  let end: (error: unknown) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    end = reject;
  });
  ended.catch(() => {});
  const fail = (error: unknown) => end(silentError(messageOf(error)));
  const session = sessionTo(target, isCommand ? 0 : 1, snmp, fail);
  const stop = () => end(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => end(silentError(`no end within ${timeoutMs} ms`)), timeoutMs);
  session.on('error', fail);
  try {
    return await Promise.race([use({ snmp, session }), ended]);
  } catch (error) {
    throw error instanceof ObmError || error === signal.reason ? error : silentError(messageOf(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    session.close();
  }
}

function sessionTo(
  { host, port, access }: SnmpTarget,
  retries: number,
  snmp: typeof Snmp,
  fail: (error: unknown) => void,
): Snmp.Session {
  /** The package throws for some answers, such as a report by version 2c, in the event of its socket, which would end the process. */
  class GuardedSession extends snmp.Session {
    override onMsg(buffer: Buffer): void {
      try {
        super.onMsg(buffer);
      } catch (error) {
        fail(error);
      }
    }
  }
  const options = { port, timeout: RESPONSE_TIMEOUT_MS, retries };
  if (access.version === '3')
    return new GuardedSession(host, userOf(access, snmp), { ...options, version: snmp.Version3 });
  const version = access.version === '1' ? snmp.Version1 : snmp.Version2c;
  return new GuardedSession(host, access.community, { ...options, version });
}

function userOf({ user: name, authPassword, privPassword, ...of }: SnmpUser, snmp: typeof Snmp): Snmp.User {
  const { SecurityLevel, AuthProtocols, PrivProtocols } = snmp;
  if (authPassword === undefined) return { name, level: SecurityLevel.noAuthNoPriv };
  const auth = { authProtocol: AuthProtocols[of.authProtocol], authKey: authPassword };
  if (privPassword === undefined) return { name, level: SecurityLevel.authNoPriv, ...auth };
  const priv = { privProtocol: PrivProtocols[of.privProtocol], privKey: privPassword };
  return { name, level: SecurityLevel.authPriv, ...auth, ...priv };
}
