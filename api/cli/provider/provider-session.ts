/** `nw` at a provider of OpenID Connect: a log-in by the device authorization flow (RFC 8628), and what follows from it. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Client as OAuthClient, TokenEndpointResponse } from 'oauth4webapi';
import { providerFetch } from '../../../engine/platform/openid/provider-fetch.ts';
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import type { Renewal } from '../contexts.ts';
import { CommandError } from '../exit-codes.ts';
import { inform, printableText } from '../terminal.ts';

type Issuer = Pick<Renewal, 'issuer' | 'clientId' | 'idTokens'>;

/** A token for the daemon, and how to get the next one. */
export interface IssuedToken {
  token: string;
  /** Absent: the provider gives no other. */
  renewal?: Renewal;
}

/** Seconds after which a token without an end is renewed. */
const USUAL_SEC = 300;
/** RFC 8628, 3.2 and 3.5. */
const POLL = { usualSec: 5, slowerSec: 5 };

/** @param ca file with certificates to trust, in addition to the system's */
export async function sessionAt(issuer: Issuer, ca: string | undefined) {
  const oauth = await import('oauth4webapi');
  const fetch = providerFetch(ca === undefined ? undefined : readFileSync(ca, 'utf8'));
  const requested = { [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true };
  const url = new URL(issuer.issuer);
  const addresses = await oauth
    .discoveryRequest(url, requested)
    .then((answer) => oauth.processDiscoveryResponse(url, answer))
    .catch((error: unknown) => {
      throw new CommandError(
        printableText(`${issuer.issuer} does not answer as a provider of OpenID Connect: ${messageOf(error)}`),
      );
    });
  return { oauth, issuer, addresses, requested, client: { client_id: issuer.clientId } satisfies OAuthClient };
}

export type ProviderSession = Awaited<ReturnType<typeof sessionAt>>;

/** Shows the address and the code, and waits until the user has logged in there. @throws CommandError */
export async function logInByDevice(
  { oauth, issuer, addresses, requested, client }: ProviderSession,
  scopes: readonly string[],
): Promise<IssuedToken> {
  if (addresses.device_authorization_endpoint === undefined)
    throw new CommandError(printableText(`${issuer.issuer} has no device authorization flow; use an API token`));
  const scope = [...new Set([...scopes, 'offline_access'])].join(' ');
  const offer = await oauth.deviceAuthorizationRequest(addresses, client, oauth.None(), { scope }, requested);
  const device = await oauth.processDeviceAuthorizationResponse(addresses, client, offer).catch(rejectedBy(issuer));
  const { user_code: code, verification_uri: address, verification_uri_complete: whole } = device;
  inform(`Open ${printableText(address)} in a browser on any machine, and enter ${printableText(code)}`);
  if (whole !== undefined) inform(`or open ${printableText(whole)}`);
  const endAt = Date.now() + device.expires_in * 1_000;
  for (let waitSec = device.interval ?? POLL.usualSec; Date.now() < endAt; ) {
    await setTimeout(waitSec * 1_000);
    const answer = await oauth
      .deviceCodeGrantRequest(addresses, client, oauth.None(), device.device_code, requested)
      // The network may be back before the code has ended.
      .catch(() => undefined);
    if (answer === undefined) continue;
    try {
      return issuedBy(issuer, await oauth.processDeviceCodeResponse(addresses, client, answer), undefined);
    } catch (error) {
      const problem = error instanceof oauth.ResponseBodyError ? error.error : undefined;
      if (problem === 'slow_down') waitSec += POLL.slowerSec;
      else if (problem !== 'authorization_pending') rejectedBy(issuer)(error);
    }
  }
  throw new CommandError('The code has ended before a user logged in with it; run nw login --oidc again');
}

/** @throws CommandError if the provider does not renew it any more */
export async function renewedBy(
  { oauth, issuer, addresses, requested, client }: ProviderSession,
  { refreshToken }: Renewal,
): Promise<IssuedToken> {
  const answer = await oauth.refreshTokenGrantRequest(addresses, client, oauth.None(), refreshToken, requested);
  const next = await oauth.processRefreshTokenResponse(addresses, client, answer).catch(rejectedBy(issuer));
  return issuedBy(issuer, next, refreshToken);
}

/** Ends the refresh token, and what it gave (RFC 7009). @returns whether the provider can. @throws CommandError */
export async function revokedBy(
  { oauth, issuer, addresses, requested, client }: ProviderSession,
  { refreshToken }: Renewal,
): Promise<boolean> {
  if (addresses.revocation_endpoint === undefined) return false;
  await oauth
    .revocationRequest(addresses, client, oauth.None(), refreshToken, requested)
    .then(oauth.processRevocationResponse)
    .catch(({ message }: Error) => {
      throw new CommandError(printableText(`${issuer.issuer} did not end the refresh token: ${message}; end it there`));
    });
  return true;
}

/** @param before used again if the provider gives no other */
function issuedBy(issuer: Issuer, answer: TokenEndpointResponse, before: string | undefined): IssuedToken {
  const { access_token: access, id_token: id, refresh_token: refreshToken = before, expires_in: sec } = answer;
  const token = (issuer.idTokens ? id : undefined) ?? access;
  if (refreshToken === undefined) return { token };
  const { issuer: url, clientId, idTokens } = issuer;
  const expiresAt = new Date(Date.now() + (sec ?? USUAL_SEC) * 1_000).toISOString();
  return { token, renewal: { issuer: url, clientId, idTokens, refreshToken, expiresAt } };
}

const rejectedBy =
  ({ issuer }: Issuer) =>
  (error: unknown): never => {
    // Such as `not_allowed (Offline tokens not allowed for the user or client)`.
    const { error: code, error_description: more } = objectIn(error);
    const reason = code === undefined ? messageOf(error) : `${code}${more === undefined ? '' : ` (${more})`}`;
    throw new CommandError(printableText(`${issuer} rejected the log-in: ${reason}; run: nw login --oidc`));
  };
