/** Errors of requests, in words: the daemon's own, and those of the way to it. */
import { codeOf, messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { meaningOf } from '../client/failed-end.ts';
import { PASSING } from '../client/requests.ts';
import { CommandError } from './exit-codes.ts';
import { printableText } from './terminal.ts';

interface ErrorBody {
  message?: string;
  code?: string;
  requestId?: string;
  errors?: { path?: string; message?: string }[];
  oldest?: number;
  requiredPrivileges?: string[];
}

/** An answer with an error. Its message has the code, the paths, and the request's id for the log. */
export class ApiError extends CommandError {
  readonly status: number;
  readonly code: string | undefined;
  readonly errors: readonly { path?: string; message?: string }[];
  /** For a 403: any one of these is sufficient. */
  readonly requiredPrivileges: readonly string[];
  /** EVENTS_GONE only: the position of the oldest event. */
  readonly oldest: number | undefined;

  constructor(status: number, answer: unknown) {
    const body: ErrorBody = typeof answer === 'object' && answer !== null ? answer : {};
    super(sentence(status, body));
    this.status = status;
    this.code = body.code;
    this.errors = body.errors ?? [];
    this.requiredPrivileges = body.requiredPrivileges ?? [];
    this.oldest = body.oldest;
  }
}

/** There is no answer. */
class ConnectionError extends CommandError {
  /** A daemon that starts again ends it. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean) {
    super(message);
    this.isPassing = isPassing;
  }
}

/** Whether the same request may succeed soon, because the daemon is away, starts, or is busy. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return PASSING.includes(error.status);
  if (error instanceof ConnectionError) return error.isPassing;
  // A stream that broke.
  return !(error instanceof CommandError);
}

function sentence(status: number, { message, code, requestId, errors = [] }: ErrorBody): string {
  if (status === 401 && message === 'No auth token')
    return 'Commands need a token; run: nw login; a new daemon has no user yet: nw user add NAME';
  if (status === 401) return 'The token is missing, has ended, or is not one of this daemon; run: nw login';
  const lines = [
    `${message ?? `A proxy or another server answered ${status}, not a daemon`}${code === undefined ? '' : ` (${code})`}`,
  ];
  for (const { path = '', message: text = '' } of errors.slice(0, 20)) lines.push(`  ${path}: ${text}`);
  const advice = message?.startsWith('No such path') ? otherEndpoint : adviceOf(code);
  if (advice !== undefined) lines.push(advice);
  if (status >= 500 && requestId !== undefined) lines.push(`The daemon's log has it as request ${requestId}`);
  // All of it: whatever answers may be no daemon.
  return lines.map(printableText).join('\n');
}

const otherEndpoint =
  'Correct the URL (--url, NW_URL): this may be the southbound endpoint, or a daemon of another version';

/** In the words of the command line; the others are those of docs/reference/errors.md. */
const advices: Readonly<Record<string, string>> = {
  RETRY_UNSAFE: 'Check the node; then name each of these tasks by --acknowledge LABEL, or choose another --from',
  NODE_BUSY: 'nw why <node> shows what that workflow waits for; nw cancel <node> ends it',
  WORKFLOW_ACTIVE: 'nw watch follows it; nw cancel ends it',
  WORKFLOW_ENDED: 'nw retry runs it again',
  OBM_MISSING: 'nw node obm set <node> gives the node one',
};
/** The message says it all. */
const obvious = ['INVALID', 'INVALID_OPTIONS', 'NOT_FOUND', 'FORBIDDEN', 'CONFLICT'];

function adviceOf(code: string | undefined): string | undefined {
  if (code === undefined || obvious.includes(code)) return undefined;
  return advices[code] ?? meaningOf(code)?.help;
}

/** TLS errors by their codes. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** Whether the error is about the certificate or the protocol, which a repetition does not change. */
export const isTlsCode = (code: string): boolean =>
  code === 'CERT_HAS_EXPIRED' || code === 'EPROTO' || code.startsWith('ERR_TLS') || untrusted.has(code);

/** Explains why there is no answer. */
export function connectionError(error: unknown, url: string): CommandError {
  if (error instanceof CommandError) return error;
  const code = codeOf(error) ?? codeOf((error as { cause?: unknown } | undefined)?.cause) ?? '';
  const { host } = new URL(url);
  return new ConnectionError(reasonOf(code, messageOf(error), host, url), !isTlsCode(code));
}

function reasonOf(code: string, message: string, host: string, url: string): string {
  if (code === 'ECONNREFUSED')
    return `No daemon listens at ${host}; start it (nw serve), or correct the URL (--url, NW_URL)`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The host of ${url} is unknown; correct the URL (--url, NW_URL)`;
  if (code === 'CERT_HAS_EXPIRED') return `The certificate of ${host} has expired; renew it, and restart the daemon`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of ${host} is for another name: ${message}; use the URL with its name`;
  if (untrusted.has(code))
    return `The certificate of ${host} is signed by an unknown authority; name the file of the authority (--ca FILE, NW_CA)`;
  if (code === 'EPROTO' || message.includes('wrong version number'))
    return `${host} does not speak TLS; use http:// in the URL, or enable httpsEnabled on the endpoint`;
  if (message.includes('Parse Error') || code.startsWith('HPE_'))
    return `${host} does not speak HTTP in the clear; use https:// in the URL`;
  if (message.includes('due to timeout') || code === 'ETIMEDOUT')
    return `${host} does not answer; the request may have been carried out: look before you repeat it`;
  const hint = url.startsWith('http:') ? 'if it speaks TLS, use https:// in the URL; ' : '';
  if (code === 'ECONNRESET')
    return `${host} ended the connection; ${hint}the request may have been carried out: look before you repeat it`;
  return `No answer from ${host}: ${printableText(message)}`;
}
