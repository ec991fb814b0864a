/**
 * The session of a browser: a cookie with the token of a login, so that a page that is loaded again need not ask for the
 * password.
 *
 * 1. Only `GET /login/session` reads it: every other request needs the token in a header, so no page of another origin can
 *    make a browser send a valid request.
 * 2. That route needs the header `X-Requested-With`, which pages of other origins cannot set, and its answer cannot be
 *    read by them either.
 * 3. No script can read it, and a browser forgets it when it ends.
 */
import type { Call } from '../http/route.ts';

const COOKIE_NAME = 'nodewright-session';
const COOKIE_PATH = '/login';

/** The header that sets the cookie. @param token undefined: the browser forgets it */
export function sessionCookie(token: string | undefined, { origin }: Pick<Call, 'origin'>): Record<string, string> {
  const parts = [`${COOKIE_NAME}=${token ?? ''}`, `Path=${COOKIE_PATH}`, 'HttpOnly', 'SameSite=Strict'];
  if (origin?.startsWith('https:') === true) parts.push('Secure');
  if (token === undefined) parts.push('Max-Age=0');
  return { 'Set-Cookie': parts.join('; ') };
}

/** @returns undefined: there is none, or the request may come from a page of another origin */
export function tokenOfSession({ header }: Pick<Call, 'header'>): string | undefined {
  if (header('x-requested-with') === '') return undefined;
  const [, token] = new RegExp(`(?:^|;\\s*)${COOKIE_NAME}=([^;\\s]+)`).exec(header('cookie')) ?? [];
  return token;
}
