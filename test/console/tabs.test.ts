/** Many tabs of one browser, and the back-forward cache: no tab waits for a connection that another one holds. */
import type { Page } from 'puppeteer-core';
import { needing } from '../support/ava/needs.ts';
import type { Scope } from '../support/ava/scope.ts';
import { type ConsolePage, logIn, noBrowser, openBrowser, openPage, sisterPage } from '../support/console/browser.ts';
import { originOf } from '../support/console/console-scene.ts';
import { credentials, startDaemonProcess } from '../support/servers/daemon.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noBrowser, 'chromium');
const browserOf = shared(openBrowser);
const daemonOf = shared((file) => startDaemonProcess(file));

/** More than three times the connections that a browser gives to a daemon. */
const TABS = 20;

/** A browser of its own that is logged in, and its first tab. */
async function loggedIn(t: Scope): Promise<ConsolePage> {
  const page = await openPage(t, await browserOf(), originOf(await daemonOf()));
  await logIn(page, credentials.username, credentials.password);
  return page;
}

/** Counts the streams that a tab has begun. */
function streamsOf(page: Page): { begun: number } {
  const streams = { begun: 0 };
  page.on('request', (request) => {
    if (request.url().includes('/events/stream')) streams.begun++;
  });
  return streams;
}

test.serial('of 20 tabs each is live and answers a click, and one stream serves them all', async (t) => {
  const first = await loggedIn(t);
  await first.has('.connection.live');
  const tabs = await Promise.all(Array.from({ length: TABS - 1 }, () => sisterPage(first)));
  const counts = tabs.map(({ page }) => streamsOf(page));
  for (const tab of tabs) await tab.load('/workflows');
  for (const tab of tabs) {
    await tab.page.bringToFront();
    await tab.has('.connection.live');
    await tab.click('nav a[href="/ui/skus"]');
    await tab.has('h1::-p-text(SKUs)');
    t.deepEqual(tab.faults, []);
  }
  t.is(
    counts.reduce((sum, { begun }) => sum + begun, 0),
    0,
    'the first tab follows the log for all',
  );
  await first.page.close();
  const last = tabs.at(-1)!;
  await last.visit('/nodes');
  await (await daemonOf()).api('POST', '/nodes', { type: 'compute', name: 'seen-after-the-first-tab' });
  await last.shows('seen-after-the-first-tab');
  t.is(
    counts.reduce((sum, { begun }) => sum + begun, 0),
    1,
    'one of the others has taken over',
  );
});

test.serial(
  'ten pages that were loaded one after another in a tab hold no connection, and Back is live again',
  async (t) => {
    const page = await loggedIn(t);
    for (let load = 0; load < 10; load++) {
      await page.load(`/workflows?q=${load}`);
      await page.has('.connection.live');
    }
    await page.page.evaluate('window.isKept = true');
    await page.load('/skus');
    await page.has('.connection.live');
    await page.page.goBack();
    t.true(await page.page.evaluate('window.isKept'), 'the page comes from the back-forward cache');
    await page.has('.connection.live');
    await page.click('nav a[href="/ui/nodes"]');
    await (await daemonOf()).api('POST', '/nodes', { type: 'compute', name: 'seen-after-back' });
    await page.shows('seen-after-back');
    t.deepEqual(page.faults, []);
  },
);

/** Instead of time: what the console asks for in a minute comes immediately. */
const MINUTE_OVER = `{
  const later = window.setTimeout;
  window.setTimeout = (call, ms, ...rest) => later(call, ms === 60_000 ? 0 : ms, ...rest);
}`;
const NO_LOCKS = `Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })`;

for (const [situation, script] of [
  ['a tab that is hidden for a minute ends the stream', MINUTE_OVER],
  ['without locks, as on plain HTTP from afar, a hidden tab ends its stream immediately', NO_LOCKS],
] as const) {
  test.serial(`${situation}, and is live again when it is shown`, async (t) => {
    const first = await loggedIn(t);
    const tab = await sisterPage(first);
    await first.page.goto('about:blank');
    await tab.page.evaluateOnNewDocument(script);
    await tab.load('/workflows');
    await tab.has('.connection.live');
    const ended = new Promise<string>((resolve) => tab.page.on('requestfailed', (request) => resolve(request.url())));
    await first.page.bringToFront();
    t.regex(await ended, /events\/stream/);
    await tab.page.bringToFront();
    await tab.has('.connection.live');
    t.deepEqual(tab.faults, []);
  });
}
