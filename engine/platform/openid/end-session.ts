/** The log-out at a provider: OpenID Connect RP-Initiated Logout 1.0. */
import type { AuthorizationServer } from 'oauth4webapi';
import { isTrustedUrl } from '../lib/trusted-url.ts';

export interface Logout {
  /** Where the provider sends the browser afterwards; registered there, exactly. */
  redirectUri: string;
  /** Returned with it. */
  state?: string;
  /** The ID token of the log-in; without it, the provider asks the user first (2). */
  idToken?: string;
}

/** @returns undefined: the provider has no such address */
export function endSessionAddress(
  { end_session_endpoint: endpoint }: Pick<AuthorizationServer, 'end_session_endpoint'>,
  clientId: string,
  { redirectUri, state, idToken }: Logout,
): string | undefined {
  if (endpoint === undefined || !isTrustedUrl(endpoint)) return undefined;
  const url = new URL(endpoint);
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('post_logout_redirect_uri', redirectUri);
  if (state !== undefined) url.searchParams.set('state', state);
  if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken);
  return url.href;
}
