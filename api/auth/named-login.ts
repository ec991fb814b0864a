/**
 * The name of a user who logs in at the provider in a browser. With two names, one person could approve what the same person
 * has asked for, so a log-in whose ID token and access token name two users is rejected.
 */
import type { Engine, ProviderUser } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';

/** @returns the user by the one name of the account. @throws NodewrightError OIDC_TWO_NAMES */
export async function namedLogin<T extends ProviderUser & { accessUser?: ProviderUser }>(
  { providerNames }: Engine,
  login: T,
): Promise<T> {
  const username = await providerNames.of(login);
  const other = login.accessUser && (await providerNames.of(login.accessUser));
  if (other === undefined || other === username) return { ...login, username };
  throw new NodewrightError(
    'OIDC_TWO_NAMES',
    `The ID token of this log-in names ${username}, and its access token ${other}; set oidc.userClaim to a claim that both have`,
  );
}
