/** The built site in a browser, as the daemon serves it: nothing from elsewhere, its search, its colours, narrow windows. */
import { existsSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import type { Page } from 'puppeteer-core';
import { packagePath } from '../engine/vocabulary/package-path.ts';
import { needing } from './support/ava/needs.ts';
import { WAIT_MS } from './support/ava/patience.ts';
import { noBrowser, openBrowser } from './support/console/browser.ts';
import { openApi } from './support/servers/api.ts';

const noSite = existsSync(packagePath('dist/docs/index.html')) ? undefined : 'npm run docs has not built the site';
const test = needing(noBrowser ?? noSite, 'chromium');

interface Visit {
  page: Page;
  origin: string;
  /** Requests that its policy blocked, that failed, or that went to another server. */
  faults: string[];
}

async function visit(t: ExecutionContext, path: string, width = 1_280): Promise<Visit> {
  const origin = `http://127.0.0.1:${(await openApi(t)).port}`;
  const page = await (await openBrowser(t)).newPage();
  page.setDefaultTimeout(WAIT_MS);
  await page.setViewport({ width, height: 900 });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== origin) faults.push(request.url());
  });
  await page.goto(`${origin}${path}`, { waitUntil: 'load' });
  return { page, origin, faults };
}

test.serial(
  'a page shows its diagram and its navigation, without a fault and without anything from elsewhere',
  async (t) => {
    const { page, faults } = await visit(t, '/docs/reference/graphs/Graph.Reboot.Node');
    await page.waitForSelector('.diagram svg text');
    await page.waitForSelector('.VPSidebar a[href="/docs/reference/errors"]');
    t.deepEqual(faults, []);
  },
);

test.serial('the search finds the page of an error by its code', async (t) => {
  const { page, origin, faults } = await visit(t, '/docs');
  await page.locator('.DocSearch-Button').click();
  await page.locator('.VPLocalSearchBox input').fill('NODE_BUSY');
  await page.locator('.VPLocalSearchBox .result').click();
  await page.waitForFunction(`document.querySelector('h1')?.textContent?.startsWith('NODE_BUSY')`);
  t.is(page.url().split('#')[0], `${origin}/docs/reference/errors/NODE_BUSY`);
  t.deepEqual(faults, []);
});

test.serial('the colours are those that the user has chosen, also after another page is loaded', async (t) => {
  const { page, origin, faults } = await visit(t, '/docs/operate/');
  const isDark = `document.documentElement.classList.contains('dark')`;
  t.false(await page.evaluate(isDark));
  await page.locator('.VPNavBarAppearance button').click();
  await page.waitForFunction(isDark);
  await page.goto(`${origin}/docs/author/`, { waitUntil: 'load' });
  t.true(await page.evaluate(isDark));
  t.deepEqual(faults, []);
});

test.serial('no page is wider than a narrow window', async (t) => {
  const { page, origin } = await visit(t, '/docs', 390);
  for (const path of [
    '/docs',
    '/docs/operate/',
    '/docs/operate/launch',
    '/docs/reference/tasks',
    '/docs/integrate/http',
  ]) {
    await page.goto(`${origin}${path}`, { waitUntil: 'load' });
    t.is(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, path);
  }
});
