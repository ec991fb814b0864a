/** Log-ins at a real provider of OpenID Connect: by the console in a real browser, and by `nw` with another one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import type { Scope } from '../support/ava/scope.ts';
import { noBrowser, openBrowser, openPage } from '../support/console/browser.ts';
import { commandLine } from '../support/console/command-line.ts';
import { originOf } from '../support/console/console-scene.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { startOpenIdProvider } from '../support/servers/openid-provider.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noBrowser, 'chromium');
const browserOf = shared(openBrowser);
/** s; shorter than `nw` renews early, so that each of its requests renews. */
const TOKEN_SEC = 20;
const providerOf = shared((file) => startOpenIdProvider(file, TOKEN_SEC));
const daemonOf = shared(async (file) => startDaemonProcess(file, { config: { oidc: (await providerOf()).config } }));

/** At the pages of the provider. */
async function signIn(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
  await page.locator('button[autofocus], button[type=submit]:not(.login-submit)').click();
}

async function openedLogin(t: Scope, path: string) {
  const [daemon, { issuer }] = [await daemonOf(), await providerOf()];
  const opened = await openPage(t, await browserOf(), originOf(daemon), path);
  return { daemon, opened, button: `::-p-text(Log in at ${new URL(issuer).host})` };
}

test.serial(
  'the console logs in at the provider, returns to its page, stays logged in, and logs out there, too',
  async (t) => {
    const { daemon, opened, button } = await openedLogin(t, '/nodes?tag=a');
    await opened.has('input[name=password]');
    await opened.has(button);
    t.deepEqual(await opened.barriers(), []);
    await opened.click(button);
    await signIn(opened.page, 'ada');
    await opened.shows('oidc:ada');
    t.is(new URL(opened.page.url()).pathname + new URL(opened.page.url()).search, '/ui/nodes?tag=a');
    await opened.page.reload();
    await opened.shows('oidc:ada');
    t.is(await opened.page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])'), '[{},{},""]');
    const { body: entries } = await daemon.api('GET', '/audit?limit=1000');
    t.like(entries.at(-1), { user: 'oidc:ada', method: 'POST', path: '/login/oidc/code', status: 200 });
    await opened.click('::-p-text(Log out)');
    await opened.page.locator('button[name=logout]').click();
    await opened.shows('was asked to end your session there');
    t.is(new URL(opened.page.url()).search, '');
    t.is(await opened.page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])'), '[{},{},""]');
    await opened.click(button);
    await opened.has('input[name=login]');
    t.deepEqual(opened.faults, []);
  },
);

test.serial('a user whose groups have no role gets the reason', async (t) => {
  const { opened, button } = await openedLogin(t, '/');
  await opened.click(button);
  await signIn(opened.page, 'groupless-user');
  await opened.shows('No group of this user has a role here');
  await opened.has(button);
  t.deepEqual(opened.faults, []);
});

test.serial(
  'nw logs in by a code that is entered in any browser, and renews its token with each that ends',
  async (t) => {
    const [daemon, browser] = [await daemonOf(), await browserOf()];
    const contexts = join(folder(t), 'contexts.json');
    const nw = commandLine(t, daemon, { NW_TOKEN: '', NW_CONTEXTS: contexts });
    const login = nw.start('login', '--oidc', '--context', 'site');
    const address = /or open (\S+)/;
    const shown = (await login.stderr.until((chunks) => address.test(chunks.join('')))).join('');
    const context = await browser.createBrowserContext();
    t.teardown(() => context.close());
    const page = await context.newPage();
    await page.goto(address.exec(shown)?.[1] ?? '');
    await page.locator('button[type=submit], button[autofocus]').click();
    await signIn(page, 'olga');
    const done = await login.ended;
    t.is(done.status, 0, done.stderr);
    const stored = () => JSON.parse(readFileSync(contexts, 'utf8')).contexts.site;
    const first = stored();
    t.is(first.user, 'oidc:olga');
    const many = await Promise.all(Array.from({ length: 4 }, () => nw.run('whoami', '-o', 'json')));
    for (const { status, stdout, stderr } of many) {
      t.is(status, 0, stderr);
      t.like(JSON.parse(stdout), { user: 'oidc:olga' });
    }
    const renewed = stored();
    t.not(renewed.token, first.token);
    t.not(renewed.renewal.refreshToken, first.renewal.refreshToken);
    t.is((await nw.run('node', 'add', 'by-olga')).status, 0);
    const last = stored().renewal.refreshToken;
    t.is((await nw.run('logout')).status, 0);
    const { issuer } = await providerOf();
    const form = { client_id: 'nw', grant_type: 'refresh_token', refresh_token: last };
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
    t.like(await answer.json(), { error: 'invalid_grant' });
    t.regex((await nw.run('nodes')).stderr, /nw login/);
  },
);
