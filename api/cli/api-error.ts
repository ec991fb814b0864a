/** Errors of requests, in words: the daemon's own, and those of the way to it. */
import { codeOf, messageOf } from '../../engine/define/thrown.ts';
import { CommandError } from './exit-codes.ts';
import { printable } from './terminal.ts';

interface ErrorBody {
  message?: string;
  code?: string;
  requestId?: string;
  requiredPrivileges?: string[];
  errors?: { path?: string; message?: string }[];
}

/** An answer with an error. Its message has the code, the paths, and the request's id for the log. */
export class ApiError extends CommandError {
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, answer: unknown) {
    const body: ErrorBody = typeof answer === 'object' && answer !== null ? answer : {};
    super(sentence(status, body));
    this.status = status;
    this.code = body.code;
  }
}

function sentence(status: number, { message, code, requestId, requiredPrivileges, errors = [] }: ErrorBody): string {
  if (status === 401) return 'The token is missing, has ended, or is not one of this daemon; run: nw login';
  const lines = [`${printable(message ?? `The daemon answered ${status}`)}${code === undefined ? '' : ` (${code})`}`];
  for (const { path = '', message: found = '' } of errors.slice(0, 20))
    lines.push(`  ${printable(path)}: ${printable(found)}`);
  if (requiredPrivileges !== undefined) lines.push(`Your role needs one of: ${requiredPrivileges.join(', ')}`);
  if (status >= 500 && requestId !== undefined) lines.push(`The daemon's log has it as request ${requestId}`);
  return lines.join('\n');
}

/** TLS errors by their codes. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** Explains why there is no answer. */
export function connectionError(error: unknown, url: string): CommandError {
  if (error instanceof CommandError) return error;
  const code = codeOf(error) ?? codeOf((error as { cause?: unknown } | undefined)?.cause) ?? '';
  const { host } = new URL(url);
  return new CommandError(reasonOf(code, messageOf(error), host, url));
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
  if (
    message.includes('due to timeout') ||
    code === 'UND_ERR_HEADERS_TIMEOUT' ||
    code === 'UND_ERR_CONNECT_TIMEOUT' ||
    code === 'ETIMEDOUT'
  )
    return `${host} does not answer; the request may have been carried out: look before you repeat it`;
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET')
    return `${host} ended the connection; the request may have been carried out: look before you repeat it`;
  return `No answer from ${host}: ${printable(message)}`;
}
