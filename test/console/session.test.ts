/** The login of the console, in a real browser against a real daemon that is killed in the meantime. */

import { needing } from '../support/ava/needs.ts';
import { logIn, noBrowser, openBrowser, openPage } from '../support/console/browser.ts';
import { originOf, portOf } from '../support/console/console-scene.ts';
import { credentials, startDaemonProcess } from '../support/servers/daemon.ts';
import { startProxy } from '../support/servers/proxy.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noBrowser, 'chromium');
const browserOf = shared(openBrowser);
const daemonOf = shared((file) => startDaemonProcess(file));

test.serial('a link leads to its page after the login, and a wrong password is rejected in words', async (t) => {
  const opened = await openPage(t, await browserOf(), originOf(await daemonOf()), '/nodes?tag=a');
  await opened.fill('input[name=username]', credentials.username);
  await opened.fill('input[name=password]', 'not the password');
  await opened.click('button[type=submit]');
  await opened.shows('Invalid username or password');
  await logIn(opened, credentials.username, credentials.password);
  t.is(new URL(opened.page.url()).pathname + new URL(opened.page.url()).search, '/ui/nodes?tag=a');
  t.deepEqual(opened.faults, []);
});

test.serial('a page that is loaded again is still logged in, and its token is in no storage', async (t) => {
  const opened = await openPage(t, await browserOf(), originOf(await daemonOf()));
  await logIn(opened, credentials.username, credentials.password);
  await opened.page.reload();
  await opened.shows(credentials.username);
  t.is(await opened.page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])'), '[{},{},""]');
});

test.serial('the token is sent in a header, and a log-out ends it in the daemon', async (t) => {
  const daemon = await daemonOf();
  const opened = await openPage(t, await browserOf(), originOf(daemon));
  const requested = opened.page.waitForRequest((request) => request.url().endsWith('/summary'));
  await logIn(opened, credentials.username, credentials.password);
  const { authorization = '' } = (await requested).headers();
  t.regex(authorization, /^Bearer \S+$/);
  await opened.click('::-p-text(Log out)');
  await opened.has('input[name=password]');
  const { status } = await fetch(`${originOf(daemon)}/login/user`, { headers: { authorization } });
  t.is(status, 401);
  await opened.page.reload();
  await opened.has('input[name=password]');
});

test.serial('the first user is created in the page, by a client on the machine of the daemon', async (t) => {
  const daemon = await startDaemonProcess(t, { users: 'none' });
  const opened = await openPage(t, await browserOf(), originOf(daemon), '/workflows');
  await opened.shows('This daemon has no users yet');
  t.deepEqual(await opened.barriers(), []);
  await opened.fill('input[name=repeated]', 'a password of some length');
  await logIn(opened, 'first', 'a password of some length');
  await opened.shows('first');
  t.is((await fetch(`${originOf(daemon)}/login/user`)).status, 401);
  t.deepEqual(opened.faults, []);
});

test.serial(
  'a daemon that is killed is said to be away, and when it is back the page continues by itself',
  async (t) => {
    const daemon = await startDaemonProcess(t);
    const proxy = await startProxy(portOf(daemon));
    t.teardown(() => proxy.stop());
    const opened = await openPage(t, await browserOf(), `http://127.0.0.1:${proxy.port}`);
    await logIn(opened, credentials.username, credentials.password);
    await opened.has('.connection.live');
    await daemon.kill('SIGKILL');
    await opened.shows('The daemon does not answer');
    await opened.click('nav a[href="/ui/skus"]');
    await opened.shows('This could not be loaded, because the daemon does not answer.');
    t.is(await opened.page.title(), 'SKUs · nodewright');
    await daemon.start();
    proxy.retarget(portOf(daemon));
    await opened.has('.connection.live');
    await opened.shows('New SKU');
    t.false(await opened.page.evaluate(`document.body.innerText.includes('could not be loaded')`));
    t.deepEqual(opened.faults, []);
    await opened.click('nav a[href="/ui"]');
    const { body } = await daemon.api('POST', '/nodes', { type: 'compute', name: 'later' });
    t.truthy(body.id);
    await opened.meets(`document.querySelector('.racks .cell')?.title === 'later: free'`);
    t.false(await opened.page.evaluate(`document.body.innerText.includes('does not answer')`));
  },
);

test.serial('a list is said to be empty only when the daemon has said so', async (t) => {
  const opened = await openPage(t, await browserOf(), originOf(await daemonOf()));
  await logIn(opened, credentials.username, credentials.password);
  await opened.page.setRequestInterception(true);
  opened.page.on('request', (request) =>
    /\/nodes\?.*fields=/.test(request.url()) ? request.abort() : request.continue(),
  );
  await opened.load('/nodes');
  await opened.shows('It is read when the daemon answers.');
  t.false(await opened.page.evaluate(`/0 nodes|No node/.test(document.body.innerText)`));
  await opened.load('/');
  await opened.shows('It is read when the daemon answers.');
  t.false(await opened.page.evaluate(`/No server yet|Next steps/.test(document.body.innerText)`));
  t.deepEqual(opened.faults, []);
});

test.serial('a password that is changed elsewhere ends the login, and the page asks for the new one', async (t) => {
  const daemon = await daemonOf();
  await daemon.api('POST', '/users', { username: 'reader', password: 'a first password', role: 'ReadOnly' });
  const opened = await openPage(t, await browserOf(), originOf(daemon));
  await logIn(opened, 'reader', 'a first password');
  await daemon.api('PATCH', '/users/reader', { password: 'a second password' });
  await daemon.api('POST', '/nodes', { type: 'compute', name: 'changes the page' });
  await opened.has('input[name=password]');
  await logIn(opened, 'reader', 'a second password');
  await opened.shows('reader');
  t.deepEqual(opened.faults, []);
});

test.serial('the console of an Operator is live', async (t) => {
  const daemon = await daemonOf();
  await daemon.api('POST', '/users', { username: 'operator', password: 'an operator here', role: 'Operator' });
  const opened = await openPage(t, await browserOf(), originOf(daemon), '/nodes');
  await logIn(opened, 'operator', 'an operator here');
  await opened.has('.connection.live');
  await daemon.api('POST', '/nodes', { type: 'compute', name: 'new-to-the-operator' });
  await opened.shows('new-to-the-operator');
  t.deepEqual(opened.faults, []);
});
