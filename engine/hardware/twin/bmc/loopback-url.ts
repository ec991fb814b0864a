/** URLs that a BMC is given: a twin sends to its own machine only. */
import type { BmcCall } from './bmc-call.ts';
import { badRequest } from './bmc-rejection.ts';

/** Whether its host is an address in 127.0.0.0/8, or ::1. A name is none: it may resolve to anything. */
export function isOnLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]';
}

/** @returns the URL with the login that its server needs; `''`: none was given */
export function urlWithLogin(text: string, username: string, password: string): string {
  if (username === '' && password === '') return text;
  return Object.assign(new URL(text), { username, password }).href;
}

/** @param field shown in the error @throws BmcRejection 400 */
export function checkLoopbackUrl({ options }: BmcCall, field: string, url: string, schemes: readonly string[]): void {
  const isKnown = URL.canParse(url) && schemes.includes(new URL(url).protocol.slice(0, -1));
  if (!isKnown || (options.anyAddress !== true && !isOnLoopback(url)))
    throw badRequest('PropertyValueOutOfRange', url.slice(0, 200), field);
}
