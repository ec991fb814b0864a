/** The port of the API to a provider of OpenID Connect. */
import type { OpenIdConfig } from '../platform/config/openid.ts';
import type { ProviderLogin } from '../platform/openid/code-flow.ts';
import type { Logout } from '../platform/openid/end-session.ts';
import type { ProviderUser } from '../platform/openid/provider-claims.ts';
import type { EndedSession } from '../platform/openid/provider-tokens.ts';
import type { Binding } from './teams.ts';

/** The names of accounts at the provider. */
export interface ProviderNames {
  /** Returns the one name of the account of a user; it may differ from the one that this token gives. */
  of(user: ProviderUser): Promise<string>;
}

export interface Provider {
  readonly config: OpenIdConfig;
  /** Identifies the provider and the client in login tokens. */
  readonly credential: string;
  /** Whether a token says that the provider issued it. */
  claimsIssuer(token: string): boolean;
  /**
   * Verifies an access token.
   * @returns the user, and the end in seconds since the epoch; undefined for every defect. @throws NodewrightError OIDC_UNAVAILABLE
   */
  verify(token: string): Promise<(ProviderUser & { expiresAt: number }) | undefined>;
  /** @returns undefined: none of the groups has a role */
  roleOf(groups: readonly string[]): string | undefined;
  /** Returns the roles that the groups have on the nodes of teams. */
  bindingsOf(groups: readonly string[]): Binding[];
  /**
   * Returns the address at which a browser logs in.
   * @param secret of that browser. @throws NodewrightError OIDC_UNAVAILABLE
   */
  addressFor(secret: string, redirectUri: string): Promise<string>;
  /** @param answer what the provider added to `redirectUri`. @throws NodewrightError OIDC_REJECTED, OIDC_UNAVAILABLE */
  complete(
    secret: string,
    redirectUri: string,
    answer: { code: string; state: string; iss?: string },
  ): Promise<ProviderLogin>;
  /**
   * Verifies a logout token, by which the provider says that a session has ended.
   * @throws NodewrightError INVALID, OIDC_UNAVAILABLE
   */
  endedSession(logoutToken: string): Promise<EndedSession>;
  /** Whether a log-out ends the session of the browser there. */
  readonly endsSessions: boolean;
  /** Returns the address for it; undefined: there is none, or it is not known yet. */
  logoutAddress(logout: Logout): string | undefined;
}
