/** The lists of the console as a person uses them: opened, filtered, scrolled, and left open while many workflows run. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer-core';
import type { BenchDaemon } from './daemon.ts';
import { type Line, most, quantile } from './figure.ts';

/** ms; [the goals](../../docs/operate/console.md). */
const GOALS = { firstRows: most(500), filter: most(300), frame: most(33) };
const WATCHED_MS = 4_000;
const WAIT_MS = 60_000;

export async function listOfNodes(page: Page, url: string, nodes: number): Promise<Line[]> {
  const name = `console: ${nodes.toLocaleString('en')} nodes`;
  const firstMs = await opened(page, url);
  const start = performance.now();
  await page.waitForSelector(`.windowed table[aria-rowcount="${nodes + 1}"]`);
  const restMs = performance.now() - start;
  const filterMs = await filled(page, '.filter-line input', 'a1', `!${rowCountIs(nodes)}`);
  await filled(page, '.filter-line input', '', rowCountIs(nodes));
  return [
    { name: `${name}, first rows`, value: firstMs, unit: 'ms', goal: GOALS.firstRows },
    { name: `${name}, all rows`, value: firstMs + restMs, unit: 'ms' },
    { name: `${name}, a filter`, value: filterMs, unit: 'ms', goal: GOALS.filter },
    ...frameLines(`${name}, scrolling`, await framesOf(page, SCROLL)),
  ];
}

/** All workflows of the store have succeeded. */
export async function listOfWorkflows(page: Page, url: string): Promise<Line[]> {
  const name = 'console: 100,000 workflows';
  const firstMs = await opened(page, url);
  const none = `document.body.innerText.includes('No workflow matches')`;
  const status = '.workflow-filters select';
  const emptyMs = await filled(page, status, 'failed', none);
  const fullMs = await filled(page, status, 'succeeded', `document.querySelector('${ROWS}') !== null`);
  return [
    { name: `${name}, first rows`, value: firstMs, unit: 'ms', goal: GOALS.firstRows },
    { name: `${name}, a filter`, value: Math.max(emptyMs, fullMs), unit: 'ms', goal: GOALS.filter },
    ...frameLines(`${name}, scrolling`, await framesOf(page, SCROLL)),
  ];
}

const TABS = 20;
const LAUNCHES = 1_000;
const LAUNCHES_PER_SECOND = 100;

/** Twenty tabs of one browser, all with the list of workflows, before and while 100 workflows a second run. */
export async function liveTabs(browser: Browser, daemon: BenchDaemon): Promise<Line[]> {
  const context = await browser.createBrowserContext();
  try {
    const tabs: Page[] = [];
    const start = performance.now();
    for (let n = 0; n < TABS; n += 1) {
      const tab = await context.newPage();
      tab.setDefaultTimeout(WAIT_MS);
      await opened(tab, `${daemon.origin}/ui/workflows`);
      tabs.push(tab);
    }
    const openedMs = performance.now() - start;
    const front = tabs.at(-1) as Page;
    await front.bringToFront();
    const oneMs = await shownMs([front], await launched(daemon));
    const load = underLoad(daemon);
    const frames = await framesOf(front, '');
    const { last, perSecond } = await load;
    const lastMs = await shownMs([front], last);
    const turnMs = [];
    for (const tab of tabs) turnMs.push(await turnedTo(tab, last));
    const name = `console: ${TABS} tabs`;
    return [
      { name: `${name}, all opened`, value: openedMs, unit: 'ms' },
      { name: `${name}, a launch is shown`, value: oneMs, unit: 'ms' },
      { name: `${name}, launches in the meantime`, value: perSecond, unit: '/s' },
      ...frameLines(`${name}, in the meantime`, frames),
      { name: `${name}, the last launch is shown`, value: lastMs, unit: 'ms' },
      { name: `${name}, shown by a tab that is turned to, at most`, value: Math.max(...turnMs), unit: 'ms' },
    ];
  } finally {
    await context.close();
  }
}

const launched = async (daemon: BenchDaemon): Promise<string> =>
  (await daemon.post('/workflows', { name: 'Graph.noop-example' })).id as string;

async function underLoad(daemon: BenchDaemon): Promise<{ last: string; perSecond: number }> {
  const start = performance.now();
  const launches: Promise<string>[] = [];
  for (let n = 0; n < LAUNCHES; n += 1) {
    launches.push(launched(daemon));
    const rest = start + ((n + 1) * 1_000) / LAUNCHES_PER_SECOND - performance.now();
    if (rest > 0) await sleep(rest);
  }
  const ids = await Promise.all(launches);
  return { last: ids.at(-1) as string, perSecond: (LAUNCHES * 1_000) / (performance.now() - start) };
}

/** @returns ms until each page shows the workflow */
async function shownMs(pages: readonly Page[], id: string): Promise<number> {
  const start = performance.now();
  const isShown = `document.body.innerText.includes('${id.slice(0, 8)}')`;
  await Promise.all(pages.map((page) => page.waitForFunction(isShown, { polling: 50 })));
  return performance.now() - start;
}

/** @returns ms until a tab that was hidden shows the workflow */
async function turnedTo(tab: Page, id: string): Promise<number> {
  const start = performance.now();
  await tab.bringToFront();
  await shownMs([tab], id);
  return performance.now() - start;
}

const ROWS = '.windowed tbody tr[aria-rowindex]';
const rowCountIs = (rows: number): string =>
  `(document.querySelector('.windowed table')?.getAttribute('aria-rowcount') === '${rows + 1}')`;

async function opened(page: Page, url: string): Promise<number> {
  const start = performance.now();
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector(ROWS);
  return performance.now() - start;
}

/** @returns ms from the entry of a value until the page has drawn what it selects */
async function filled(page: Page, selector: string, value: string, isDone: string): Promise<number> {
  await page.waitForSelector(selector);
  return Number(
    await page.evaluate(`(async () => {
      const field = document.querySelector(${JSON.stringify(selector)});
      const start = performance.now();
      field.value = ${JSON.stringify(value)};
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.dispatchEvent(new Event('change', { bubbles: true }));
      do await new Promise(requestAnimationFrame); while (!(${isDone}));
      return performance.now() - start;
    })()`),
  );
}

/** Down and up by 12 rows a frame, as fast as a wheel turns. */
const SCROLL = `
  const view = document.querySelector('.windowed');
  if (view.scrollTop + view.clientHeight >= view.scrollHeight - 1) step = -400;
  if (view.scrollTop === 0) step = 400;
  view.scrollTop += step;`;

/** @param each what is done in each frame @returns the ms between them */
async function framesOf(page: Page, each: string): Promise<number[]> {
  return (await page.evaluate(`new Promise((resolve) => {
    const frames = [];
    const end = performance.now() + ${WATCHED_MS};
    let [last, step] = [performance.now(), 400];
    const frame = (now) => {
      frames.push(now - last);
      last = now;
      ${each}
      if (now < end) requestAnimationFrame(frame);
      else resolve(frames.slice(1));
    };
    requestAnimationFrame(frame);
  })`)) as number[];
}

const frameLines = (name: string, frames: readonly number[]): Line[] => [
  { name: `${name}, between frames, p50`, value: quantile(frames, 0.5), unit: 'ms' },
  { name: `${name}, between frames, p95`, value: quantile(frames, 0.95), unit: 'ms', goal: GOALS.frame },
];
