/**
 * Says why a token of a provider is not accepted: for the log, and for the user that has the token. It reads claims that nothing
 * has verified, so it decides nothing.
 */
import { decodeJwt, decodeProtectedHeader, type JWTPayload, type ProtectedHeaderParameters } from 'jose';
import { hasTooManyGroups, isAccessToken } from './provider-claims.ts';

interface ExpectedToken {
  issuer: string;
  /** undefined: not known here. */
  audience?: string;
  /** Whether ID tokens are accepted. */
  idTokens: boolean;
}

/** Characters of a claim; a provider may put anything into it. */
const SHOWN = 200;

/** Returns what was found, and what is expected, as the predicate of a sentence about the token. */
export function tokenDefect(token: string, expected: ExpectedToken): string {
  const parts = partsOf(token);
  if (parts === undefined)
    return 'it is opaque (no JWT); the provider has to issue JWTs for the audience of the daemon';
  const { header, claims } = parts;
  if (/^(?:HS|none)/.test(header.alg ?? 'none'))
    return `it is signed by ${quoteOf(header.alg)}; expected an asymmetric signature, such as RS256`;
  return differingClaim(claims, expected) ?? wrongType(header, claims, expected) ?? otherDefect(claims, expected);
}

function differingClaim({ iss, aud, exp }: JWTPayload, { issuer, audience }: ExpectedToken): string | undefined {
  if (iss !== issuer) return `its iss is ${quoteOf(iss)}; expected ${quoteOf(issuer)}`;
  if (audience !== undefined && ![aud].flat().includes(audience))
    return `its aud is ${quoteOf(aud)}; expected ${quoteOf(audience)}`;
  if (typeof exp === 'number' && exp * 1_000 < Date.now()) return `it ended at ${endOf(exp)}`;
  return undefined;
}

function wrongType(
  { typ }: ProtectedHeaderParameters,
  claims: JWTPayload,
  { idTokens }: ExpectedToken,
): string | undefined {
  if (claims.cnf !== undefined) return 'it is bound to a key of its client (cnf); expected a Bearer token';
  if (idTokens || isAccessToken(typ, claims)) return undefined;
  return `it is an ID token, or has another purpose (typ ${quoteOf(claims.typ ?? typ)}); expected an access token`;
}

const otherDefect = ({ aud }: JWTPayload, { audience }: ExpectedToken): string =>
  audience === undefined
    ? `its aud is ${quoteOf(aud)}; expected oidc.audience of the daemon, and a signature by a key of the provider`
    : 'it has no signature by a key that the provider publishes, or no sub, exp or claim of the user';

/** Returns why an accepted token gives no rights, as far as the user can tell. */
export const roleDefect = (token: string): string =>
  hasTooManyGroups(partsOf(token)?.claims ?? {})
    ? 'it has too many groups for a token of the provider (claim _claim_names)'
    : 'none of its groups has a role there, or the token names no groups';

function partsOf(token: string) {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

const quoteOf = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, SHOWN);

function endOf(seconds: number): string {
  const end = new Date(seconds * 1_000);
  return Number.isNaN(end.getTime()) ? quoteOf(seconds) : end.toISOString();
}
