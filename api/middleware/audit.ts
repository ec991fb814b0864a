/**
 * Writes the audit log of a northbound endpoint: changes (all methods but GET, unless a route only computes), requests
 * rejected with 401 or 403, and log-ins. The answer is sent when the entry is stored. An entry contains neither a body
 * nor a secret from the path.
 *
 * 1. A change is made only if there is room for its entry; otherwise it gets 503.
 * 2. Senders without a valid token cannot fill the store: for each address, the number of entries
 *    a minute is limited.
 */
import type { Context, Next } from 'koa';
import type { AuditPlace, AuditRecord, Endpoint, Engine } from '../../engine/api-port/index.ts';
import { PerMinute, senderGroup } from '../../engine/api-port/values.ts';
import { concealText, shownText } from '../../engine/vocabulary/conceal.ts';
import { REDACTED } from '../../engine/vocabulary/encrypted-values.ts';
import { clientAddress } from './client.ts';
import { stateOf, userOf } from './request-state.ts';

const TEXT_LIMIT = 1_000;
/** Entries of an address without a valid token. */
const UNKNOWN_PER_MINUTE = 600;
/** ms that an answer waits for its entry. The whole answer takes less than 10 s. */
const WAIT = { least: 200, most: 2_000, end: 9_500 };

const reads = ['GET', 'HEAD', 'OPTIONS'];

export function auditLog(engine: Engine, endpoint: Endpoint) {
  const unknown = new PerMinute(UNKNOWN_PER_MINUTE);
  return async (ctx: Context, next: Next): Promise<void> => {
    const began = performance.now();
    const place = reads.includes(ctx.method) ? undefined : engine.audit.reserve();
    try {
      await next();
      if (!isAudited(ctx, place !== undefined)) return;
      const record = recordOf(ctx, clientAddress(ctx, endpoint));
      if (stateOf(ctx).identity === undefined && ctx.status >= 400 && unknown.take(senderGroup(record.address)) > 0)
        return;
      await (place ?? roomIn(engine))?.append(record, waitMs(performance.now() - began));
    } finally {
      place?.free();
    }
  };
}

const isAudited = (ctx: Context, isChange: boolean): boolean =>
  stateOf(ctx).isAudited === true &&
  ((isChange && stateOf(ctx).computes !== true) || ctx.status === 401 || ctx.status === 403);

/** A rejected read keeps its status if there is no room; its log line remains. */
function roomIn(engine: Engine): AuditPlace | undefined {
  try {
    return engine.audit.reserve();
  } catch {
    return undefined;
  }
}

const waitMs = (passedMs: number): number => Math.max(WAIT.least, Math.min(WAIT.most, WAIT.end - passedMs));

function recordOf(ctx: Context, address: string): AuditRecord {
  const state = stateOf(ctx);
  const { acknowledged, command, override, ticket, inputLength } = state.notes ?? {};
  return {
    user: userOf(state) ?? null,
    tokenId: state.identity?.tokenId ?? state.notes?.tokenId ?? null,
    address,
    method: ctx.method,
    path: shownPath(ctx),
    target: state.target === undefined ? null : concealedPath(state.target),
    status: ctx.status,
    requestId: state.requestId,
    ...(command !== undefined && { command }),
    ...(acknowledged && { acknowledged: acknowledged.map(concealedPath) }),
    ...(override && {
      overriddenHolds: override.holds.map(concealedPath),
      overrideReason: concealedPath(override.reason),
    }),
    ...(inputLength !== undefined && { inputLength }),
    ...(ticket && {
      ticket: ticket.id,
      ticketRequestedBy: ticket.requestedBy,
      ticketApprovedBy: ticket.approvals.map(({ by }) => by),
    }),
  };
}

/** Control characters, and surrogates whose other half was cut off. */
const UNSTORABLE = /[\p{Cc}\p{Cs}]/gu;

/** The path as answers show it and stores keep it: an exported entry has the same hash. */
const concealedPath = (text: string): string =>
  shownText(concealText(text, () => REDACTED))
    .slice(0, TEXT_LIMIT)
    .replace(UNSTORABLE, '?');

/** The query without tokens; other secrets are redacted, also percent-encoded ones. */
function shownPath(ctx: Context): string {
  const query = new URLSearchParams(ctx.querystring);
  for (const name of ['auth_token', 'key']) query.delete(name);
  const path = ctx.path + (query.size === 0 ? '' : `?${query}`);
  const plain = decodedPath(path);
  return concealedPath(plain) === plain ? concealedPath(path) : concealedPath(plain);
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
