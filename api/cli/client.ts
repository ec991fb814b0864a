/**
 * Requests to a daemon. Paths, queries, bodies and answers have the types of the routes, which the OpenAPI document is
 * generated from too: the compiler rejects a command that does not fit the interface.
 */
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Agent, request } from 'undici';
import { messageOf } from '../../engine/define/thrown.ts';
import { ApiError, connectionError } from './api-error.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import type { RouteTypes } from './route-types.ts';

type All = RouteTypes;
type Method = All['method'];
type PathsOf<M extends Method> = Extract<All, { method: M }>['path'];
type At<M extends Method, P extends string> = Extract<All, { method: M; path: P }>;

/** The answer to `GET` of this path. */
export type Got<P extends PathsOf<'GET'>> = At<'GET', P>['answer'];

export interface RequestParts<Body = unknown> {
  /** By the names in the path. */
  params?: Record<string, string>;
  /** A value that is undefined is left out. */
  query?: Record<string, string | number | boolean | undefined>;
  body?: Body;
  /** ms; absent: as long as most answers may take. */
  limitMs?: number;
}

export interface ApiAnswer<T> {
  status: number;
  body: T;
  /** `X-Total-Count` of a list. */
  total: number | undefined;
  /** The clock of the daemon, in ms since 1970. */
  at: number;
  /** Parameters of the next page. */
  next: Record<string, string> | undefined;
  /** `X-Warnings` of a graph that was put. */
  warnings: string | undefined;
}

/** ms; longer than any answer of a daemon takes. */
const ANSWER_MS = 60_000;
/** ms without a byte of a stream, which has a comment every 15 s. */
const SILENT_MS = 45_000;

export interface DaemonAddress {
  url: string;
  token: string | undefined;
  /** File with certificates to trust, in addition to the system's. */
  ca: string | undefined;
}

export class Client {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #agent: Agent;

  constructor({ url, token, ca }: DaemonAddress) {
    this.url = url.replace(/\/+$/, '');
    this.#token = token;
    // Alone, they would replace those that Node trusts.
    this.#agent = new Agent(ca === undefined ? {} : { connect: { ca: [...rootCertificates, certificatesIn(ca)] } });
  }

  get<P extends PathsOf<'GET'>>(path: P, parts: RequestParts = {}): Promise<ApiAnswer<At<'GET', P>['answer']>> {
    return this.#json('GET', path, parts);
  }

  post<P extends PathsOf<'POST'>>(
    path: P,
    parts: RequestParts<At<'POST', P>['body']> = {},
  ): Promise<ApiAnswer<At<'POST', P>['answer']>> {
    return this.#json('POST', path, parts);
  }

  put<P extends PathsOf<'PUT'>>(
    path: P,
    parts: RequestParts<At<'PUT', P>['body']> = {},
  ): Promise<ApiAnswer<At<'PUT', P>['answer']>> {
    return this.#json('PUT', path, parts);
  }

  patch<P extends PathsOf<'PATCH'>>(
    path: P,
    parts: RequestParts<At<'PATCH', P>['body']> = {},
  ): Promise<ApiAnswer<At<'PATCH', P>['answer']>> {
    return this.#json('PATCH', path, parts);
  }

  async remove(path: PathsOf<'DELETE'>, parts: RequestParts = {}): Promise<void> {
    await this.#json('DELETE', path, parts);
  }

  /** Sends bytes, such as a pack. */
  async upload<P extends PathsOf<'PUT' | 'POST'>>(
    method: 'PUT' | 'POST',
    path: P,
    bytes: Uint8Array,
    type: string,
    parts: Omit<RequestParts, 'body'> = {},
  ): Promise<unknown> {
    const { body } = await this.#send(method, pathOf(path, parts), bytes, type);
    return body;
  }

  /** Opens a stream of text that ends with the signal. @throws ApiError, CommandError */
  async stream(path: PathsOf<'GET'>, parts: RequestParts, headers: Record<string, string>, signal: AbortSignal) {
    const { statusCode, body } = await request(this.url + pathOf(path, parts), {
      headers: { ...this.#headers(), ...headers },
      dispatcher: this.#agent,
      signal,
      headersTimeout: ANSWER_MS,
      bodyTimeout: SILENT_MS,
    }).catch((error: unknown) => {
      throw connectionError(error, this.url);
    });
    if (statusCode >= 400) throw new ApiError(statusCode, parsed(await body.text()));
    return body;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #json<T>(method: Method, path: string, parts: RequestParts): Promise<ApiAnswer<T>> {
    const body = parts.body === undefined ? undefined : JSON.stringify(parts.body);
    return (await this.#send(method, pathOf(path, parts), body, 'application/json', parts.limitMs)) as ApiAnswer<T>;
  }

  async #send(
    method: Method,
    path: string,
    body: string | Uint8Array | undefined,
    type: string,
    limitMs = ANSWER_MS,
  ): Promise<ApiAnswer<unknown>> {
    const sent = request(this.url + path, {
      method,
      headers: { ...this.#headers(), ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(limitMs),
      headersTimeout: limitMs,
    }).then(async (answer) => ({ ...answer, text: await answer.body.text() }));
    const { statusCode, headers, text } = await sent.catch((error: unknown) => {
      throw connectionError(error, this.url);
    });
    if (statusCode >= 400) throw new ApiError(statusCode, parsed(text));
    const count = headers['x-total-count'];
    const total = count === undefined ? undefined : Number(count);
    const [at, next] = [Date.parse(String(headers.date)), nextOf(headers.link)];
    const warnings = headers['x-warnings']?.toString();
    return { status: statusCode, body: parsed(text), total, next, warnings, at };
  }

  #headers(): Record<string, string> {
    return this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
  }
}

function certificatesIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`found no certificates in ${file}: ${messageOf(error)}`, EXIT.usage);
  }
}

/** Paths below /api/current are given without that prefix, as routes declare them. */
const ROOT = /^\/(?:login|healthz|readyz|metrics|redfish|docs)\b/;

function pathOf(path: string, { params = {}, query = {} }: Pick<RequestParts, 'params' | 'query'>): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const prefix = ROOT.test(path) ? '' : '/api/current';
  return `${prefix}${filled}${search.size === 0 ? '' : `?${search}`}`;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function nextOf(link: string | string[] | undefined): Record<string, string> | undefined {
  const [, target] = /<([^>]*)>; rel="next"/.exec(String(link ?? '')) ?? [];
  return target === undefined ? undefined : Object.fromEntries(new URL(target, 'http://daemon').searchParams);
}
