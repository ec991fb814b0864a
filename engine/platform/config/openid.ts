/** The key `oidc` with its defaults. */
import { isTrustedUrl } from '../lib/trusted-url.ts';
import type { OpenIdFile } from './openid-schema.ts';
import { rejectConfig } from './violations.ts';

/** With its defaults. */
export type OpenIdConfig = Readonly<
  OpenIdFile &
    Required<
      Pick<
        OpenIdFile,
        | 'deviceClientId'
        | 'audience'
        | 'scopes'
        | 'userClaim'
        | 'groupsClaim'
        | 'idTokens'
        | 'sessionSec'
        | 'localUsers'
        | 'endSession'
      >
    >
>;

/** @throws NodewrightError CONFIG_INVALID */
export function readOpenId(
  source: string,
  file: OpenIdFile | undefined,
  inCwd: (path: string) => string,
): OpenIdConfig | undefined {
  if (file === undefined) return undefined;
  for (const key of ['issuer', 'redirectUri'] as const)
    if (file[key] !== undefined && !isTrustedUrl(file[key]))
      rejectConfig(source, `oidc.${key} is ${JSON.stringify(file[key])}; expected https, or http on this machine`);
  return {
    deviceClientId: file.clientId,
    audience: file.clientId,
    userClaim: 'sub',
    groupsClaim: 'groups',
    idTokens: false,
    // As long as a user without groups may keep working in the console.
    sessionSec: 3_600,
    localUsers: true,
    // The next one at a shared computer must not get the session of the one before.
    endSession: true,
    ...file,
    scopes: [...new Set(['openid', ...(file.scopes ?? [])])],
    ...(file.ca !== undefined && { ca: inCwd(file.ca) }),
  };
}
