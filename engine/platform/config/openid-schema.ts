/** The key `oidc`: the provider of OpenID Connect whose users this daemon admits. */
import { type Static, Type } from 'typebox';

const text = (description: string) => Type.String({ minLength: 1, maxLength: 1_000, description });

const roleOfGroup = Type.Object(
  {
    group: text('A value of `groupsClaim`.'),
    role: text('The role of its members.'),
    team: Type.Optional(text('It counts on the nodes of this team only ([teams](../operate/teams.md)).')),
    graphs: Type.Optional(
      Type.Array(text('A name, `*` for any characters.'), {
        minItems: 1,
        maxItems: 100,
        description: 'With `team`: the graphs that they may launch there; absent: all.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const openIdSchema = Type.Object(
  {
    issuer: Type.String({
      pattern: '^https?://[^?#]+$',
      description: 'URL of the provider, exactly as its discovery document has it; http only on this machine.',
    }),
    clientId: text('The client of the console.'),
    clientSecret: Type.Optional(text('Its secret; absent: a public client, which PKCE protects.')),
    deviceClientId: Type.Optional(text('The public client of `nw login --oidc`; absent: `clientId`.')),
    audience: Type.Optional(text('`aud` of access tokens for this daemon; absent: `clientId`.')),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,255}$' }), {
        maxItems: 50,
        description: 'Scopes that a log-in asks for; absent: `openid`. `nw` also asks for `offline_access`.',
      }),
    ),
    userClaim: Type.Optional(
      text('The claim that names the user; absent: `sub`. Users must not be able to change another one.'),
    ),
    groupsClaim: Type.Optional(
      text('The claim with the groups, also within another, such as `realm_access.roles`; absent: `groups`.'),
    ),
    roles: Type.Array(roleOfGroup, {
      maxItems: 1_000,
      description:
        'The roles of groups. Of several that fit, the first one without a team counts, and each one with a team; without any a user has no rights.',
    }),
    idTokens: Type.Optional(
      Type.Boolean({
        description: 'ID tokens are accepted as access tokens, for providers that have no others, such as Dex.',
      }),
    ),
    sessionSec: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 86_400,
        description: 'Seconds that a log-in of the console is valid; absent: 3600. Groups are read again by the next.',
      }),
    ),
    localUsers: Type.Optional(
      Type.Boolean({ description: 'false: users of this daemon cannot log in, and their tokens are invalid.' }),
    ),
    endSession: Type.Optional(
      Type.Boolean({
        description:
          'false: a log-out of the console leaves the session at the provider; absent: true, if the provider can end it.',
      }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        pattern: '^https?://[^?#]+/ui/login$',
        description: '`/ui/login` of the console as browsers see it; absent: by the `Host` of the request.',
      }),
    ),
    ca: Type.Optional(text('PEM file of an authority to trust for the provider, besides the usual ones.')),
  },
  {
    additionalProperties: false,
    description: 'A provider of OpenID Connect whose users this daemon admits ([how](../operate/oidc.md)).',
  },
);

export type OpenIdFile = Static<typeof openIdSchema>;
