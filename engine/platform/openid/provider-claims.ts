/** Reads the claims of a verified token. Pure; a provider may put anything into them. */
import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { isObject } from '../../vocabulary/json.ts';
import { providerUserName } from '../../vocabulary/user-names.ts';

/** A user that exists at the provider only. */
export interface ProviderUser {
  /** Such as `oidc:alice`; no local user can have such a name. */
  username: string;
  /** Identifies the account (`iss`, `sub`) where another claim names it; absent: the name does. */
  account?: string;
  /** Those that have a role, in the order of the configuration. */
  groups: readonly string[];
  /** Why there are none, as a sentence for the user. */
  lack?: string;
}

interface ClaimNames {
  userClaim: string;
  groupsClaim: string;
  roles: readonly GroupRole[];
}

interface GroupRole {
  group: string;
  role: string;
  /** The role counts on the nodes of this team only. */
  team?: string;
  graphs?: string[];
}

/** Printable, since logs, lists and terminals show it; OpenID Connect Core, 2: `sub` has at most 255 characters. */
const USER_NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u;

/** @returns undefined: they name no user */
export function providerUser(claims: JWTPayload, names: ClaimNames): ProviderUser | undefined {
  const name = claimAt(claims, names.userClaim);
  if (typeof name !== 'string' || !USER_NAME.test(name) || name.trim() !== name) return undefined;
  const given = new Set([claimAt(claims, names.groupsClaim) ?? []].flat());
  const groups = [...new Set(names.roles.map(({ group }) => group))].filter((group) => given.has(group));
  const account = accountOf(claims, names);
  return {
    username: providerUserName(name),
    ...(account && { account }),
    groups,
    ...(groups.length === 0 && { lack: lackOf(claims, names) }),
  };
}

/** With the claim: another one gives other names. */
const accountOf = ({ iss, sub }: JWTPayload, { userClaim }: ClaimNames): string | undefined =>
  userClaim === 'sub' || sub === undefined
    ? undefined
    : createHash('sha256')
        .update(JSON.stringify([iss, userClaim, sub]))
        .digest('base64url');

function lackOf(claims: JWTPayload, { groupsClaim }: ClaimNames): string {
  if (hasTooManyGroups(claims))
    return 'The provider names no groups, since this user has too many for a token (claim _claim_names); let it name only those of the application';
  const given = claimAt(claims, groupsClaim);
  if (given === undefined) return `The provider gives no claim ${groupsClaim}, so this user has no role here`;
  return `No group of this user has a role here (groups in the claim ${groupsClaim}: ${[given].flat().length})`;
}

/** Entra ID names no more than 200 groups in a token; for others it gives the address of a list (OpenID Connect Core, 5.6.2). */
export const hasTooManyGroups = ({ _claim_names: distributed, hasgroups }: JWTPayload): boolean =>
  hasgroups === true || (isObject(distributed) && Object.hasOwn(distributed, 'groups'));

/** The first one that fits, and is no binding to a team. */
export const roleOfGroups = (groups: readonly string[], { roles }: Pick<ClaimNames, 'roles'>): string | undefined =>
  roles.find(({ group, team }) => team === undefined && groups.includes(group))?.role;

/** All that fit. */
export const bindingsOfGroups = (groups: readonly string[], { roles }: Pick<ClaimNames, 'roles'>) =>
  roles.flatMap(({ group, role, team, graphs }) =>
    team === undefined || !groups.includes(group) ? [] : [{ role, team, ...(graphs && { graphs }) }],
  );

/** A name with dots may be a claim itself, such as a URL, or lead into claims. */
export function claimAt(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/** Claims and types that only ID tokens and other tokens have: OpenID Connect Core, 2 and 3.3; Keycloak's `typ`. */
const idClaims = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];
const bearerTypes: readonly unknown[] = [undefined, 'Bearer'];

/** Whether a token was made for requests: an ID token tells a client who has logged in, and may be shown to others. */
export function isAccessToken(type: string | undefined, claims: JWTPayload): boolean {
  // RFC 9068, 4.
  if (/^(?:application\/)?at\+jwt$/i.test(type ?? '')) return true;
  if (type !== undefined && type.toLowerCase() !== 'jwt') return false;
  return bearerTypes.includes(claims.typ) && !idClaims.some((name) => Object.hasOwn(claims, name));
}
