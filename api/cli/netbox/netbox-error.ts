/** Errors of requests to NetBox, with the codes of `engine/vocabulary/error-codes.ts`. */
import type { errorMeanings } from '../../../engine/vocabulary/error-codes.ts';
import { isObject } from '../../../engine/vocabulary/json.ts';
import { missingAnswer, RemoteError } from '../remote-requests.ts';

type NetBoxCode = Extract<keyof typeof errorMeanings, `NETBOX_${string}`>;

export class NetBoxError extends RemoteError<NetBoxCode> {
  get isPassing(): boolean {
    return this.code === 'NETBOX_UNAVAILABLE';
  }
}

const PASSING_STATUSES = [429, 502, 503, 504];
const LONGEST_TEXT = 400;

/** @param body as JSON @param retryAfter the header of this name */
export function answerError(
  status: number,
  body: unknown,
  { host, retryAfter }: { host: string; retryAfter: string | undefined },
) {
  const said = reasonIn(body);
  if (PASSING_STATUSES.includes(status))
    return new NetBoxError('NETBOX_UNAVAILABLE', `NetBox at ${host} answers ${status}${said}`, waitOf(retryAfter));
  // NetBox answers 403 both for a token that it does not know and for a right that the user lacks.
  if (status === 401 || (status === 403 && /token|credential/i.test(said)))
    return new NetBoxError(
      'NETBOX_UNAUTHORIZED',
      `NetBox at ${host} does not accept the token${said}; name another in NETBOX_TOKEN or by --token-file`,
    );
  if (status === 403)
    return new NetBoxError(
      'NETBOX_FORBIDDEN',
      `The user of the token may not do this in NetBox${said}; give the user the permission, or use another token`,
    );
  if (status >= 500)
    return new NetBoxError('NETBOX_UNEXPECTED', `NetBox at ${host} answers ${status}${said}; its log has the reason`);
  return new NetBoxError('NETBOX_REJECTED', `NetBox at ${host} rejected the request with ${status}${said}`);
}

/** `{ "detail": "..." }`, `{ "field": ["..."] }`, or lists of these. */
function reasonIn(body: unknown): string {
  const text = isObject(body) && typeof body.detail === 'string' ? body.detail : textOf(body);
  return text === '' ? '' : `: ${text.slice(0, LONGEST_TEXT).replace(/\.$/, '')}`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  if (!isObject(value)) return typeof value === 'string' ? value : '';
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${textOf(inner)}`)
    .join('; ');
}

/** Seconds, or a date. */
function waitOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const ms = /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** There is no answer. */
export function noAnswerError(error: unknown, host: string): NetBoxError {
  if (error instanceof NetBoxError) return error;
  const { isOutage, sentence } = missingAnswer(error, {
    system: 'NetBox',
    host,
    urlFrom: '--netbox, NETBOX_URL',
    authorityFrom: '--netbox-ca or NETBOX_CA',
  });
  return new NetBoxError(isOutage ? 'NETBOX_UNAVAILABLE' : 'NETBOX_UNEXPECTED', sentence);
}

/** An answer that is not from the REST API of a NetBox. */
export const unexpectedError = (host: string, actual: string): NetBoxError =>
  new NetBoxError(
    'NETBOX_UNEXPECTED',
    `${host} answers ${actual}, expected JSON of NetBox; correct the URL (--netbox, NETBOX_URL), or the proxy before it`,
  );
