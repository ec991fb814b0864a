/**
 * The secret of a browser that logs in at the provider, in a cookie: only the browser that began a log-in can complete it, and no
 * script can read it.
 */
import { randomBytes } from 'node:crypto';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import type { Call } from '../http/route.ts';

const COOKIE_NAME = 'nodewright-oidc';
/** Seconds in which a user logs in at the provider. */
const LOGIN_SEC = 600;
const SECRET = new RegExp(`(?:^|;\\s*)${COOKIE_NAME}=([\\w-]{43})(?:;|$)`);

export const newFlowSecret = (): string => randomBytes(32).toString('base64url');

/** The header that sets it. @param secret undefined: the browser forgets it @param redirectUri decides about `Secure` */
export function flowCookie(secret: string | undefined, redirectUri: string): string {
  const parts = [`${COOKIE_NAME}=${secret ?? ''}`, 'Path=/login', 'HttpOnly', 'SameSite=Strict'];
  if (redirectUri.startsWith('https:')) parts.push('Secure');
  parts.push(`Max-Age=${secret === undefined ? 0 : LOGIN_SEC}`);
  return parts.join('; ');
}

/** @throws NodewrightError OIDC_REJECTED */
export function flowSecretOf({ header }: Pick<Call, 'header'>): string {
  const [, secret] = SECRET.exec(header('cookie')) ?? [];
  if (secret !== undefined) return secret;
  throw new NodewrightError(
    'OIDC_REJECTED',
    'This browser has begun no log-in, or more than 10 minutes ago; begin again',
  );
}
