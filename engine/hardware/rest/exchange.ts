/** One exchange of HTTP, for tasks that send requests. */
import { Type } from 'typebox';
import type { ActivityScope } from '../../define/operation.ts';
import { secret } from '../../define/task.ts';
import { limitedText } from '../../vocabulary/byte-limits.ts';
import { NodewrightError, PermanentError } from '../../vocabulary/errors.ts';
import { isTooDeep, NESTING_LIMIT } from '../../vocabulary/json.ts';
import { storableBeginning, storableJson } from '../../vocabulary/texts.ts';
import { withTimeLimit } from '../../vocabulary/time-limit.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';

const BODY_LIMIT = 128 * 1024;
/** RFC 9110, 9.2.2. */
const repeatable: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE'];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const restOptions = {
  url: Type.String({ pattern: '^https?://', description: 'URL of the request.' }),
  method: Type.Unsafe<(typeof methods)[number]>({
    type: 'string',
    enum: [...methods],
    default: 'GET',
    description: 'Method.',
  }),
  headers: Type.Optional(secret(Type.Record(Type.String(), Type.String(), { description: 'Headers of the request.' }))),
  body: Type.Optional(secret(Type.Unknown({ description: 'Body; anything but a text is sent as JSON.' }))),
  credential: Type.Optional(
    secret(
      Type.Object(
        { username: Type.String(), password: Type.String() },
        { description: 'User for basic authentication.' },
      ),
    ),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: HOUR_MS, description: 'Timeout of the whole exchange.' }),
  ),
  verifySSL: Type.Optional(Type.Boolean({ description: 'false: accept any certificate.' })),
  ca: Type.Optional(Type.String({ description: 'PEM of the authority that signed the certificate.' })),
  acceptedStatusCodes: Type.Optional(
    Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
      minItems: 1,
      description: 'Status codes of success; absent: 200 to 299.',
    }),
  ),
  data: Type.Optional(secret(Type.Unknown({ description: 'The body, under the name that RackHD has for it.' }))),
  recvTimeoutMs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: HOUR_MS,
      description: '`timeoutMs`, under the name that RackHD has for it.',
    }),
  ),
};

export const restDefaults = { method: 'GET', timeoutMs: 30_000, verifySSL: true } as const;

/** Whether a request that may have been sent may be sent again. */
export const isRepeatable = (method: string): boolean => repeatable.includes(method);

export interface RestRequest extends SentRequest {
  url: string;
  method: (typeof methods)[number];
  timeoutMs?: number;
  recvTimeoutMs?: number;
  verifySSL?: boolean;
  ca?: string;
  acceptedStatusCodes?: number[];
  data?: unknown;
}

export interface RestAnswer {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

/** @throws PermanentError or NodewrightError for an answer that was not asked for, EGRESS_DENIED */
export async function exchange(scope: Pick<ActivityScope<RestRequest>, 'input' | 'signal' | 'services'>) {
  const { input, signal, services } = scope;
  const { egress } = services;
  egress.check(input.url);
  const { verifySSL = true, ca, recvTimeoutMs, data, body = data } = input;
  const timeoutMs = recvTimeoutMs ?? input.timeoutMs ?? 30_000;
  // Loaded by the first request: it consists of many files, and most daemons send none.
  const { Agent, request } = await import('undici');
  const connect = { lookup: egress.lookup, rejectUnauthorized: verifySSL, ...(ca === undefined ? {} : { ca }) };
  const dispatcher = new Agent({ connect, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const lateError = () => new Error(`the exchange took longer than ${timeoutMs} ms`);
  try {
    return await withTimeLimit(signal, timeoutMs, lateError, async (limited) => {
      const sent = { dispatcher, method: input.method, ...message({ ...input, body }), signal: limited };
      const answer = await request(input.url, sent).catch(unsentError);
      const text = await limitedText(answer.body, BODY_LIMIT, tooLarge);
      const { statusCode } = answer;
      if (!isAccepted(statusCode, input.acceptedStatusCodes)) throw rejectedError(statusCode, text);
      return { statusCode, headers: answer.headers, body: parseBody(text, answer.headers['content-type']) };
    });
  } finally {
    await dispatcher.destroy();
  }
}

/** Without a connection no request was sent. */
const connecting = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Marks an error after which the request may be sent again, whatever its method. */
function unsentError(error: Error & { code?: string }): never {
  throw connecting.includes(error.code ?? '') ? Object.assign(error, { nothingDone: true }) : error;
}

interface SentRequest {
  headers?: Record<string, string>;
  body?: unknown;
  credential?: { username: string; password: string };
}

function message({ headers = {}, body, credential }: SentRequest) {
  const basic =
    credential === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}` };
  if (body === undefined) return { headers: { ...basic, ...headers } };
  const json = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
  return {
    headers: { ...json, ...basic, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

const isAccepted = (status: number, codes: number[] | undefined): boolean =>
  codes === undefined ? status >= 200 && status < 300 : codes.includes(status);

/** Timeouts, limits of rates and faults of the server: another attempt may help. */
const isTemporary = (status: number): boolean => status === 408 || status === 429 || status >= 500;

function rejectedError(status: number, text: string): Error {
  const message = `the server answered ${status}: ${storableBeginning(text, 500)}`;
  return isTemporary(status) ? new NodewrightError('REST_STATUS', message) : new PermanentError(message, 'REST_STATUS');
}

const tooLarge = () => new PermanentError(`the answer is longer than ${BODY_LIMIT} bytes`, 'REST_TOO_LARGE');

function parseBody(text: string, type: string | string[] | undefined): unknown {
  if (text === '' || !String(type ?? '').includes('json')) return text;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new PermanentError('the answer has the content type JSON but cannot be parsed', 'REST_NOT_JSON');
  }
  if (!isTooDeep(body)) return storableJson(body, text);
  throw new PermanentError(`the answer is nested deeper than ${NESTING_LIMIT} levels`, 'REST_TOO_LARGE');
}
