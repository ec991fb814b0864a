/**
 * Requests to a daemon, for the command line and the console. Paths, queries, bodies and answers have the types of the
 * routes, which the OpenAPI document is generated from too: the compiler rejects a request that does not fit.
 */
import type { HttpMethod } from '../http/route.ts';
import type { RouteTypes } from './route-types.ts';

type PathsOf<M extends HttpMethod> = Extract<RouteTypes, { method: M }>['path'];
type At<M extends HttpMethod, P extends string> = Extract<RouteTypes, { method: M; path: P }>;

/** The answer to `GET` of this path. */
export type GetAnswer<P extends PathsOf<'GET'>> = At<'GET', P>['answer'];
/** The answer to `POST` of this path. */
export type PostAnswer<P extends PathsOf<'POST'>> = At<'POST', P>['answer'];

/** The body of a `POST` of this path. */
export type PostBody<P extends PathsOf<'POST'>> = At<'POST', P>['body'];

export interface RequestParts<Body = unknown> {
  /** By the names in the path. */
  params?: Record<string, string>;
  /** A value that is undefined is left out. */
  query?: Record<string, string | number | boolean | undefined>;
  body?: Body;
  /** ms; absent: as long as most answers may take. */
  limitMs?: number;
}

export type ListQuery = NonNullable<RequestParts['query']>;

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

export type Get<P extends PathsOf<'GET'>> = Promise<ApiAnswer<GetAnswer<P>>>;

/** ms; longer than any answer of a daemon takes. */
export const RESPONSE_TIMEOUT_MS = 60_000;
/** ms; a large archive takes a while. */
export const ARCHIVE_LIMIT_MS = 300_000;
/** ms without a byte of the stream of events, which has a comment every 15 s. */
export const SILENT_MS = 45_000;

/** @throws an error with the daemon's sentence, or with that of the connection */
export abstract class Requests {
  get<P extends PathsOf<'GET'>>(path: P, parts: RequestParts = {}): Get<P> {
    return this.json('GET', path, parts);
  }

  post<P extends PathsOf<'POST'>>(
    path: P,
    parts: RequestParts<At<'POST', P>['body']> = {},
  ): Promise<ApiAnswer<At<'POST', P>['answer']>> {
    return this.json('POST', path, parts);
  }

  put<P extends PathsOf<'PUT'>>(
    path: P,
    parts: RequestParts<At<'PUT', P>['body']> = {},
  ): Promise<ApiAnswer<At<'PUT', P>['answer']>> {
    return this.json('PUT', path, parts);
  }

  patch<P extends PathsOf<'PATCH'>>(
    path: P,
    parts: RequestParts<At<'PATCH', P>['body']> = {},
  ): Promise<ApiAnswer<At<'PATCH', P>['answer']>> {
    return this.json('PATCH', path, parts);
  }

  async remove(path: PathsOf<'DELETE'>, parts: RequestParts = {}): Promise<void> {
    await this.json('DELETE', path, parts);
  }

  /** Opens a stream of text that ends with the signal. */
  abstract stream(
    path: RouteTypes['path'],
    parts: RequestParts,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;

  /** Whether the same request may succeed soon, because the daemon is away, starts, or is busy. */
  abstract isPassing(error: unknown): boolean;

  /** The position of the oldest event, if the error is EVENTS_GONE. */
  abstract oldestOf(error: unknown): number | undefined;

  protected abstract json<T>(method: HttpMethod, path: string, parts: RequestParts): Promise<ApiAnswer<T>>;
}

/** Paths below /api/current are given without that prefix, as routes declare them. */
const UNVERSIONED_PATH = /^\/(?:login|healthz|readyz|metrics|redfish|docs)\b/;

/** Servers and URLs take them for a shorter path: that of a list, or of another record. */
const PATH_STEPS: readonly string[] = ['', '.', '..'];

/** The path and the query of a request. @throws for a parameter that would lead to another path */
export function pathOf(path: string, { params = {}, query = {} }: Pick<RequestParts, 'params' | 'query'>): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? '';
    if (PATH_STEPS.includes(value))
      throw new Error(`found ${JSON.stringify(value)} as ${name}, expected a name or an id`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const prefix = UNVERSIONED_PATH.test(path) ? '' : '/api/current';
  return `${prefix}${filled}${search.size === 0 ? '' : `?${search}`}`;
}

/** Answers of a daemon, or of a proxy before it, that may be different soon. */
export const PASSING: readonly number[] = [429, 502, 503, 504];

/** @param header returns a header by its name */
export function answerOf<T>(
  status: number,
  header: (name: string) => string | null | undefined,
  text: string,
): ApiAnswer<T> {
  const count = header('x-total-count') ?? undefined;
  return {
    status,
    body: parseJson(text) as T,
    total: count === undefined ? undefined : Number(count),
    at: Date.parse(String(header('date'))),
    next: nextOf(header('link')),
    warnings: header('x-warnings') ?? undefined,
  };
}

export function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function nextOf(link: string | null | undefined): Record<string, string> | undefined {
  const [, target] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? [];
  return target === undefined ? undefined : Object.fromEntries(new URL(target, 'http://daemon').searchParams);
}
