/** Keys of a provider that rotates them, that is away, and whose attackers make up names of keys. */
import test, { type ExecutionContext } from 'ava';
import { providerFetch } from '../../../../engine/platform/openid/provider-fetch.ts';
import { ProviderKeys } from '../../../../engine/platform/openid/provider-keys.ts';
import { ProviderTokens } from '../../../../engine/platform/openid/provider-tokens.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { openIdConfigFor, startSigningProvider } from '../../../support/servers/signing-provider.ts';

const PAUSE_MS = 10_000;
const STALE_MS = 600_000;

async function opened(t: ExecutionContext) {
  const site = await startSigningProvider(t);
  const clock = { ms: 0 };
  const changes: boolean[] = [];
  const keys = new ProviderKeys({
    issuer: site.issuer,
    fetch: providerFetch(undefined),
    changed: (problem) => changes.push(problem === undefined),
    now: () => clock.ms,
  });
  const tokens = new ProviderTokens(openIdConfigFor(site.issuer), keys);
  const verdict = async (token: string) => {
    try {
      return (await tokens.access(token)) === undefined ? 401 : 200;
    } catch (error) {
      if (error instanceof NodewrightError) return error.code;
      throw error;
    }
  };
  return { site, clock, changes, keys, tokens, verdict };
}

test('concurrent first requests read the keys once, and a provider that never answered is 503', async (t) => {
  const { site, clock, changes, verdict } = await opened(t);
  const token = await site.token();
  const published = site.keys;
  site.keys = undefined;
  t.deepEqual(await Promise.all([verdict(token), verdict(token)]), ['OIDC_UNAVAILABLE', 'OIDC_UNAVAILABLE']);
  t.is(site.requests, 1);
  site.keys = published;
  t.is(await verdict(token), 'OIDC_UNAVAILABLE', 'not asked again yet');
  clock.ms += PAUSE_MS;
  t.deepEqual(await Promise.all([verdict(token), verdict(token)]), [200, 200]);
  t.is(site.requests, 3);
  t.deepEqual(changes, [false, true]);
});

test('a new key is read when a token names it; made-up names cause one reading in ten seconds', async (t) => {
  const { site, clock, verdict } = await opened(t);
  t.is(await verdict(await site.token()), 200);
  await site.rotate();
  clock.ms += PAUSE_MS;
  t.is(await verdict(await site.token()), 200);
  const { requests } = site;
  for (let n = 0; n < 50; n += 1) t.is(await verdict(await site.token({}, { kid: `made-up-${n}` })), 401);
  t.is(site.requests, requests);
  clock.ms += PAUSE_MS;
  for (let n = 0; n < 50; n += 1) t.is(await verdict(await site.token({}, { kid: `made-up-${n}` })), 401);
  t.is(site.requests, requests + 2);
});

test('while the provider is away, its keys keep tokens valid, and a token with another key is 503, not 401', async (t) => {
  const { site, clock, verdict } = await opened(t);
  const [before, later] = [await site.token(), await site.token({ sub: 'bob' })];
  t.is(await verdict(before), 200);
  const published = site.keys;
  await site.rotate();
  const next = await site.token();
  site.keys = undefined;
  clock.ms += 2 * STALE_MS;
  t.is(await verdict(before), 200);
  t.is(await verdict(later), 200, 'never seen before');
  t.is(await verdict(next), 'OIDC_UNAVAILABLE');
  t.is(await verdict(next), 'OIDC_UNAVAILABLE');
  site.keys = published;
  clock.ms += PAUSE_MS;
  t.is(await verdict(next), 401);
});

test('a key that the provider has withdrawn ends with the next reading, also for tokens that were verified', async (t) => {
  const { site, clock, keys, verdict } = await opened(t);
  const token = await site.token();
  t.is(await verdict(token), 200);
  const others = await startSigningProvider(t);
  site.keys = others.keys?.replace('key-0', 'key-9');
  clock.ms += 2 * STALE_MS;
  // Reads in the background, and the second call shares the reading.
  t.is(await verdict(token), 200);
  await keys.newer(await keys.documents());
  t.is(await verdict(token), 401);
});

test('a document of another provider, without keys, or with too much is no answer', async (t) => {
  for (const text of ['{', '[]', '{"keys":{}}', `{"keys":[${Array(101).fill('{"kty":"EC"}')}]}`, ' '.repeat(300_000)]) {
    const { site, verdict } = await opened(t);
    const token = await site.token();
    site.keys = text;
    t.is(await verdict(token), 'OIDC_UNAVAILABLE', text.slice(0, 40));
  }
  // Authentik without a signing key: its document has none, or an empty list.
  for (const text of ['{}', '{"keys":[]}']) {
    const { site, verdict, keys } = await opened(t);
    site.keys = text;
    t.is(await verdict(await site.token()), 'OIDC_UNAVAILABLE');
    const { cause } = (await t.throwsAsync(keys.documents())) ?? {};
    t.regex(String(cause), /has no keys; choose an asymmetric key/);
  }
  const { site, verdict } = await opened(t);
  Object.assign(site, { issuer: site.issuer.replace('127.0.0.1', 'localhost') });
  t.is(await verdict(await site.token({ iss: site.issuer.replace('localhost', '127.0.0.1') })), 'OIDC_UNAVAILABLE');
});

test('secrets are sent by https only, except to this machine', async (t) => {
  await t.throwsAsync(providerFetch(undefined)('http://provider.example/keys'), { message: /expected https/ });
});
