/** Tables of the console: order, columns, saved views, and commands to many workflows; its calendar; a choice in a rack. */

import { needing } from '../support/ava/needs.ts';
import { noBrowser } from '../support/console/browser.ts';
import { button, openedPage, sharedStage } from '../support/console/console-stage.ts';

const test = needing(noBrowser, 'chromium');
const stageOf = sharedStage();

const header = (text: string): string => `::-p-xpath(.//th//button[normalize-space()='${text}'])`;
const column = (text: string): string =>
  `::-p-xpath(.//details[contains(@class, 'columns-menu')]//label[normalize-space()='${text}']/input)`;
const titles = `[...document.querySelectorAll('.windowed th')].map((one) => one.textContent)`;

test.serial('nodes are sorted by their headers, which say so, and the address has the order', async (t) => {
  const page = await openedPage(t, await stageOf(), '/nodes');
  await page.click(header('health'));
  await page.has('th[aria-sort=descending]');
  await page.meets(`location.search === '?sort=-health'`);
  await page.meets(`document.querySelector('.windowed tbody tr[aria-rowindex]').innerText.includes('warning')`);
  await page.click(header('health'));
  await page.has('th[aria-sort=ascending]');
  t.true(await page.page.evaluate(`${titles}.includes('serial number')`));
  // The page scrolls, and not the list in it; its headers stay in view.
  await page.page.setViewport({ width: 1440, height: 300 });
  await page.meets(`!document.querySelector('.windowed.wider') && document.documentElement.scrollHeight > innerHeight`);
  t.is(await page.page.$eval('.windowed', ({ scrollHeight, clientHeight }) => scrollHeight - clientHeight), 0);
  await page.page.evaluate('scrollTo(0, 10_000)');
  await page.meets(`document.querySelector('.windowed th').getBoundingClientRect().top >= 0`);
  t.deepEqual(await page.barriers(), []);
  t.deepEqual(page.faults, []);
});

test.serial(
  'columns that are chosen are in the address, and stay in the browser; a view is saved by a name',
  async (t) => {
    const page = await openedPage(t, await stageOf(), '/workflows?status=failed');
    await page.click('.columns-menu summary');
    t.deepEqual(await page.barriers(), []);
    await page.click(column('ended'));
    await page.meets(`${titles}.includes('ended')`);
    await page.click(column('took'));
    await page.meets(`!${titles}.includes('took')`);
    await page.page.keyboard.press('Escape');
    await page.meets(`!document.querySelector('.columns-menu').open`);
    await page.fill('.saved-views input', 'broken');
    await page.click(button('Save this view'));
    await page.has('.saved-views a[aria-current]::-p-text(broken)');
    await page.load('/workflows');
    await page.meets(`location.search.includes('columns=') && ${titles}.includes('ended')`);
    await page.click('.saved-views a::-p-text(broken)');
    await page.meets(`location.search.startsWith('?status=failed&columns=')`);
    await page.click(header('graph'));
    await page.meets(`/sort=injectableName.*columns=/.test(location.search)`);
    await page.has('th[aria-sort=ascending]');
    t.deepEqual(page.faults, []);
  },
);

test.serial(
  'chosen workflows are paused and resumed after one question, and those that do not take it are left',
  async (t) => {
    const stage = await stageOf();
    const { api } = stage.daemon;
    const page = await openedPage(t, stage, '/workflows');
    const isDisabled = (text: string) =>
      page.page.$eval(button(text), (one) => ['disabled' in one && one.disabled, one.getAttribute('title')]);
    await page.has(`::-p-xpath(.//button[starts-with(., 'Select all')])`);
    t.is(await page.page.$(button('Pause…')), null);
    for (const id of [stage.scene.waiting, stage.scene.failed])
      await page.click(`input[aria-label$="${id.slice(0, 8)}"]`);
    await page.shows('2 selected');
    t.deepEqual((await isDisabled('Resume…'))[0], true);
    await page.click(button('Pause 1…'));
    await page.shows('The nodes stay busy');
    await page.shows('1 workflow left as it is: The workflow has ended.');
    t.deepEqual(await page.barriers(), []);
    await page.click(`dialog ${button('Pause 1 workflow')}`);
    await page.shows('1 paused');
    await page.click(`dialog ${button('Done')}`);
    t.truthy((await api('GET', `/workflows/${stage.scene.waiting}`)).body.paused);
    await page.click(button('Resume 1…'));
    await page.click(`dialog ${button('Resume 1 workflow')}`);
    await page.shows('1 resumed');
    t.is((await api('GET', `/workflows/${stage.scene.waiting}`)).body.paused, null);
    await page.click(`dialog ${button('Done')}`);
    await page.click(button('Retry 1…'));
    await page.click(`dialog ${button('Retry 1 workflow')}`);
    await page.shows('1 retried');
    t.deepEqual(page.faults, []);
  },
);

test.serial(
  'a retry says which tasks may take effect a second time, and leaves their workflows without a choice',
  async (t) => {
    const stage = await stageOf();
    const { api } = stage.daemon;
    const unsafe = { ledger: '/dev/null', line: 'x', ms: 60_000, _taskTimeout: 100 };
    const tasks = [{ label: 'flash', taskName: 'Task.Fixture.WriteOnce', optionOverrides: unsafe }];
    await api('PUT', '/workflows/graphs', { friendlyName: 'Flash', injectableName: 'Graph.Console.Flash', tasks });
    const { id } = (await api('POST', `/nodes/${stage.scene.rack}/workflows?name=Graph.Console.Flash`, {})).body;
    const page = await openedPage(t, stage, '/workflows?graph=Graph.Console.Fl');
    await page.has('.windowed .pill.failed');
    await page.click(`input[aria-label$="${id.slice(0, 8)}"]`);
    await page.click(button('Retry 1…'));
    await page.shows('Graph.Console.Flash, from flash');
    await page.shows('1 workflow stays as it is until its tasks are chosen');
    await page.has('dialog button.main:disabled');
    t.deepEqual(await page.barriers(), []);
    await page.click('dialog fieldset input');
    await page.click(`dialog ${button('Retry 1 workflow')}`);
    await page.shows('1 retried');
    const { body: runs } = await api('GET', '/workflows?injectableName=Graph.Console.Flash');
    t.true(runs.some(({ retryOf }: { retryOf: string | null }) => retryOf === id));
    await page.visit('/failures');
    await page.click(`.cause:has(a[href$="Graph.Console.Flash"]) button.main`);
    await page.has('dialog fieldset input');
    t.deepEqual(page.faults, []);
  },
);

test.serial('with Shift, one click chooses all rows since the last one', async (t) => {
  const page = await openedPage(t, await stageOf(), '/nodes?sort=name');
  const box = (row: number) => `.windowed tr[aria-rowindex="${row}"] input`;
  await page.click(box(2));
  await page.page.keyboard.down('Shift');
  await page.click(box(4));
  await page.page.keyboard.up('Shift');
  await page.shows('3 selected');
  await page.click(box(3));
  await page.shows('2 selected');
  t.deepEqual(page.faults, []);
});

test.serial('the calendar shows when a window is open and a schedule is due, and leads to other weeks', async (t) => {
  const stage = await stageOf();
  const { api } = stage.daemon;
  const spans = [{ days: ['mon'], from: '22:00', to: '23:00' }];
  await api('POST', '/windows', { name: 'mondays', zone: 'UTC', spans });
  const when = { cron: '15 * * * *', zone: 'UTC' };
  const launch = { name: 'Graph.noop-example', nodes: [(await api('GET', '/nodes?$top=1')).body[0].id] };
  t.is((await api('POST', '/schedules', { name: 'hourly', when, launch })).status, 201);
  const page = await openedPage(t, stage, '/rollouts?tab=calendar&from=2100-03-01');
  await page.shows('mondays is open');
  await page.shows('24 times');
  t.is(await page.page.$$eval('.calendar > li', (days) => days.length), 7);
  t.deepEqual(await page.barriers(), []);
  await page.click('a.button::-p-text(Week after)');
  await page.meets(`location.search.endsWith('from=2100-03-08')`);
  await page.shows('mondays is open');
  t.deepEqual(page.faults, []);
});

test.serial(
  'servers of a rack are selected by dragging over them, or with the keyboard, and launched on',
  async (t) => {
    const stage = await stageOf();
    const opened = await openedPage(t, stage, `/nodes/${stage.scene.rack}?tab=relations`);
    const { page } = opened;
    await opened.has(button('Select all 2'));
    const { x = 0, y = 0, width = 0, height = 0 } = (await (await page.$('.rack svg'))?.boundingBox()) ?? {};
    const selected = (count: number) => `document.querySelectorAll('.rack a.chosen').length === ${count}`;
    await page.mouse.move(x + width - 60, y + height - 4);
    await page.mouse.down();
    await page.mouse.move(x + 40, y + 30, { steps: 4 });
    await opened.has('.rack .area');
    await page.mouse.up();
    await opened.meets(`${selected(2)} && location.search === '?tab=relations'`);
    await opened.shows('2 selected');
    t.deepEqual(await opened.barriers(), []);
    await opened.click('.rack button.main');
    await opened.has('dialog[open] h2::-p-text(Launch on 2 nodes)');
    await page.keyboard.press('Escape');
    await opened.meets(`document.querySelector('dialog') === null`);
    // The method of puppeteer is for HTML only.
    await page.evaluate(`document.querySelector('.rack a.chosen').focus()`);
    await page.keyboard.press('Space');
    await opened.meets(selected(1));
    await opened.has('.rack button.main:disabled[title="All selected nodes are busy."]');
    await opened.click(button('Select none'));
    await opened.meets(selected(0));
    // A name leads to a node, as its id does.
    await opened.visit('/nodes/r12s04');
    await opened.has('h1::-p-text(r12s04)');
    t.deepEqual(opened.faults, []);
  },
);
