/** Every page of the console, with the data of a real daemon: what holds for all of them. */
import { pagePaths } from '../../api/console/page-paths.ts';
import { drawn } from '../drawn.mjs';
import { needing } from '../support/ava/needs.ts';
import { type ConsolePage, noBrowser } from '../support/console/browser.ts';
import { pathsOf } from '../support/console/console-scene.ts';
import { openedPage, sharedStage } from '../support/console/console-stage.ts';
import { refusedIn } from '../support/console/refused-words.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noBrowser, 'chromium');
const stageOf = sharedStage();
/** Logged in once, in the one that is visited: a context and a log-in for each page would take a second. */
const openedOf = shared(async (file) => openedPage(file, await stageOf(), '/'));

/** Without motion: in the middle of a change of colors a text has the contrast of neither. */
const scheme = (value: 'light' | 'dark') => [
  { name: 'prefers-color-scheme', value },
  { name: 'prefers-reduced-motion', value: 'reduce' },
];

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

/** Records as JSON and texts of others are shown as they are. */
const SHOWN_TEXT = `(() => {
  const copy = document.querySelector('main').cloneNode(true);
  for (const one of copy.querySelectorAll('pre, code, textarea, .json, svg')) one.remove();
  return copy.textContent;
})()`;

/** Titles and labels too; not the values of fields. */
const TURNED_TEXT = `/\\p{Bidi_Control}/u.test(document.body.textContent +
  [...document.querySelectorAll('[title], [aria-label]')].map((one) => one.title + one.ariaLabel).join(''))`;

const CSS_ESCAPE = (id: string): string => id.replace(/[^\w-]/g, (character) => `\\${character}`);

/** With outputs that a node has reported. */
const REPORTED = '/workflows/:id, reported';

for (const pattern of drawn([...pagePaths, REPORTED], 1 / 2)) {
  test.serial(
    `${pattern} shows its data: no error, no barrier, no markup made of names, at any width and in the dark`,
    async (t) => {
      const { scene } = await stageOf();
      const page = await openedOf();
      await page.page.emulateMediaFeatures(scheme('light'));
      await page.page.setViewport({ width: 1_280, height: 900 });
      const path = pathsOf(scene)[pattern] ?? pattern;
      await page.visit(path);
      await page.meets(`location.pathname === ${JSON.stringify(`/ui${path}`)}`);
      await page.settled();
      await eachTab(page, async (tab) => {
        const heading = String(await page.page.evaluate(`document.querySelector('h1').textContent.trim()`));
        const shownTab = await page.page.evaluate(
          `document.querySelector('[role=tab][aria-selected=true]')?.textContent ?? ''`,
        );
        const part = ['', heading].includes(String(shownTab)) ? '' : `: ${shownTab}`;
        t.is(await page.page.title(), `${heading.replace(/\s+/g, ' ')}${part} · nodewright`, tab);
        if (pattern !== '/parts') t.is(await page.page.$('.problem'), null, tab);
        t.deepEqual(await page.barriers(), [], tab);
        t.false(await page.page.evaluate(TURNED_TEXT), `${tab} has characters that turn its texts`);
        t.deepEqual(refusedIn(String(await page.page.evaluate(SHOWN_TEXT))), [], tab);
      });
      await page.page.emulateMediaFeatures(scheme('dark'));
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

test.serial(
  'a record that does not exist is named in words, and a name or the beginning of an id leads to its page',
  async (t) => {
    const { scene } = await stageOf();
    const page = await openedOf();
    for (const path of Object.keys(pathsOf(scene)).filter(
      (pattern) => /:\w+$/.test(pattern) && !/^.certificates/.test(pattern),
    )) {
      await page.visit(path.replace(/:\w+$/, 'nosuch'));
      await page.has('h1::-p-text(No such)');
      await page.settled();
      t.is(await page.page.$('.problem'), null, path);
      t.is(await page.page.$('[role=tab]'), null, path);
    }
    await page.visit(`/certificates/${scene.certified.slice(0, 8)}`);
    await page.meets(`location.pathname === '/ui/certificates/${scene.certified}'`);
    await page.has('.certificate');
    const rejected: string[] = [];
    page.page.on('response', (response) => response.ok() || rejected.push(response.url()));
    await page.visit('/nodes/r12s04');
    await page.has('h1::-p-text(r12s04)');
    await page.settled();
    t.deepEqual(rejected, [], 'nothing that the browser logs as an error');
  },
);

test.serial('the burn-ins of a node are in words, with their workflows, and another one can be started', async (t) => {
  const { scene } = await stageOf();
  const page = await openedOf();
  await page.page.setViewport({ width: 1_280, height: 900 });
  await page.visit(`/nodes/${scene.node}?tab=burn-in`);
  await page.has('[aria-label="Earlier burn-ins"] td::-p-text(incomplete)');
  const row = await page.page.$eval('[aria-label="Results of the burn-in"] tbody tr', ({ textContent }) => textContent);
  t.regex(String(row), /^drive, readsdb \(.*\)210 MB\/sat least 300 MB\/s\s*failed10 min$/s);
  await page.has('p a[href="/ui/workflows/a7720f83-1a40-4d25-b1e3-e6196e61c2e8"]::-p-text(a7720f83)');
  // The waiting workflow has the node.
  const start = await page.page.$eval('[role=tabpanel] .actions button', ({ disabled, title }) => ({
    disabled,
    title,
  }));
  t.true(start.disabled);
  t.regex(start.title, /^The node is busy with Burn a machine in:/);
});
