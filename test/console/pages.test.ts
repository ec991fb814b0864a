/** Every page of the console, with the data of a real daemon: what holds for all of them. */
import { pagePaths } from '../../api/console/page-paths.ts';
import { type ConsolePage, noBrowser } from '../support/browser.ts';
import { pathsOf } from '../support/console-scene.ts';
import { openedPage, sharedStage } from '../support/console-stage.ts';
import { needing } from '../support/needing.ts';

const test = needing(noBrowser, 'chromium');
const stageOf = sharedStage();

/** Each tab of a page is looked at. */
async function eachTab(page: ConsolePage, look: (tab: string) => Promise<void>): Promise<void> {
  await look('first');
  const tabs = await page.page.$$eval('[role=tab]', (all) => all.map(({ id }) => id));
  for (const id of tabs.slice(1)) {
    await page.click(`#${CSS_ESCAPE(id)}`);
    await page.settled();
    await look(id);
  }
}

const CSS_ESCAPE = (id: string): string => id.replace(/[^\w-]/g, (character) => `\\${character}`);

/** With outputs that a node has reported. */
const REPORTED = '/workflows/:id, reported';

for (const pattern of [...pagePaths, REPORTED]) {
  test.serial(
    `${pattern} shows its data: no error, no barrier, no markup made of names, at any width and in the dark`,
    async (t) => {
      const stage = await stageOf();
      const page = await openedPage(t, stage, pathsOf(stage.scene)[pattern] ?? pattern);
      await eachTab(page, async (tab) => {
        t.truthy(await page.page.$('h1'), tab);
        t.is(await page.page.$('.problem'), null, tab);
        t.deepEqual(await page.barriers(), [], tab);
      });
      await page.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      await page.page.setViewport({ width: 360, height: 740 });
      await eachTab(page, async (tab) => {
        t.deepEqual(await page.barriers(), [], `${tab}, dark`);
        t.true((await page.overflow()) <= 0, `${tab} is wider than the window`);
      });
      t.is(await page.page.evaluate('typeof hostile'), 'undefined');
      t.is(await page.page.$('img[src="/hostile"]'), null);
      t.deepEqual(page.faults, []);
    },
  );
}
