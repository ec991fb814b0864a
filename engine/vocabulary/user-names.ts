/** Names of users. Those of a provider have a colon, which the name of a local user cannot have. */

const PROVIDER_PREFIX = 'oidc:';

/** @param claim the value of `oidc.userClaim` */
export const providerUserName = (claim: string): string => PROVIDER_PREFIX + claim;

export const isProviderUser = (name: string): boolean => name.startsWith(PROVIDER_PREFIX);
