/**
 * The ID token of a browser's log-in, in a cookie, until the log-out shows it to the provider.
 *
 * 1. It is encrypted with a key of the daemons: the browser cannot read it, also where ID tokens are accepted as access tokens.
 * 2. Only the route of the log-out at the provider gets it, and a page of another site does not make a browser send it.
 * 3. A token that does not fit into a cookie is not kept: the provider then asks the user.
 */
import { createHmac } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { Engine } from '../../engine/api-port/index.ts';
import type { Call } from '../http/route.ts';

const COOKIE_NAME = 'nodewright-oidc-id';
export const LOGOUT_PATH = '/login/oidc/logout';
/** Characters. Browsers keep 4,096 of a cookie, name and attributes included (RFC 6265, 6.1). */
const VALUE_LIMIT = 3_900;
const VALUE = new RegExp(`(?:^|;\\s*)${COOKIE_NAME}=([\\w.-]{1,${VALUE_LIMIT}})(?:;|$)`);

/** The header that sets it. @param idToken undefined: the browser forgets it @param redirectUri decides about `Secure` */
export async function idTokenCookie(
  { tokenKeys: [key], provider }: Engine,
  idToken: string | undefined,
  redirectUri: string,
): Promise<string> {
  const encrypted = idToken === undefined || key === undefined ? '' : await encryptedBy(key, idToken);
  const value = encrypted.length > VALUE_LIMIT ? '' : encrypted;
  const parts = [`${COOKIE_NAME}=${value}`, `Path=${LOGOUT_PATH}`, 'HttpOnly', 'SameSite=Strict'];
  if (redirectUri.startsWith('https:')) parts.push('Secure');
  // After that there is no log-in to end.
  parts.push(`Max-Age=${value === '' ? 0 : (provider?.config.sessionSec ?? 0)}`);
  return parts.join('; ');
}

/** @returns undefined: there is none that a daemon has encrypted */
export async function idTokenOf({ engine, header }: Pick<Call, 'engine' | 'header'>): Promise<string | undefined> {
  const [, value] = VALUE.exec(header('cookie')) ?? [];
  if (value === undefined) return undefined;
  // Several keys are accepted during a rotation.
  for (const key of engine.tokenKeys) {
    const result = await compactDecrypt(value, encryptionKey(key), algorithms).catch(() => undefined);
    if (result !== undefined) return Buffer.from(result.plaintext).toString();
  }
  return undefined;
}

const algorithms = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };

const encryptedBy = (key: Uint8Array, text: string): Promise<string> =>
  new CompactEncrypt(Buffer.from(text)).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(encryptionKey(key));

/** Not the key that signs. */
const encryptionKey = (key: Uint8Array): Uint8Array => createHmac('sha256', key).update('ID token').digest();
