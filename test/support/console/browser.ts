/** Chromium, driven by puppeteer, with what goes wrong in its pages. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, launch, type Page } from 'puppeteer-core';
import { onPath } from '../ava/on-path.ts';
import { WAIT_MS } from '../ava/patience.ts';
import type { Scope } from '../ava/scope.ts';

const program = ['chromium', 'chromium-browser', 'google-chrome'].map(onPath).find((path) => path !== undefined);
export const noBrowser = program === undefined ? 'chromium is not on the PATH' : undefined;

/** Ended with its owner. */
export async function openBrowser(t: Scope): Promise<Browser> {
  const browser = await launch({
    executablePath: program ?? '',
    // To emulate a graphics card takes more time than to draw without one. Its sandbox refuses to run as root.
    args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    timeout: WAIT_MS,
    protocolTimeout: 2 * WAIT_MS,
  });
  t.teardown(() => browser.close());
  return browser;
}

export interface ConsolePage {
  readonly page: Page;
  /** Errors of its scripts, and everything that its policy blocked. */
  readonly faults: readonly string[];
  /** Goes to an address below /ui, as a click on a link does: without a new login. */
  visit(path: string): Promise<void>;
  /** Loads an address below /ui, as one that is typed. */
  load(path: string): Promise<void>;
  /** Resolves when this text is shown. */
  shows(text: string): Promise<void>;
  /** Resolves when there is such an element. */
  has(selector: string): Promise<void>;
  /** Resolves when this expression is true in the page. */
  meets(expression: string): Promise<void>;
  /** Resolves when nothing is loading any more. */
  settled(): Promise<void>;
  click(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  /** The serious and critical findings of axe-core, in words. */
  barriers(): Promise<string[]>;
  /** px by which the page is wider than the window. */
  overflow(): Promise<number>;
}

/** Opens a page of its own, without cookies or storage of others. @param origin of a daemon */
export async function openPage(t: Scope, browser: Browser, origin: string, path = '/'): Promise<ConsolePage> {
  const context = await browser.createBrowserContext();
  t.teardown(() => context.close());
  const opened = await newPage(context, origin);
  await opened.load(path);
  return opened;
}

/** Opens another tab of the same browser, with the same cookies, still without an address. */
export const sisterPage = ({ page }: ConsolePage): Promise<ConsolePage> =>
  newPage(page.browserContext(), new URL(page.url()).origin);

async function newPage(context: BrowserContext, origin: string): Promise<ConsolePage> {
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  await page.setViewport({ width: 1_280, height: 900 });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted ?Type/i.test(message.text())) faults.push(message.text());
  });
  return new OpenPage(page, faults, origin);
}

const axe = createRequire(import.meta.url).resolve('axe-core');

class OpenPage implements ConsolePage {
  readonly page: Page;
  readonly faults: readonly string[];

  readonly #origin: string;

  constructor(page: Page, faults: readonly string[], origin: string) {
    this.page = page;
    this.faults = faults;
    this.#origin = origin;
  }

  async load(path: string): Promise<void> {
    await this.page.goto(`${this.#origin}/ui${path}`, { waitUntil: 'domcontentloaded' });
  }

  async visit(path: string): Promise<void> {
    const address = JSON.stringify(`/ui${path}`);
    await this.page.evaluate(`{
      const link = Object.assign(document.createElement('a'), { href: ${address} });
      document.querySelector('main').append(link);
      link.click();
      link.remove();
    }`);
  }

  shows(text: string): Promise<void> {
    return this.meets(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  async has(selector: string): Promise<void> {
    await this.#tried(this.page.waitForSelector(selector), `find ${selector}`);
  }

  async meets(expression: string): Promise<void> {
    await this.#tried(this.page.waitForFunction(expression), `meet ${expression}`);
  }

  async settled(): Promise<void> {
    // The stream of events never ends, and is one connection.
    await this.#tried(this.page.waitForNetworkIdle({ idleTime: 250, concurrency: 1 }), 'end the requests');
    await this.meets(
      `!document.querySelector('main[aria-busy="true"]') && !/Loading|Drawing the graph/.test(document.body.innerText)`,
    );
  }

  async click(selector: string): Promise<void> {
    await this.#tried(this.page.locator(selector).click(), `click ${selector}`);
  }

  async fill(selector: string, text: string): Promise<void> {
    await this.#tried(this.page.locator(selector).fill(text), `fill ${selector}`);
  }

  /** Adds the text of the page to an error. */
  async #tried(attempt: Promise<unknown>, what: string): Promise<void> {
    try {
      await attempt;
    } catch (error) {
      const shown = await this.page.evaluate('location.pathname + " " + document.body.innerText').catch(String);
      throw new Error(`cannot ${what} on ${String(shown).slice(0, 1_500)}`, { cause: error });
    }
  }

  async barriers(): Promise<string[]> {
    // It stays in the document while other pages are visited.
    if (!(await this.page.evaluate(`'axe' in window`))) await this.page.evaluate(readFileSync(axe, 'utf8'));
    const { violations } = (await this.page.evaluate(`axe.run({ resultTypes: ['violations'] })`)) as AxeResults;
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  }

  async overflow(): Promise<number> {
    return Number(await this.page.evaluate('document.documentElement.scrollWidth - window.innerWidth'));
  }
}

/** @param page one that shows the login */
export async function logIn(page: ConsolePage, username: string, password: string): Promise<void> {
  await page.fill('input[name=username]', username);
  await page.fill('input[name=password]', password);
  await page.click('button[type=submit]');
  await page.page.waitForSelector('.frame');
}
