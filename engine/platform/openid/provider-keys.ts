/**
 * The addresses and the keys that a provider of OpenID Connect publishes. Owns the only copy in this process.
 *
 * 1. The first need reads both. Later needs get the last reading, also while the provider does not answer.
 * 2. A reading older than `STALE_MS` is replaced in the background, so that a key that the provider has withdrawn ends here.
 * 3. A token with another key reads again, but not within `ATTEMPT_PAUSE_MS` of the attempt before: made-up tokens cause no more
 *    requests than that.
 * 4. A key is unknown only if the last attempt succeeded; otherwise the answer is OIDC_UNAVAILABLE.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { ProviderFetch } from './provider-fetch.ts';

const STALE_MS = 600_000;
const ATTEMPT_PAUSE_MS = 10_000;
const MAX_KEYS = 100;

interface ProviderDocuments {
  addresses: AuthorizationServer;
  key: JWTVerifyGetKey;
  /** The keys as JSON, to compare them with others. */
  keysText: string;
}

export interface ProviderKeysOptions {
  issuer: string;
  fetch: ProviderFetch;
  /** Called when the provider ceases to answer, with the error, and when it answers again, with undefined. */
  changed: (problem: unknown) => void;
  /** ms of a monotonic clock */
  now?: () => number;
}

export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  readonly #now: () => number;
  #last: (ProviderDocuments & { at: number }) | undefined;
  #reading: Promise<ProviderDocuments> | undefined;
  #attemptAt = Number.NEGATIVE_INFINITY;
  #problem: unknown;

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Its addresses by the last reading; undefined: it never answered. */
  get addresses(): AuthorizationServer | undefined {
    return this.#last?.addresses;
  }

  /** @throws NodewrightError OIDC_UNAVAILABLE if it never answered */
  async documents(): Promise<ProviderDocuments> {
    const last = this.#last;
    if (last === undefined) return this.#read();
    if (this.#now() - last.at > STALE_MS) void this.#read().catch(() => {});
    return last;
  }

  /**
   * After a key that is not among those of `before`.
   * @returns undefined: there are no newer ones. @throws NodewrightError OIDC_UNAVAILABLE
   */
  async newer(before: ProviderDocuments): Promise<ProviderDocuments | undefined> {
    const next = await this.#read();
    return next.keysText === before.keysText ? undefined : next;
  }

  #read(): Promise<ProviderDocuments> {
    if (this.#reading !== undefined) return this.#reading;
    if (this.#now() - this.#attemptAt < ATTEMPT_PAUSE_MS) return this.#lastAttempt();
    this.#attemptAt = this.#now();
    this.#reading = this.#attempt().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #lastAttempt(): Promise<ProviderDocuments> {
    if (this.#problem !== undefined || this.#last === undefined) throw this.#unavailable();
    return this.#last;
  }

  async #attempt(): Promise<ProviderDocuments> {
    try {
      const documents = await this.#request();
      this.#last = { ...documents, at: this.#now() };
      if (this.#problem !== undefined) this.#options.changed(undefined);
      this.#problem = undefined;
      return documents;
    } catch (error) {
      if (this.#problem === undefined) this.#options.changed(error);
      this.#problem = error ?? 'no answer';
      throw this.#unavailable();
    }
  }

  async #request(): Promise<ProviderDocuments> {
    const { issuer, fetch } = this.#options;
    const oauth = await import('oauth4webapi');
    const url = new URL(issuer);
    const requested = { [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true };
    const addresses = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, requested));
    if (addresses.issuer !== issuer)
      throw new Error(`the provider says that it is ${addresses.issuer}; expected ${issuer}`);
    if (addresses.jwks_uri === undefined) throw new Error('its discovery document has no jwks_uri');
    const answer = await fetch(addresses.jwks_uri);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${addresses.jwks_uri} answers ${answer.status}`);
    const set = JSON.parse(text) as JSONWebKeySet;
    // Authentik without a key for signatures: its tokens have the secret of the client.
    if (listIn(property(set, 'keys')).length === 0)
      throw new Error(`${addresses.jwks_uri} has no keys; choose an asymmetric key for signatures at the provider`);
    const key = createLocalJWKSet(set);
    if (set.keys.length > MAX_KEYS) throw new Error(`the provider has ${set.keys.length} keys; expected ${MAX_KEYS}`);
    return { addresses, key, keysText: text };
  }

  #unavailable(): NodewrightError {
    const { issuer } = this.#options;
    return new NodewrightError('OIDC_UNAVAILABLE', `${issuer} does not answer as a provider of OpenID Connect; retry`, {
      cause: messageOf(this.#problem),
    });
  }
}
