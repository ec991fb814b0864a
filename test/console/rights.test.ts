/** The console offers what a role may do, and nothing else. */

import { needing } from '../support/ava/needs.ts';
import { type ConsolePage, noBrowser } from '../support/console/browser.ts';
import { pathsOf } from '../support/console/console-scene.ts';
import { openedPage, sharedStage } from '../support/console/console-stage.ts';

const test = needing(noBrowser, 'chromium');
const stageOf = sharedStage();

/** Buttons that request a change, by page. */
const CHANGES: Record<string, readonly string[]> = {
  '/nodes': ['Add a node'],
  '/nodes/:id': ['Launch…', 'Delete'],
  '/workflows/:id': ['Pause', 'Cancel', 'Send the notification'],
  '/rollouts/:id': ['Pause', 'Begin the next phase', 'Cancel…'],
  '/failures': ['Retry', 'Mark as addressed…'],
  '/skus': ['New SKU'],
  '/hooks': ['New hook', 'Test'],
};

const buttonsOf = async ({ page }: ConsolePage) =>
  (await page.evaluate(
    `[...document.querySelectorAll('main button, main a.button')].map((one) => one.textContent.trim())`,
  )) as string[];

for (const [role, offered] of [
  ['Administrator', true],
  ['ReadOnly', false],
] as const) {
  test.serial(`${role} ${offered ? 'is' : 'is not'} offered changes`, async (t) => {
    const stage = await stageOf();
    const who = { username: `of-${role}`, password: 'correct-horse' };
    t.is((await stage.daemon.api('POST', '/users', { ...who, role })).status, 201);
    const page = await openedPage(t, stage, '/', who);
    for (const [pattern, changes] of Object.entries(CHANGES)) {
      await page.visit(pathsOf(stage.scene)[pattern] ?? pattern);
      await page.settled();
      const found = await buttonsOf(page);
      for (const change of changes)
        t.is(found.includes(change), offered, `${pattern}: ${change}, found ${found.join(', ')}`);
    }
    t.deepEqual(page.faults, []);
  });
}

test.serial('on a node that a workflow holds, launch and power are disabled, with the reason', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, `${pathsOf(stage.scene)['/nodes/:id']}?tab=power`);
  const enabled = await page.page.$$eval('main button:enabled', (all) => all.map((one) => one.textContent));
  t.false(enabled.some((text) => /Launch|Discover|Switch|Reset|Reboot/.test(text ?? '')));
  await page.shows('The node is busy with');
});

test.serial('an Operator launches and simulates, but puts no graphs and sees no users', async (t) => {
  const stage = await stageOf();
  const who = { username: 'of-operator', password: 'correct-horse' };
  await stage.daemon.api('POST', '/users', { ...who, role: 'Operator' });
  const page = await openedPage(t, stage, pathsOf(stage.scene)['/nodes/:id'] ?? '', who);
  t.true((await buttonsOf(page)).includes('Launch…'));
  await page.visit('/graphs');
  await page.settled();
  t.false((await buttonsOf(page)).some((text) => text.includes('New graph') || text.includes('Put')));
  await page.visit('/admin');
  await page.settled();
  t.false((await buttonsOf(page)).includes('Users'));
  t.is(await page.page.$('.problem'), null);
});
