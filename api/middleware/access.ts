/** Authorizes a request: finds its token and user, and checks the privileges of the user's role. */
import type { Context } from 'koa';
import type { Endpoint, Engine } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { scopeOf } from '../auth/reach.ts';
import { admitsLocalUsers, credentialOf, identify, rightsOf } from '../auth/tokens.ts';
import { NoSession, UnauthorizedError } from '../http/rejections.ts';
import type { Identity, Route } from '../http/route.ts';
import type { TeamScope } from '../http/scope.ts';
import { isLocal, meansThisMachine } from './client.ts';
import { stateOf } from './request-state.ts';

export interface Admission {
  identity: Identity | undefined;
  firstUser: boolean;
  /** Absent: the whole site. */
  scope?: TeamScope;
}

/** Returns the token of the query or the header; undefined when both are missing or empty. */
export function bearerToken(ctx: Context): unknown {
  return present(ctx.query.auth_token) ?? present(ofHeader(ctx.get('authorization')));
}

const present = (token: unknown): unknown => (token === '' || token === null ? undefined : token);

/** Accepts `JWT <token>` or `Bearer <token>`. Another scheme counts as an invalid token, not as a missing one. */
function ofHeader(header: string): string {
  const [, token] = /^(?:jwt|bearer)(?: +(.*))?$/i.exec(header.trim()) ?? [undefined, header];
  return token?.trim() ?? '';
}

/**
 * @param body returns the body's `auth_token`; called only when `bearerToken` found none
 * @throws Unauthorized, or NodewrightError FORBIDDEN
 */
export async function admit(
  engine: Engine,
  endpoint: Endpoint,
  route: Route,
  ctx: Context,
  body: () => Promise<unknown>,
): Promise<Admission> {
  if (!endpoint.authEnabled || route.resourceGroup === 'open') return { identity: undefined, firstUser: false };
  if (route.resourceGroup === 'sessions') return { identity: await inSession(engine, route, ctx), firstUser: false };
  const token = bearerToken(ctx) ?? present(await body().catch(unreadableToken));
  if (token === undefined) {
    if (await isFirstUser(engine, endpoint, route, ctx)) return { identity: undefined, firstUser: true };
    throw new UnauthorizedError('No auth token');
  }
  if (typeof token !== 'string') throw new UnauthorizedError('invalid signature');
  const identity = noteIdentity(ctx, await identify(engine, token));
  const scope = scopeOf(identity, route);
  return { identity, firstUser: false, ...(scope && { scope }) };
}

/** An unreadable body contains no token; its error is not disclosed to an unauthenticated client, unless it is too much. */
function unreadableToken(error: unknown): undefined {
  if (error instanceof NodewrightError && [413, 429].includes(error.status)) throw error;
}

/** Redfish uses its own token. @throws NoSession, or NodewrightError FORBIDDEN */
async function inSession(engine: Engine, route: Route, ctx: Context): Promise<Identity> {
  const token = ctx.get('x-auth-token');
  const session = token === '' || !admitsLocalUsers(engine) ? undefined : await engine.sessions.of(token);
  const user = session && (await engine.users.get(session.username));
  if (!session || !user || session.credential !== credentialOf(user)) throw new NoSession();
  const endToken = async () => void (await engine.sessions.close(session.id));
  const rights = await rightsOf(engine, user);
  const identity = noteIdentity(ctx, {
    username: user.username,
    role: user.role,
    ...rights,
    tokenId: session.id,
    endToken,
  });
  scopeOf(identity, route);
  return identity;
}

/** A rejected request has an identity too. */
function noteIdentity(ctx: Context, identity: Identity): Identity {
  stateOf(ctx).identity = identity;
  return identity;
}

async function isFirstUser(engine: Engine, endpoint: Endpoint, route: Route, ctx: Context): Promise<boolean> {
  if (!route.firstUser || !engine.config.enableLocalHostException || !admitsLocalUsers(engine)) return false;
  if (!isLocal(ctx, endpoint) || !meansThisMachine(ctx, endpoint)) return false;
  return (await engine.users.count()) === 0;
}
