/**
 * The log-in of a browser by the authorization code flow with PKCE (OAuth 2.1, 4.1). The daemon exchanges the code, so that no
 * token of the provider reaches the browser.
 *
 * 1. All that a log-in needs follows from one secret, which only the browser that began it has: state, nonce and the verifier of
 *    PKCE are its hashes. Nothing is stored, so any daemon may complete what another one began.
 * 2. The answer has to have the state, its code is exchanged with the verifier, and the ID token has to have the nonce: a code
 *    that was stolen, or put into the browser of another, is of no use.
 * 3. The ID token is verified like an access token, although it comes from the provider directly.
 */
import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { AuthorizationServer, Client } from 'oauth4webapi';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { OpenIdConfig } from '../config/openid.ts';
import { sessionIn } from './logout-tokens.ts';
import { claimAt, type ProviderUser, providerUser } from './provider-claims.ts';
import type { ProviderFetch } from './provider-fetch.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { type ProviderTokens, SKEW_SEC } from './provider-tokens.ts';
import { tokenDefect } from './token-defects.ts';

type OAuth = typeof import('oauth4webapi');

/** The parameters that the provider has added to the address of the console. */
export interface LoginAnswer {
  code: string;
  state: string;
  /** RFC 9207. */
  iss?: string;
}

/** A user who has logged in, with the ID token that says so. */
export interface ProviderLogin extends ProviderUser {
  idToken: string;
  /** Identifies the session at the provider; absent: it does not name it. */
  session?: string;
  /** The user of the access token that came with it; absent: it is for others, so it gives nothing here. */
  accessUser?: ProviderUser;
}

export class CodeFlow {
  readonly #config: OpenIdConfig;
  readonly #keys: ProviderKeys;
  readonly #tokens: ProviderTokens;
  readonly #fetch: ProviderFetch;

  constructor(config: OpenIdConfig, keys: ProviderKeys, tokens: ProviderTokens, fetch: ProviderFetch) {
    this.#config = config;
    this.#keys = keys;
    this.#tokens = tokens;
    this.#fetch = fetch;
  }

  /** Returns the address at the provider. @param secret random */
  async addressFor(secret: string, redirectUri: string): Promise<string> {
    const { addresses } = await this.#keys.documents();
    const url = new URL(addresses.authorization_endpoint ?? '');
    const parameters = {
      client_id: this.#config.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: this.#config.scopes.join(' '),
      state: hashFor(secret, 'state'),
      nonce: hashFor(secret, 'nonce'),
      code_challenge: createHash('sha256').update(hashFor(secret, 'verifier')).digest('base64url'),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** @throws NodewrightError OIDC_REJECTED, OIDC_UNAVAILABLE */
  async complete(secret: string, redirectUri: string, answer: LoginAnswer): Promise<ProviderLogin> {
    const { addresses } = await this.#keys.documents();
    const oauth = await import('oauth4webapi');
    const { idToken, accessToken, claims } = await this.#exchange(oauth, addresses, secret, redirectUri, answer).catch(
      (error: unknown) => {
        throw problemOf(oauth, error);
      },
    );
    const user = providerUser(claims, this.#config);
    if (user !== undefined) return this.#login(user, claims, idToken, accessToken);
    throw rejectedLogin(`the provider gives no claim ${this.#config.userClaim} that can name the user`);
  }

  async #login(user: ProviderUser, claims: JWTPayload, idToken: string, accessToken: string): Promise<ProviderLogin> {
    const [session, accessUser] = [sessionIn(claims), await this.#tokens.accessToken(accessToken)];
    return { ...user, idToken, ...(session !== undefined && { session }), ...(accessUser && { accessUser }) };
  }

  async #exchange(
    oauth: OAuth,
    addresses: AuthorizationServer,
    secret: string,
    redirectUri: string,
    answer: LoginAnswer,
  ): Promise<{ idToken: string; accessToken: string; claims: JWTPayload }> {
    const { clientId, groupsClaim, issuer } = this.#config;
    const client: Client = { client_id: clientId, [oauth.clockTolerance]: SKEW_SEC };
    const requested = { [oauth.customFetch]: this.#fetch, [oauth.allowInsecureRequests]: true };
    const parameters = oauth.validateAuthResponse(
      addresses,
      client,
      new URLSearchParams({ ...answer }),
      hashFor(secret, 'state'),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(
      addresses,
      client,
      await oauth.authorizationCodeGrantRequest(
        addresses,
        client,
        this.#authentication(oauth, addresses),
        parameters,
        redirectUri,
        hashFor(secret, 'verifier'),
        requested,
      ),
      { expectedNonce: hashFor(secret, 'nonce'), requireIdToken: true },
    );
    const idToken = tokens.id_token ?? '';
    const verified = await this.#tokens.verify(idToken, clientId);
    if (verified === undefined)
      throw rejectedLogin(`of its ID token, ${tokenDefect(idToken, { issuer, audience: clientId, idTokens: true })}`);
    const { payload } = verified;
    const accessToken = tokens.access_token;
    // OpenID Connect Core, 5.4: claims of scopes are given by the endpoint, and only by some providers in the ID token.
    if (claimAt(payload, groupsClaim) !== undefined || addresses.userinfo_endpoint === undefined)
      return { idToken, accessToken, claims: payload };
    const info = await oauth.userInfoRequest(addresses, client, tokens.access_token, requested);
    const more = await oauth.processUserInfoResponse(addresses, client, payload.sub ?? '', info);
    return { idToken, accessToken, claims: { ...more, ...payload } };
  }

  #authentication(oauth: OAuth, { token_endpoint_auth_methods_supported: methods }: AuthorizationServer) {
    const { clientSecret } = this.#config;
    if (clientSecret === undefined) return oauth.None();
    const isBasic = methods === undefined || methods.includes('client_secret_basic');
    return isBasic ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
  }
}

const hashFor = (secret: string, purpose: string): string =>
  createHash('sha256').update(`${purpose} ${secret}`).digest('base64url');

const rejectedLogin = (reason: string, cause?: unknown) =>
  new NodewrightError('OIDC_REJECTED', `The log-in is not valid: ${reason}; begin it again`, { cause });

const descriptionIn = (text: string | undefined): string => (text === undefined ? '' : ` (${text.slice(0, 500)})`);

/** An answer that is wrong ends the log-in; without an answer it may succeed later. */
function problemOf(oauth: OAuth, error: unknown): unknown {
  if (error instanceof NodewrightError) return error;
  if (error instanceof oauth.ResponseBodyError)
    return rejectedLogin(`the provider says ${error.error}${descriptionIn(error.error_description)}`, error);
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.AuthorizationResponseError)
    return rejectedLogin(messageOf(error), error);
  return new NodewrightError('OIDC_UNAVAILABLE', 'The provider of OpenID Connect does not answer; retry', {
    cause: error,
  });
}
