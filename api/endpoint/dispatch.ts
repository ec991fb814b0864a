/**
 * The processing of a request after routing, by the steps of `dispatch`: describe it for the log, identify the node
 * (403, 429), admit the user (401, 403, 429), read the body (413, 415, 400), validate (400), handle, answer. The body is not
 * read before the token is checked, unless the token is in the body.
 */
import { parse } from 'node:querystring';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Engine, Page, SouthboundSender } from '../../engine/api-port/index.ts';
import { filterOf, splitFilters } from '../../engine/api-port/list-filter.ts';
import { type Check, queryCheck } from '../../engine/api-port/query-check.ts';
import { isRejection, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { isObject, property } from '../../engine/vocabulary/json.ts';
import { withTimeout } from '../../engine/vocabulary/with-timeout.ts';
import { afterLast } from '../http/body-timeout.ts';
import { bodyCheck, rejectUnstorable } from '../http/check.ts';
import { linksOf, nextLink, onlyFields, pageOf, querySchema, splitFields, wholePage } from '../http/list.ts';
import { OverloadError, requireOrigin } from '../http/rejections.ts';
import type { BusyReply, Call, Reply, RequestNotes, Route, SentReply } from '../http/route.ts';
import type { TeamScope } from '../http/scope.ts';
import { sendReply } from '../http/send-reply.ts';
import { keyIn } from '../http/southbound-sender.ts';
import { createdBy, targetOf } from '../http/target.ts';
import { admit, bearerToken } from '../middleware/access.ts';
import type { BodiesInHand } from '../middleware/bodies-in-hand.ts';
import { clientAddress, hangUp, originOf } from '../middleware/client.ts';
import { bodyOf } from '../middleware/request-body.ts';
import { stateOf } from '../middleware/request-state.ts';
import type { InTurn, RequestsInHand } from '../middleware/requests-in-hand.ts';
import { uploadOf } from '../middleware/upload.ts';
import { withinReach } from '../middleware/within-reach.ts';
import type { OpenEndpoint } from './authority.ts';

export type Dispatch = (ctx: Context) => Promise<void>;

/** Limits of what a process handles concurrently. */
export interface RequestLimits {
  bodies: BodiesInHand;
  requests: RequestsInHand;
}

/** A route on an endpoint, compiled once. */
interface ServedRoute {
  engine: Engine;
  endpoint: OpenEndpoint;
  route: Route;
  checkQuery: Check | undefined;
  checkBody: Check | undefined;
  /** Bytes of an upload. */
  limit: number;
  isSouthbound: boolean;
}

/** @param closing aborted when the endpoint closes, which ends all waits */
export function dispatch(
  engine: Engine,
  endpoint: OpenEndpoint,
  route: Route,
  { bodies, requests }: RequestLimits,
  closing = never,
): Dispatch {
  const schema = querySchema(route);
  const isSouthbound = endpoint.routers === 'southbound-api-router';
  const served: ServedRoute = {
    engine,
    endpoint,
    route,
    checkQuery: schema && queryCheck(schema),
    checkBody: route.body && bodyCheck(route.body),
    limit: engine.config[route.upload?.limit ?? 'bodyLimit'],
    isSouthbound,
  };
  const isLimited = isSouthbound && route.resourceGroup !== 'open';
  const read = bodyOf(engine, endpoint, route, bodies);
  const respond: Dispatch = async (ctx) => {
    const inTurn = isLimited ? requests.turnsOf(ctx, route.registers === true) : immediately;
    const params = (ctx.params ?? {}) as Record<string, string>;
    const notes = describe(served, ctx, params);
    const sender = await inTurn(() => identify(served, ctx));
    const body = read(ctx);
    const admission = await admit(engine, endpoint, route, ctx, async () => tokenIn(await body.ofStranger()));
    const given = route.body && (await body.of(admission.identity));
    const requested = validate(served, ctx, params, sender, given);
    const input = await withinReach(engine, route, admission.scope, requested);
    const client = clientOf(served, ctx, sender, admission.scope);
    await body.turn();
    const handled = await inTurn((waits) =>
      handle(route, { engine, ...admission, ...input, ...client, waits, notes }, ctx, closing),
    );
    const reply = { status: route.answer.status, ...handled };
    await body.turn();
    noteReply(served, ctx, reply);
    answer(ctx, reply, input.page);
    await body.turn();
  };
  return route.busyReply === undefined ? respond : orBusyReply(served, respond, route.busyReply);
}

const immediately: InTurn = (work) => work(() => undefined);

/** Such a reply is made once in a while for all who get it: making it reads the stores, for which there is no time. */
function orBusyReply({ engine, endpoint, route }: ServedRoute, respond: Dispatch, busyReply: BusyReply): Dispatch {
  const memoMethod = (origin: string) => busyReply(engine, origin);
  const replies = new LRUCache<string, Promise<Reply>>({ max: BUSY_REPLIES, ttl: BUSY_REPLY_MS, memoMethod });
  return (ctx) =>
    respond(ctx).catch(async (error) => {
      if (!(error instanceof OverloadError)) throw error;
      const reply = await replies.memo(requireOrigin(originOf(ctx, endpoint)));
      sendReply(ctx, { status: route.answer.status, ...reply });
    });
}

/** Addresses under which nodes reach the daemon. */
const BUSY_REPLIES = 100;
const BUSY_REPLY_MS = 5_000;

/** For the log, the metrics and the audit log. @returns the notes that the handler adds */
function describe({ route, isSouthbound }: ServedRoute, ctx: Context, params: Record<string, string>): RequestNotes {
  ctx.set(route.headers ?? {});
  const isRecorded =
    !isSouthbound && (route.resourceGroup !== 'open' || route.entry !== undefined || route.audited === true);
  const isAudited = isRecorded && !(route.asksFirst === true && bearerToken(ctx) === undefined);
  const notes: RequestNotes = {};
  const { computes = false } = route;
  Object.assign(stateOf(ctx), { isAudited, computes, notes, target: targetOf(route, params) });
  return notes;
}

/**
 * Southbound, a request is of the node that has its address and its key.
 * @returns undefined northbound, and for an open route. @throws NodewrightError FORBIDDEN, TOO_MANY_REQUESTS, UNAVAILABLE
 */
async function identify({ engine, endpoint, route, isSouthbound }: ServedRoute, ctx: Context) {
  if (!isSouthbound) return undefined;
  const { southbound } = engine;
  const isOpen = route.resourceGroup === 'open';
  const address = clientAddress(ctx, endpoint);
  const sender = isOpen ? undefined : await southbound.sender(address, keyIn(ctx), route.keyless === true);
  if (route.writes || !['GET', 'HEAD'].includes(ctx.method)) await southbound.needRoom();
  return sender;
}

/** @param given the parsed body. @throws NodewrightError INVALID */
function validate(
  { route, checkQuery, checkBody }: ServedRoute,
  ctx: Context,
  params: Record<string, string>,
  sender: SouthboundSender | undefined,
  given: unknown,
): Pick<Call, 'params' | 'query' | 'body' | 'page'> {
  const body = checkBody ? checkedInput(withoutToken(given), checkBody, 'body') : {};
  const query = checkedInput(queryOf(ctx, route, sender), checkQuery, 'query') as Record<string, unknown>;
  rejectUnstorable(params, 'path');
  const page = route.list ? pageOf(query, route.list, route.top) : wholePage(filterOf(query, route.filters ?? {}));
  return { params, query, body, page };
}

/** The parts of the request that a handler asks for as it needs them. */
function clientOf(
  { engine, endpoint, route, limit }: ServedRoute,
  ctx: Context,
  sender: SouthboundSender | undefined,
  scope: TeamScope | undefined,
) {
  return {
    header: (name: string) => ctx.get(name),
    upload: () => uploadOf(ctx, route.upload, limit),
    address: clientAddress(ctx, endpoint),
    origin: originOf(ctx, endpoint),
    authority: endpoint.authority,
    sender,
    signal: never,
    isAdmitted: () => isStillAdmitted(engine, endpoint, route, ctx, scope),
  };
}

function noteReply({ route }: ServedRoute, ctx: Context, reply: SentReply): void {
  const state = stateOf(ctx);
  const traceId = property(reply.body, 'traceId');
  const created = createdBy(route, reply);
  if (created !== undefined) state.target = created;
  if (typeof traceId === 'string') state.traceId = traceId;
}

/**
 * Timeout of an answer. Each call to a store ends within 5 s, but a request may need several. The requested change may
 * still be made after the timeout.
 */
const RESPONSE_TIMEOUT_MS = 9_000;

/** Timeout after the last byte of an upload: storing it takes time. */
const UPLOAD_MS = 300_000;

const never = new AbortController().signal;

/** Also false when the user may reach another part of the site than at the beginning. @throws NodewrightError UNAVAILABLE */
async function isStillAdmitted(
  engine: Engine,
  endpoint: OpenEndpoint,
  route: Route,
  ctx: Context,
  before: TeamScope | undefined,
): Promise<boolean> {
  try {
    const { scope } = await admit(engine, endpoint, route, ctx, async () => undefined);
    return JSON.stringify(scope) === JSON.stringify(before);
  } catch (error) {
    if (isRejection(error)) return false;
    throw error;
  }
}

async function handle(route: Route, call: Call, ctx: Context, closing: AbortSignal): Promise<Reply> {
  const { waitMs, follows } = route;
  if (route.upload) return afterLast(ctx.req, route.handle(call), UPLOAD_MS, () => tooLate(UPLOAD_MS));
  const limitMs = RESPONSE_TIMEOUT_MS + (waitMs ?? 0);
  const onTimeout = () => tooLate(limitMs);
  if (waitMs === undefined && !follows) return withTimeout(route.handle(call), limitMs, onTimeout);
  const { signal, done } = hangUp(ctx, closing);
  if (follows) {
    ctx.res.once('close', done);
    return withTimeout(route.handle({ ...call, signal }), limitMs, onTimeout);
  }
  try {
    return await withTimeout(route.handle({ ...call, signal }), limitMs, onTimeout);
  } finally {
    done();
  }
}

const tooLate = (ms: number): never => {
  throw new NodewrightError('UNAVAILABLE', `no answer within ${ms} ms; check the state before you retry`);
};

const tokenIn = (body: unknown): unknown => property(body, 'auth_token');

/** Removes the token from the input: lists would reject it as a filter, and notifications would publish it. */
function withoutToken(input: unknown): unknown {
  // Not by a copy, which takes long for a wide body.
  if (isObject(input)) delete input.auth_token;
  return input;
}

/** Koa's own parser drops a parameter named `__proto__`, which would then be ignored instead of rejected. */
function queryOf(ctx: Context, { list, filters }: Route, sender: SouthboundSender | undefined): unknown {
  const query = withoutToken(parse(ctx.querystring, '&', '=', { maxKeys: 0 })) as Record<string, unknown>;
  // Removes the node key too: notifications would publish it.
  if (sender !== undefined) delete query.key;
  if (list !== undefined) return splitFilters(splitFields(query), { ...list, ...filters });
  return filters ? splitFilters(query, filters) : query;
}

function checkedInput(input: unknown, check: Check | undefined, path: string): unknown {
  rejectUnstorable(input, path);
  check?.(input);
  return input;
}

function answer(ctx: Context, reply: SentReply, page: Page): void {
  if (reply.next !== undefined) ctx.set('Link', nextLink(ctx.path, withoutTokenIn(ctx), reply.next));
  if (reply.total === undefined) {
    sendReply(ctx, reply);
    return;
  }
  ctx.set('Link', linksOf(ctx.path, withoutTokenIn(ctx), page, reply.total));
  ctx.set('X-Total-Count', String(reply.total));
  sendReply(ctx, { ...reply, body: onlyFields(reply.body, page.fields) });
}

function withoutTokenIn(ctx: Context): URLSearchParams {
  const search = new URLSearchParams(ctx.querystring);
  search.delete('auth_token');
  return search;
}
