/** The console without a mouse. */

import { needing } from '../support/ava/needs.ts';
import { noBrowser } from '../support/console/browser.ts';
import { button, openedPage, sharedStage } from '../support/console/console-stage.ts';

const test = needing(noBrowser, 'chromium');
const stageOf = sharedStage();

const FOCUSED = `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`;

test.serial('the first stop of the Tab key skips the navigation, and each further one is visible', async (t) => {
  const page = await openedPage(t, await stageOf(), '/nodes');
  const { keyboard } = page.page;
  await page.page.evaluate('document.activeElement?.blur()');
  await keyboard.press('Tab');
  t.is(await page.page.evaluate(FOCUSED), 'Skip to the page');
  for (let stop = 0; stop < 25; stop += 1) {
    await keyboard.press('Tab');
    const hidden = await page.page.evaluate(`(() => {
      const { width, height } = document.activeElement.getBoundingClientRect();
      return width === 0 || height === 0 ? document.activeElement.outerHTML : '';
    })()`);
    t.is(hidden, '');
  }
});

test.serial('keys lead to pages, and the palette to a node by its name and to a workflow by its id', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, '/');
  const { keyboard } = page.page;
  const find = async (text: string) => {
    await keyboard.down('Control');
    await keyboard.press('k');
    await keyboard.up('Control');
    await page.has('.palette[open]');
    await keyboard.type(text);
  };
  await keyboard.press('g');
  await keyboard.press('n');
  await page.meets(`location.pathname === '/ui/nodes'`);
  await page.has('main input[type=search]');
  await keyboard.press('/');
  await page.meets(`document.activeElement?.matches('main input[type=search]') === true`);
  await find('r12s');
  await page.has(`::-p-xpath(.//*[@role='option'][contains(., 'r12s04')])`);
  t.deepEqual(await page.barriers(), []);
  await keyboard.press('Enter');
  await page.meets(`location.pathname === '/ui/nodes/${stage.scene.node}'`);
  await find(stage.scene.waiting.slice(0, 8));
  await page.has(`::-p-xpath(.//*[@role='option'][contains(., 'workflow')])`);
  await keyboard.press('Enter');
  await page.meets(`location.pathname === '/ui/workflows/${stage.scene.waiting}'`);
  t.deepEqual(page.faults, []);
});

test.serial('arrow keys change the tab, and the address with it', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, `/workflows/${stage.scene.waiting}`);
  await page.page.focus('[role=tab][aria-selected=true]');
  await page.page.keyboard.press('ArrowRight');
  await page.meets(`new URLSearchParams(location.search).get('tab') === 'why'`);
  t.is(await page.page.evaluate(FOCUSED), 'Why');
  await page.page.keyboard.press('ArrowLeft');
  await page.meets(`new URLSearchParams(location.search).get('tab') === 'graph'`);
  t.is(await page.page.evaluate(FOCUSED), 'Graph');
});

test.serial('a task is chosen in the drawing, and a dialog returns the focus to its button', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, `/workflows/${stage.scene.waiting}`);
  await page.has('svg [data-item][tabindex="0"]');
  await page.page.evaluate(`document.querySelector('svg [data-item][tabindex="0"]').focus()`);
  await page.page.keyboard.press('Enter');
  await page.has('section[aria-label^="Task "]');
  await page.visit(`/nodes/${stage.scene.rack}`);
  const launch = await page.page.waitForSelector(`::-p-xpath(.//button[normalize-space()='Launch…'])`);
  await launch?.focus();
  await page.page.keyboard.press('Enter');
  await page.has('dialog[open]');
  await page.page.keyboard.press('Escape');
  await page.page.waitForSelector('dialog', { hidden: true });
  t.is(await page.page.evaluate(FOCUSED), 'Launch…');
});

test.serial('`r` retries the failure or the workflow that is open, and nothing without one', async (t) => {
  const stage = await stageOf();
  const actions = async () => (await stage.daemon.api('GET', '/workflows/actions')).body.length as number;
  const page = await openedPage(t, stage, '/');
  const { keyboard } = page.page;
  await page.has('.need.failed button.main');
  await keyboard.press('r');
  await page.visit('/failures');
  await page.has('.cause button.main');
  await keyboard.press('r');
  await page.click('.cause .affected summary');
  await page.has('.cause button.main[data-key=r]');
  t.is(await actions(), 0);
  await keyboard.press('r');
  await page.shows(' retried');
  t.is(await actions(), 1);
  await page.visit(`/workflows/${stage.scene.failed}`);
  await page.has(`.page-actions ${button('Retry')}[data-key=r]`);
  t.is(await page.page.$(`.page-actions ${button('Run again')}[data-key]`), null);
  await keyboard.press('r');
  await page.meets(`!location.pathname.endsWith('${stage.scene.failed}')`);
  const id = new URL(page.page.url()).pathname.split('/').at(-1);
  t.like((await stage.daemon.api('GET', `/workflows/${id}`)).body, { retryOf: stage.scene.failed });
  t.deepEqual(page.faults, []);
});
