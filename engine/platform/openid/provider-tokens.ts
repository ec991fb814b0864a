/**
 * Verifies tokens that the provider signed. A signature is verified once: the result is the same until the token expires or the
 * keys change.
 *
 * 1. Only asymmetric signatures: a public key can sign nothing, and `none` is no signature.
 * 2. Issuer, audience, type and times have to fit; the clocks may differ by `SKEW_SEC`.
 * 3. A token that is bound to a key of its client (`cnf`) needs a proof that a Bearer does not have (RFC 9449, 7.1).
 */
import { createHash } from 'node:crypto';
import { decodeJwt, errors, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { invalidInput } from '../../vocabulary/errors.ts';
import type { OpenIdConfig } from '../config/openid.ts';
import { logoutTokenClaims, logoutTokenDefect, sessionIn } from './logout-tokens.ts';
import { isAccessToken, type ProviderUser, providerUser } from './provider-claims.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { tokenDefect } from './token-defects.ts';

export const SKEW_SEC = 30;
const VERIFIED = 10_000;
/** Characters; more than fits into a header. */
const TOKEN_LIMIT = 16_384;

const algorithms = ['RS', 'PS', 'ES'].flatMap((family) => ['256', '384', '512'].map((bits) => family + bits));
const accepted = { algorithms: [...algorithms, 'EdDSA', 'Ed25519'], clockTolerance: SKEW_SEC };

export interface VerifiedToken extends ProviderUser {
  /** Seconds since the epoch. */
  expiresAt: number;
}

/** A session at the provider that has ended. */
export interface EndedSession {
  /** As login tokens have it. */
  session: string;
  username?: string;
}

export class ProviderTokens {
  readonly #config: OpenIdConfig;
  readonly #keys: ProviderKeys;
  // With `max`, it would allocate all of them now.
  readonly #verified = new LRUCache<string, VerifiedToken>({ maxSize: VERIFIED, sizeCalculation: () => 1 });
  readonly #rejected: (reason: string) => void;
  #keysText = '';

  /** @param rejected called for each access token that gives no rights, with the reason, such as `its aud is "x"; expected "y"` */
  constructor(config: OpenIdConfig, keys: ProviderKeys, rejected: (reason: string) => void = () => {}) {
    this.#config = config;
    this.#keys = keys;
    this.#rejected = rejected;
  }

  /** Whether a token says that it is of the provider. That is not verified. One of another provider is noted as rejected. */
  claimsIssuer(token: string): boolean {
    if (token.length > TOKEN_LIMIT) return false;
    const iss = issuerIn(token);
    if (iss === this.#config.issuer) return true;
    // Tokens of the daemon have none.
    if (iss !== undefined) this.#rejected(tokenDefect(token, this.#config));
    return false;
  }

  /** Verifies an access token. @returns undefined for every defect. @throws NodewrightError OIDC_UNAVAILABLE */
  async access(token: string): Promise<VerifiedToken | undefined> {
    const { keysText } = await this.#keys.documents();
    if (keysText !== this.#keysText) this.#verified.clear();
    this.#keysText = keysText;
    const hash = createHash('sha256').update(token).digest('base64');
    const user = this.#verified.get(hash) ?? (await this.accessToken(token));
    if (user === undefined || user.expiresAt + SKEW_SEC <= Math.floor(Date.now() / 1000)) {
      this.#rejected(tokenDefect(token, this.#config));
      return undefined;
    }
    if (user.lack !== undefined) this.#rejected(user.lack);
    // Not a token that the keys of before have verified.
    if (this.#keysText === keysText) this.#verified.set(hash, user);
    return user;
  }

  /** Without a note of what is rejected. @returns undefined for every defect. @throws NodewrightError OIDC_UNAVAILABLE */
  async accessToken(token: string): Promise<VerifiedToken | undefined> {
    const result = await this.verify(token, this.#config.audience);
    if (result === undefined) return undefined;
    const { payload, protectedHeader } = result;
    if (payload.cnf !== undefined) return undefined;
    if (!this.#config.idTokens && !isAccessToken(protectedHeader.typ, payload)) return undefined;
    const user = providerUser(payload, this.#config);
    return user && { ...user, expiresAt: payload.exp ?? 0 };
  }

  /**
   * Verifies a logout token.
   * @returns the session that ended, and its user, if the token has the claim. @throws NodewrightError INVALID, OIDC_UNAVAILABLE
   */
  async endedSession(token: string): Promise<EndedSession> {
    const { issuer, clientId } = this.#config;
    const result = await this.verify(token, clientId, logoutTokenClaims);
    const defect =
      result === undefined
        ? tokenDefect(token, { issuer, audience: clientId, idTokens: true })
        : logoutTokenDefect(result.protectedHeader.typ, result.payload);
    const session = result && sessionIn(result.payload);
    if (defect !== undefined || session === undefined) throw invalidInput('logout_token', `is not valid: ${defect}`);
    const username = providerUser(result?.payload ?? {}, this.#config)?.username;
    return { session, ...(username !== undefined && { username }) };
  }

  /** @returns undefined for every defect. @throws NodewrightError OIDC_UNAVAILABLE */
  async verify(
    token: string,
    audience: string,
    requiredClaims: readonly string[] = ['sub', 'exp'],
  ): Promise<JWTVerifyResult<JWTPayload> | undefined> {
    const expected = { ...accepted, issuer: this.#config.issuer, audience, requiredClaims: [...requiredClaims] };
    const documents = await this.#keys.documents();
    try {
      return await jwtVerify(token, documents.key, expected);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) return undefined;
    }
    const newer = await this.#keys.newer(documents);
    return newer && (await jwtVerify(token, newer.key, expected).catch(() => undefined));
  }
}

function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
