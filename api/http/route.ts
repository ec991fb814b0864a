/**
 * A route: one operation of the interface, as data. The router, the validation, the authorization and the OpenAPI
 * document are all derived from it. A handler receives a validated call and returns a reply; it is independent of HTTP.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { Engine, OverrideRequest, Page, SouthboundSender, TicketGrant } from '../../engine/api-port/index.ts';
import type { ListFields } from '../../engine/api-port/list-filter.ts';
import type { Privilege } from '../../engine/vocabulary/roles.ts';
import { MIB } from '../../engine/vocabulary/units.ts';
import type { PrivilegeScope, ResourceGroup } from './rights.ts';
import type { Grant, TeamReach, TeamScope } from './scope.ts';

/** Bytes of a body with definitions or options, which may contain scripts and keys. */
export const OPTIONS_LIMIT = MIB;

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The authenticated user. */
export interface Identity {
  username: string;
  /** Undefined: a user of the provider whose groups have none. */
  role: string | undefined;
  /** Its token has only some of the privileges of the role. */
  isLimited?: true;
  /** Those on the whole site. */
  privileges: readonly Privilege[];
  /** Those by bindings, for the user's own password, tokens and sessions; absent: none. */
  personal?: readonly Privilege[];
  /** Those on the nodes of teams; absent: none. */
  grants?: readonly Grant[];
  /** Identifies the token or the session, without disclosing it. */
  tokenId: string;
  /** The id of the API token; absent: it is another one. */
  apiToken?: string;
  /** Ends the token in all daemons. */
  endToken(): Promise<void>;
}

/** Additions of a handler to the request's entry in the audit log. */
export interface RequestNotes {
  /** The user who logs in. */
  user?: string;
  /** Id of the token that was issued. */
  tokenId?: string;
  /** The labels whose unknown effects the user accepted. */
  acknowledged?: readonly string[];
  /** The holds that the user overrode. */
  override?: OverrideRequest;
  /** The command of an action. */
  command?: string;
  /** The number of characters that were typed at a console. */
  inputLength?: number;
  /** The ticket that the launch used. */
  ticket?: TicketGrant;
}

export interface Call<Query = unknown, Body = unknown> {
  engine: Engine;
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** The page of a list route; on other routes the first page, unfiltered. */
  page: Page;
  /** Undefined where the endpoint requires no token, and for the first user. */
  identity: Identity | undefined;
  /** Admitted by the localhost exception: no user exists yet. */
  firstUser: boolean;
  /** Absent: the request may reach the whole site. */
  scope?: TeamScope;
  notes: RequestNotes;
  /** The client's address, used to count failed attempts. */
  address: string;
  /** Southbound only, except on open routes. A handler that acts for a node calls `admittedAs` first (`southbound-sender.ts`). */
  sender: SouthboundSender | undefined;
  /** Returns a request header by its lower-case name; an empty string when it is absent. */
  header(name: string): string;
  /** The body of an upload route; can be read once. @throws NodewrightError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE */
  upload(): AsyncIterable<Uint8Array>;
  /** The base URL that the client used, such as `http://10.1.1.1:9080`; undefined without a Host header. */
  origin: string | undefined;
  /** PEM of the authority that clients need to trust this endpoint; undefined: none of its own. */
  authority: string | undefined;
  /** On a route that may wait: aborted when the client disconnects or the endpoint closes. */
  signal: AbortSignal;
  /** On a route that may wait: called before it does, so that the next request of a node is handled in the meantime. */
  waits(): void;
  /** On a route that follows: whether the token still grants access. */
  isAdmitted(): Promise<boolean>;
}

/** A body that is not JSON. It is streamed to the handler and may take longer than a JSON body. */
export interface Upload {
  /** Media types as koa's `is` accepts them; a missing type is accepted too. OpenAPI shows the first. */
  types: readonly string[];
  /** The configuration limit that applies. */
  limit: 'bodyLimit' | 'packLimit';
  /** Also accepted as the form field `file`. */
  form?: true;
}

export interface Reply {
  /** Absent: that of the route's `answer`. */
  status?: number;
  /** Absent: no body. A string is sent as text, a stream is piped. */
  body?: unknown;
  headers?: Record<string, string | string[]>;
  /** Number of items on all pages of a list. Becomes the headers Link and X-Total-Count. */
  total?: number;
  /** Parameters of the next page, which replace those of the request. Becomes the Link header. */
  next?: Record<string, string> | undefined;
  /** Streams only: ms after which a client that reads nothing is disconnected. */
  stallMs?: number;
}

/** @param origin the base URL that the client used */
export type BusyReply = (engine: Engine, origin: string) => Promise<Reply>;

/** A reply with its status. */
export type SentReply = Reply & { status: number };

interface Spec<
  Query extends TObject,
  Body extends TSchema,
  Answer extends TSchema,
  Method extends HttpMethod,
  Path extends string,
> {
  /** OpenAPI's operationId: a verb and a noun. */
  id: string;
  summary: string;
  method: Method;
  path: Path;
  /** `api`: below /api/current and /api/2.0 (default). */
  base?: 'api' | '1.1' | 'root';
  resourceGroup: ResourceGroup;
  /** Clients should use another route. */
  deprecated?: true;
  /** How users with roles on the nodes of teams may use it; absent: not at all. */
  reach?: TeamReach;
  /** Some admitted users may use only a part of the route. */
  scope?: PrivilegeScope;
  /** The user must also hold every privilege that the changed user or role has and will have. */
  rank?: 'user' | 'role';
  /** The route takes a password instead of a token; the user's role must have one of these. */
  entry?: readonly Privilege[];
  /** The localhost exception applies. */
  firstUser?: true;
  /** Southbound, the route needs no node key, even where keys are required. */
  keyless?: true;
  /** Southbound, the route changes state although it is a GET. */
  writes?: true;
  /** Northbound, the route changes nothing although it is no GET: it has an entry in the audit log only if it is rejected. */
  computes?: true;
  /** Northbound, the route has entries in the audit log, although it is open. */
  audited?: true;
  /** Northbound, pages ask before a log-in whether there is a user: a request without a token has no entry. */
  asksFirst?: true;
  query?: Query;
  /** A list route: `$skip`, `$top`, `sort` and these filters. */
  list?: ListFields;
  /** The same filters on a route that is paged by its own parameters; beside `list` those of `query` that have several values. */
  filters?: ListFields;
  /** Default page size; absent: 1,000. Smaller where items are large. */
  top?: number;
  body?: Body;
  /** Additional content types under which JSON is accepted. */
  bodyTypes?: readonly string[];
  upload?: Upload;
  /** Sent with every answer, errors included. */
  headers?: Record<string, string>;
  /** Bytes, and never more than configured; absent: 256 KiB. */
  bodyLimit?: number;
  /** Values in the body, itself included; absent: 20,000. */
  bodyValues?: number;
  /** The answer is a stream without an end: `signal` is that of the connection, and `isAdmitted` may be called. */
  follows?: true;
  /** ms that the handler may wait for an event, in addition to the normal answer timeout. */
  waitMs?: number;
  /** It may register the machine that sends it. */
  registers?: true;
  /** For a request that has waited for its turn too long; absent: 503. */
  busyReply?: BusyReply;
  /** Status and body of success. Without a schema: no body. */
  answer: { status: number; schema?: Answer; contentType?: string };
  /** Description of a 200 with the same body: the requested change had been made before. */
  repeat?: string;
  /** Further statuses and their descriptions; 400, 401, 403, 404 of path parameters, 413 and 415 are derived. */
  rejections?: Record<number, string>;
  handle(call: Call<Static<Query>, Static<Body>>): Promise<Reply>;
}

/** A route with its type parameters erased: query and body have been validated by its own schemas. */
export type Route = Omit<Spec<TObject, TSchema, TSchema, HttpMethod, string>, 'handle'> & {
  handle(call: Call): Promise<Reply>;
};

/** The types of a route, for clients. They exist at compile time only: `types` is never set. */
export interface TypedRoute<
  Query extends TObject,
  Body extends TSchema,
  Answer extends TSchema,
  Method extends HttpMethod,
  Path extends string,
> {
  readonly types?: { method: Method; path: Path; query: Static<Query>; body: Static<Body>; answer: Static<Answer> };
}

export const route = <
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
  const Method extends HttpMethod = HttpMethod,
  const Path extends string = string,
>(
  spec: Spec<Query, Body, Answer, Method, Path>,
): Route & TypedRoute<Query, Body, Answer, Method, Path> => spec as unknown as Route;

/** Returns `route` for routes of one resource group; a spec may name another. */
export const routesOf =
  (resourceGroup: ResourceGroup) =>
  <
    Query extends TObject = TObject,
    Body extends TSchema = TSchema,
    Answer extends TSchema = TSchema,
    const Method extends HttpMethod = HttpMethod,
    const Path extends string = string,
  >(
    spec: Omit<Spec<Query, Body, Answer, Method, Path>, 'resourceGroup'> & { resourceGroup?: ResourceGroup },
  ) =>
    route<Query, Body, Answer, Method, Path>({ resourceGroup, ...spec });

/** Returns the paths that a route answers at; the first one is shown in the OpenAPI document. */
export function pathsOf({ base = 'api', path }: Pick<Route, 'base' | 'path'>): string[] {
  if (base === 'root') return [path];
  if (base === '1.1') return [`/api/1.1${path}`];
  return [`/api/current${path}`, `/api/2.0${path}`];
}
