/** The key `oidc`. */
import test from 'ava';
import { pino } from 'pino';
import { checkConfiguredRoles } from '../../../../engine/assembly/configured-roles.ts';
import { readConfig } from '../../../../engine/platform/config/config.ts';
import type { OpenIdFile } from '../../../../engine/platform/config/openid-schema.ts';
import { Settings } from '../../../../engine/platform/config/settings.ts';
import { localChannels } from '../../../../engine/platform/queue/channel.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const roles = [{ group: 'ops', role: 'Operator' }];
const read = (oidc: Partial<OpenIdFile>) =>
  readConfig({}, '/nonexistent', { oidc: { issuer: 'https://sso.example/realm', clientId: 'c', roles, ...oidc } });

test('the audience and the client of nw are the client, and openid is a scope, unless the file says otherwise', (t) => {
  t.like(read({}).oidc, { audience: 'c', deviceClientId: 'c', scopes: ['openid'], userClaim: 'sub', localUsers: true });
  t.like(read({ audience: 'a', scopes: ['email', 'openid'] }).oidc, { audience: 'a', scopes: ['openid', 'email'] });
});

test('an address without https is rejected, except on this machine', (t) => {
  for (const issuer of ['http://sso.example', 'http://127.0.0.1.example', 'http://localhost@evil.example'])
    t.throws(() => read({ issuer }), { message: /oidc\.issuer is .*; expected https/ }, issuer);
  t.throws(() => read({ redirectUri: 'http://daemon.example/ui/login' }), { message: /oidc\.redirectUri/ });
  for (const issuer of ['http://localhost:8080/realm', 'http://127.0.0.1', 'http://[::1]:1'])
    t.is(read({ issuer }).oidc?.issuer, issuer);
});

test('the secret of the client is in no answer and no message', (t) => {
  const settings = new Settings(read({ clientSecret: 'of the client' }), localChannels(() => {}).channel('settings'));
  t.false(JSON.stringify(settings.shownConfig()).includes('of the client'));
  const problem = t.throws(() => read({ clientSecret: 'of the client'.repeat(100) }));
  t.false(problem?.message.includes('of the client'));
});

test('an unknown role stops the start, and a daemon that no user could administer warns', async (t) => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  const checked = (oidc: Partial<OpenIdFile>) =>
    checkConfiguredRoles({ config: read(oidc), store: new MemoryStore() }, log);
  await t.throwsAsync(checked({ roles: [{ group: 'ops', role: 'Nothing' }] }), {
    message: /oidc\.roles\.0\.role has "Nothing", which is no role/,
  });
  await checked({});
  await checked({ localUsers: false, roles: [{ group: 'admins', role: 'Administrator' }] });
  t.deepEqual(lines, []);
  await checked({ localUsers: false });
  t.regex(lines[0] ?? '', /no user can administer this daemon/);
});
