/**
 * A route: one operation of the interface, as data. The router, the checks, the rights and the OpenAPI document are
 * all made from it. A handler sees a checked call and gives a reply; it knows nothing of HTTP machinery.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { Engine, Page, Sender } from '../engine/api-port/index.ts';
import type { Privilege } from '../engine/define/roles.ts';
import type { ListFields } from './filter.ts';
import type { Area, Reach } from './rights.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who asks. */
export interface Identity {
  username: string;
  privileges: readonly Privilege[];
}

export interface Call<Query = unknown, Body = unknown> {
  engine: Engine;
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** Of a list route; otherwise the first page of everything. */
  page: Page;
  /** Absent where the endpoint asks for no token, and for the first user. */
  identity: Identity | undefined;
  /** Let in by the localhost exception: no user exists yet. */
  firstUser: boolean;
  /** The client's address, for counting its failures. */
  address: string;
  /** Southbound, but for open routes. Who acts for a node asks `admitted` first (`sender.ts`). */
  sender: Sender | undefined;
  /** A header of the request by its name in lower case; empty when it is not there. */
  header(name: string): string;
  /** Of a route with an upload: what is sent, read once. @throws NodewrightError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE */
  upload(): AsyncIterable<Uint8Array>;
  /** How the client reached this endpoint, such as `http://10.1.1.1:9080`; undefined when it did not say so. */
  origin: string | undefined;
  /** PEM of the authority that whoever trusts this endpoint has to know; undefined: none of its own. */
  authority: string | undefined;
  /** Of a route that may wait: fires when the client is gone, or the endpoint closes. */
  signal: AbortSignal;
}

/** A body that is not JSON: it is read while it is handled, and may take its time. */
export interface Upload {
  /** As koa's `is` takes them; no type at all will do too. The first stands in the OpenAPI document. */
  types: readonly string[];
  /** Which limit of the configuration counts. */
  limit: 'bodyLimit' | 'packLimit';
  /** Also as the file of a form's field `file`. */
  form?: true;
}

export interface Reply {
  status: number;
  /** Absent: no body at all. A string goes out as text, a stream as it comes. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Of a list: how many items there are on all pages. Becomes the Link header. */
  total?: number;
}

interface Spec<Query extends TObject, Body extends TSchema> {
  /** OpenAPI's operationId, a verb and a noun. */
  id: string;
  summary: string;
  method: Method;
  path: string;
  /** `api`: below /api/current and /api/2.0. Default `api`. */
  base?: 'api' | '1.1' | 'root';
  area: Area;
  /** Some who are let in reach a part of it only. */
  reach?: Reach;
  /** Whoever changes that needs besides all privileges that it has, and is to have. */
  rank?: 'user' | 'role';
  /** No token, but a password: what the role of its user has to have. */
  entry?: readonly Privilege[];
  /** The localhost exception applies. */
  firstUser?: true;
  /** Southbound it needs no key of a node, also where keys are required. */
  keyless?: true;
  /** Southbound something is kept of it though it is a GET. */
  writes?: true;
  query?: Query;
  /** A list: `$skip`, `$top`, `sort` and these filters. */
  list?: ListFields;
  /** How many a list gives when the client does not say; absent: 1,000. Less where items are large. */
  top?: number;
  body?: Body;
  /** Content types under which JSON is taken too. */
  bodyTypes?: readonly string[];
  upload?: Upload;
  /** Of every answer, refusals too. */
  headers?: Record<string, string>;
  /** Bytes; less than the configured limit where whoever has no token could send much. */
  bodyLimit?: number;
  /** ms that the handler may wait for something to happen, besides what an answer may take. */
  waitMs?: number;
  /** Status and body of success. Without a schema: no body. */
  answer: { status: number; schema?: TSchema; contentType?: string };
  /** When it answers 200 with the body of its success: what was asked for had been done before. */
  repeat?: string;
  /** Further statuses and when they come, one without a body too; 400, 401, 403, 404 of path parameters, 413 and 415 are known already. */
  refusals?: Record<number, string>;
  handle(call: Call<Static<Query>, Static<Body>>): Promise<Reply>;
}

/** A route whose query and body have been checked by its own schemas, which is why their types may be forgotten. */
export type Route = Omit<Spec<TObject, TSchema>, 'handle'> & { handle(call: Call): Promise<Reply> };

export const route = <Query extends TObject = TObject, Body extends TSchema = TSchema>(
  spec: Spec<Query, Body>,
): Route => spec as unknown as Route;

/** The paths a route answers at; the first one stands in the OpenAPI document. */
export function pathsOf({ base = 'api', path }: Pick<Route, 'base' | 'path'>): string[] {
  if (base === 'root') return [path];
  if (base === '1.1') return [`/api/1.1${path}`];
  return [`/api/current${path}`, `/api/2.0${path}`];
}
