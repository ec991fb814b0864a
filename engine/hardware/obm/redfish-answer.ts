/** Reads the answers of a Redfish service, and maps failures to errors. No message contains data of the request. */
import type { Dispatcher } from 'undici';
import { ObmError } from '../../define/obm.ts';
import { limitedText } from '../../vocabulary/byte-limits.ts';
import { isTooDeep, listIn, NESTING_LIMIT, property } from '../../vocabulary/json.ts';
import { storableBeginning, storableJson } from '../../vocabulary/texts.ts';
import { fieldOf, rootCodeOf } from '../../vocabulary/thrown-values.ts';
import { MIB } from '../../vocabulary/units.ts';
import { type AccessAdvice, obmAdvice } from '../redfish/access-advice.ts';

export interface Answer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  /** Parsed JSON; null if there was none. */
  body: unknown;
}

const BODY_LIMIT = 4 * MIB;
const MESSAGE_LENGTH = 300;

export async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Answer> {
  const text = await limitedText(body, BODY_LIMIT, tooLong);
  return { status: statusCode, headers, body: parseBody(text) };
}

const tooLong = () => new ObmError('OBM_FAILED', `the BMC's answer is longer than ${BODY_LIMIT} bytes`);

/** @throws ObmError if it is nested too deep */
function parseBody(text: string): unknown {
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  // It becomes a catalog, a reading, an event or a name.
  if (!isTooDeep(body)) return storableJson(body, text);
  throw new ObmError('OBM_FAILED', `the BMC's answer is nested deeper than ${NESTING_LIMIT} levels`);
}

/** Returns the error for an error status (DSP0266, 8.6). */
export function rejectionOf(what: string, status: number, body: unknown, { rights } = obmAdvice): ObmError {
  const error = property(body, 'error');
  const [info] = listIn(property(error, '@Message.ExtendedInfo'));
  const why = storableBeginning(String(property(info, 'Message') ?? property(error, 'message') ?? ''), MESSAGE_LENGTH);
  const message = `${what}: the BMC answered ${status}${why === '' ? '' : `: ${why}`}`;
  if (status === 401 || status === 403) {
    return new ObmError('OBM_REJECTED', `${message}; ${rights}`, {
      retry: false,
      status,
    });
  }
  // As while it restarts (RFC 9110, 15.6.4).
  if (status === 503) return new ObmError('OBM_BUSY', `${message}; it starts, or is busy`, { status });
  return new ObmError('OBM_FAILED', message, isDeclined(status) ? { sent: false, status } : { status });
}

/** Statuses that show that the request was not executed (RFC 9110, 15.5, 15.6.2). */
const isDeclined = (status: number): boolean => (status >= 400 && status < 500) || status === 501;

/** Codes of failed connections. An open connection may also end with one of them; its error then has a `syscall`. */
const unsent = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTDOWN', 'EADDRNOTAVAIL'],
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** The first matches only errors of the handshake; the others may occur at any time. */
const [untrusted, encrypted] = [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/, /ERR_TLS|ERR_SSL/];

/** @param changes false for a request that changes nothing */
export function transportError(
  thrown: unknown,
  what: string,
  { origin, advice = obmAdvice }: { origin: string; advice?: AccessAdvice },
  changes: boolean,
): ObmError {
  if (thrown instanceof ObmError) return thrown;
  const code = reasonOf(thrown);
  if (untrusted.test(code) || (!changes && encrypted.test(code))) {
    return new ObmError('OBM_REJECTED', `the certificate of ${origin} is not accepted (${code}); ${advice.trust}`, {
      retry: false,
    });
  }
  if (!changes || (unsent.has(code) && !isOpen(thrown))) {
    return new ObmError('OBM_UNREACHABLE', `${origin} does not answer (${code}); check its network and its power`);
  }
  return new ObmError('OBM_UNANSWERED', `${what}: ${origin} did not answer (${code})`, { sent: true });
}

const isOpen = (error: unknown): boolean => ['read', 'write'].includes(String(fieldOf(error, 'syscall')));

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.name === 'AbortError' ? 'in time' : rootCodeOf(error) || 'the request failed';
