/** A provider of OpenID Connect: its users, by access tokens and by log-ins of browsers. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OpenIdConfig } from '../config/openid.ts';
import { CodeFlow, type LoginAnswer, type ProviderLogin } from './code-flow.ts';
import { endSessionAddress, type Logout } from './end-session.ts';
import { bindingsOfGroups, roleOfGroups } from './provider-claims.ts';
import { providerFetch } from './provider-fetch.ts';
import { ProviderKeys } from './provider-keys.ts';
import { type EndedSession, ProviderTokens, type VerifiedToken } from './provider-tokens.ts';

export class OpenIdProvider {
  readonly config: OpenIdConfig;
  /** Identifies the provider and the client in tokens of this daemon, which end when another one is configured. */
  readonly credential: string;
  readonly #keys: ProviderKeys;
  readonly #tokens: ProviderTokens;
  readonly #flow: CodeFlow;
  readonly #closed = new AbortController();

  /**
   * @param changed called when the provider ceases to answer, with the error, and when it answers again, with undefined
   * @param rejected called for each access token that gives no rights, with the reason
   */
  constructor(
    config: OpenIdConfig,
    changed: (problem: unknown) => void = () => {},
    rejected: (reason: string) => void = () => {},
  ) {
    this.config = config;
    const { issuer, clientId, ca } = config;
    this.credential = createHash('sha256').update(`${issuer} ${clientId}`).digest('base64url');
    const send = providerFetch(ca === undefined ? undefined : readFileSync(ca, 'utf8'));
    const fetch: typeof send = (url, request) => send(url, { ...request, signal: this.#closed.signal });
    this.#keys = new ProviderKeys({ issuer, fetch, changed });
    this.#tokens = new ProviderTokens(config, this.#keys, rejected);
    this.#flow = new CodeFlow(config, this.#keys, this.#tokens, fetch);
  }

  /** Reads its keys, so that the first request need not wait. @throws NodewrightError OIDC_UNAVAILABLE */
  async open(): Promise<void> {
    await this.#keys.documents();
  }

  claimsIssuer(token: string): boolean {
    return this.#tokens.claimsIssuer(token);
  }

  verify(token: string): Promise<VerifiedToken | undefined> {
    return this.#tokens.access(token);
  }

  roleOf(groups: readonly string[]): string | undefined {
    return roleOfGroups(groups, this.config);
  }

  bindingsOf(groups: readonly string[]): ReturnType<typeof bindingsOfGroups> {
    return bindingsOfGroups(groups, this.config);
  }

  addressFor(secret: string, redirectUri: string): Promise<string> {
    return this.#flow.addressFor(secret, redirectUri);
  }

  complete(secret: string, redirectUri: string, answer: LoginAnswer): Promise<ProviderLogin> {
    return this.#flow.complete(secret, redirectUri, answer);
  }

  endedSession(logoutToken: string): Promise<EndedSession> {
    return this.#tokens.endedSession(logoutToken);
  }

  /** By its documents as they were read last. */
  get endsSessions(): boolean {
    return this.logoutAddress({ redirectUri: '' }) !== undefined;
  }

  /** By the same documents: a log-out does not wait for the provider. */
  logoutAddress(logout: Logout): string | undefined {
    const { endSession, clientId } = this.config;
    const { addresses } = this.#keys;
    return endSession && addresses !== undefined ? endSessionAddress(addresses, clientId, logout) : undefined;
  }

  /** Ends what it is requesting. */
  close(): void {
    this.#closed.abort(new Error('the daemon is stopping'));
  }
}
