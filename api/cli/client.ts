/** The requests of a command, with the certificates and the token of its context. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { limitedText } from '../../engine/vocabulary/byte-limits.ts';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { MIB } from '../../engine/vocabulary/units.ts';
import {
  type ApiAnswer,
  answerOf,
  PASSING,
  parseJson,
  pathOf,
  RESPONSE_TIMEOUT_MS,
  type RequestParts,
  Requests,
  SILENT_MS,
} from '../client/requests.ts';
import type { RouteTypes } from '../client/route-types.ts';
import type { HttpMethod } from '../http/route.ts';
import { ApiError, connectionError, isPassing } from './api-error.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { Connections, type RequestOptions } from './open-request.ts';
import { printableText } from './terminal.ts';

export interface DaemonAddress {
  url: string;
  token: string | undefined;
  /** Returns the token of a request; absent: always the same. @throws CommandError */
  renewToken?: () => Promise<string | undefined>;
  /** File with certificates to trust, in addition to the system's. */
  ca: string | undefined;
}

export class Client extends Requests {
  readonly url: string;
  readonly #tokenNow: () => Promise<string | undefined>;
  readonly #connections: Connections;

  constructor({ url, token, renewToken, ca }: DaemonAddress) {
    super();
    this.url = url.replace(/\/+$/, '');
    this.#tokenNow = renewToken ?? (async () => token);
    this.#connections = new Connections(url.startsWith('https:'), ca === undefined ? undefined : certificatesIn(ca));
  }

  /** Sends bytes, such as a pack. */
  async upload(
    method: 'PUT' | 'POST',
    path: RouteTypes['path'],
    bytes: Uint8Array,
    type: string,
    parts: Omit<RequestParts, 'body'> = {},
  ): Promise<unknown> {
    const { body } = await this.#send(method, pathOf(path, parts), bytes, type);
    return body;
  }

  /** Opens a stream of text that ends with the signal. @throws ApiError, CommandError */
  async stream(path: RouteTypes['path'], parts: RequestParts, headers: Record<string, string>, signal: AbortSignal) {
    const answer = await this.#open(pathOf(path, parts), { method: 'GET', headers, signal, silentMs: SILENT_MS });
    const { statusCode = 0 } = answer;
    if (statusCode >= 400) throw new ApiError(statusCode, parseJson(await textOf(answer, this.url)));
    return answer;
  }

  isPassing(error: unknown): boolean {
    return isPassing(error);
  }

  oldestOf(error: unknown): number | undefined {
    return error instanceof ApiError ? error.oldest : undefined;
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  protected async json<T>(method: HttpMethod, path: string, parts: RequestParts): Promise<ApiAnswer<T>> {
    const body = parts.body === undefined ? undefined : JSON.stringify(parts.body);
    return (await this.#send(method, pathOf(path, parts), body, 'application/json', parts.limitMs)) as ApiAnswer<T>;
  }

  async #send(
    method: HttpMethod,
    path: string,
    body: string | Uint8Array | undefined,
    type: string,
    limitMs = RESPONSE_TIMEOUT_MS,
  ): Promise<ApiAnswer<unknown>> {
    const answer = await this.#open(path, {
      method,
      headers: body === undefined ? {} : { 'content-type': type },
      body,
      signal: AbortSignal.timeout(limitMs),
      silentMs: limitMs,
    });
    const { statusCode = 0, headers } = answer;
    const text = await textOf(answer, this.url).catch(this.#fail);
    const isDaemon = headers['x-request-id'] !== undefined;
    if (!isDaemon && !PASSING.includes(statusCode)) throw noDaemon(this.url, statusCode, headers.location);
    if (statusCode >= 400) throw new ApiError(statusCode, parseJson(text));
    return answerOf(statusCode, (name) => headers[name]?.toString(), text);
  }

  async #open(path: string, options: RequestOptions): Promise<IncomingMessage> {
    const token = await this.#tokenNow();
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { ...authorization, ...options.headers };
    return this.#connections.open(this.url + path, { ...options, headers }).catch(this.#fail);
  }

  readonly #fail = (error: unknown): never => {
    throw connectionError(error, this.url);
  };
}

/** Characters; more than a page of the largest records. */
const ANSWER_LIMIT = 256 * MIB;

const textOf = (body: AsyncIterable<Uint8Array>, url: string): Promise<string> =>
  limitedText(body, ANSWER_LIMIT, () => new CommandError(`${url} sends more than ${ANSWER_LIMIT} bytes; ask for less`));

/** Another server, or a proxy in between: each answer of a daemon has the id of its request. */
function noDaemon(url: string, status: number, location: string | string[] | undefined): CommandError {
  const statusText = location === undefined ? `${status}` : `${status}, which leads to ${location}`;
  return new CommandError(
    printableText(
      `${url} answers ${statusText}, and not as a nodewright daemon does; correct the URL (--url, NW_URL), or the proxy`,
    ),
  );
}

function certificatesIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`found no certificates in ${file}: ${messageOf(error)}`, EXIT.usage);
  }
}
