/** A log-in of a browser at a provider whose tokens a test signs. */
import type { Answer, Send } from './api.ts';
import type { SigningProvider } from './signing-provider.ts';

/** @param claims of the ID token, besides the usual ones @param tokens other tokens that the provider issues with it */
export async function logInAt(
  site: SigningProvider,
  send: Send,
  claims: Record<string, unknown> = {},
  tokens: object = {},
): Promise<Answer & { idToken: string }> {
  const begun = await send('POST', '/login/oidc');
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  const { nonce, state } = Object.fromEntries(new URL(begun.body.url).searchParams);
  const idToken = await site.token({ aud: 'console', nonce, ...claims }, { typ: 'JWT' });
  site.exchanged = { access_token: 'opaque', token_type: 'Bearer', id_token: idToken, ...tokens };
  const done = await send('POST', '/login/oidc/code', { headers: { cookie }, body: { code: 'c', state } });
  return { ...done, idToken };
}
