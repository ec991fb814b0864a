/** The console enables what a role may do, and disables the rest, with the right that is lacking. */

import { needing } from '../support/ava/needs.ts';
import { type ConsolePage, noBrowser } from '../support/console/browser.ts';
import { pathsOf } from '../support/console/console-scene.ts';
import { button, chooseGraph, openedPage, sharedStage } from '../support/console/console-stage.ts';

const test = needing(noBrowser, 'chromium');
const stageOf = sharedStage({ approvals: [{ destructive: true, filter: { tags: 'two-persons' } }] });

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

interface ShownButton {
  text: string;
  isEnabled: boolean;
  /** Why it is disabled: its own title, or that of what it is in. */
  reason: string;
}

const buttonsOf = async ({ page }: ConsolePage) =>
  (await page.evaluate(`[...document.querySelectorAll('main button, main a.button')].map((one) => ({
    text: one.textContent.trim(),
    isEnabled: !one.matches(':disabled'),
    reason: one.closest('fieldset.without-right')?.title ?? one.title,
  }))`)) as ShownButton[];

for (const [role, isAllowed] of [
  ['Administrator', true],
  ['ReadOnly', false],
] as const) {
  test.serial(`changes are ${isAllowed ? 'enabled' : 'disabled'} for the role ${role}`, async (t) => {
    const stage = await stageOf();
    const who = { username: `of-${role}`, password: 'correct-horse' };
    t.is((await stage.daemon.api('POST', '/users', { ...who, role })).status, 201);
    const page = await openedPage(t, stage, '/', who);
    for (const [pattern, changes] of Object.entries(CHANGES)) {
      await page.visit(pathsOf(stage.scene)[pattern] ?? pattern);
      await page.settled();
      const buttons = await buttonsOf(page);
      for (const change of changes) {
        const button = buttons.find(({ text }) => text === change);
        const place = `${pattern}: ${change}, found ${buttons.map(({ text }) => text).join(', ')}`;
        t.truthy(button, place);
        // A state can disable a button, too.
        if (isAllowed) t.notRegex(button?.reason ?? '', /which you do not have/, place);
        else {
          t.false(button?.isEnabled, place);
          t.regex(
            button?.reason ?? '',
            /^This needs the right \w.*, which you do not have; a user with ConfigureUsers can give it\.$/,
            place,
          );
        }
      }
    }
    const { keyboard } = page.page;
    await keyboard.down('Control');
    await keyboard.press('k');
    await keyboard.up('Control');
    await page.has('.palette[open]');
    await keyboard.type('A');
    await page.has(`::-p-xpath(.//*[@role='option'][contains(., 'Account')])`);
    const options = await page.page.$$eval('[role=option]', (all) => all.map((one) => one.textContent ?? ''));
    t.is(
      options.some((text) => text.startsWith('Audit')),
      isAllowed,
      options.join(', '),
    );
    t.deepEqual(page.faults, []);
  });
}

test.serial('on a node that a workflow holds, launch and power are disabled, with the reason', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, `${pathsOf(stage.scene)['/nodes/:id']}?tab=power`);
  const enabled = await page.page.$$eval('main button:enabled', (all) => all.map((one) => one.textContent));
  t.false(enabled.some((text) => /Launch|Discover|Switch|Reset|Power cycle/.test(text ?? '')));
  await page.shows('The node is busy with');
});

test.serial(
  'a held node says so where its buttons are disabled, and its power is switched when it is free',
  async (t) => {
    const stage = await stageOf();
    const { api } = stage.daemon;
    const { id } = (await api('POST', '/nodes', { type: 'compute', name: 'spare-1' })).body;
    await api('PUT', `/nodes/${id}/obm`, { service: 'noop-obm-service', config: {} });
    const { id: hold } = (await api('POST', `/nodes/${id}/holds`, { kind: 'maintenance', reason: 'PSU swap' })).body;
    const page = await openedPage(t, stage, `/nodes/${id}?tab=power`);
    await page.has('.pill.held::-p-text(held: maintenance)');
    for (const text of ['Launch…', 'Discover…', 'Switch on', 'Switch off…', 'Reset…', 'Power cycle…'])
      t.like(
        (await buttonsOf(page)).find((one) => one.text === text),
        { isEnabled: false, reason: 'The node is held for maintenance by tester: PSU swap.' },
        text,
      );
    await api('DELETE', `/nodes/${id}/holds/${hold}`);
    await page.click(button('Switch off…'));
    await page.has('dialog .danger:disabled[title="Type spare-1 to confirm."]');
    await page.has('dialog input[type=radio]:focus');
    t.deepEqual(await page.barriers(), []);
    await page.fill('dialog input:not([type=radio])', 'spare-1');
    await page.click(`dialog ${button('Switch off')}`);
    await page.meets(`document.querySelector('dialog') === null`);
    const [workflow] = (await api('GET', `/workflows?node=${id}`)).body;
    t.like(workflow, { injectableName: 'Graph.PowerOff.Node', options: { defaults: { force: false } } });
    t.deepEqual(page.faults, []);
  },
);

test.serial('a launch that needs an approval asks for it, and starts when another user has given it', async (t) => {
  const stage = await stageOf();
  const { api } = stage.daemon;
  const { id } = (await api('POST', '/nodes', { type: 'compute', name: 'vault-1' })).body;
  await api('PATCH', `/nodes/${id}/tags`, { tags: ['two-persons'] });
  await api('PUT', `/nodes/${id}/obm`, { service: 'noop-obm-service', config: {} });
  const data = [{ devName: 'sda', linuxWwid: '/dev/disk/by-id/v', serial: 'V1', sizeBytes: 1e12 }];
  await api('POST', `/nodes/${id}/catalogs`, { source: 'driveId', data });
  const page = await openedPage(t, stage, `/nodes/${id}`);
  await page.click(button('Launch…'));
  await chooseGraph(page, 'Graph.Drive.SecureErase');
  await page.click('dialog input[aria-label="Erase sda"]');
  await page.shows('Another user has to approve this launch first.');
  t.deepEqual(await page.barriers(), []);
  await page.click(button('Request approval'));
  await page.shows('0 of 1 given');
  await page.has('.launch-foot button:disabled[title="Another user has to approve it first."]');
  const who = { username: 'second', password: 'correct-horse' };
  t.is((await api('POST', '/users', { ...who, role: 'Administrator' })).status, 201);
  const other = await openedPage(t, stage, '/rollouts?tab=tickets', who);
  await other.click(`::-p-xpath(.//tr[contains(., 'Graph.Drive.SecureErase')]//button[normalize-space()='Approve…'])`);
  await other.click(`dialog ${button('Approve')}`);
  await page.page.bringToFront();
  await page.shows('Approved by second');
  await page.fill('.launch-foot input', 'vault-1');
  await page.click(`dialog ${button('Launch')}`);
  await page.meets(`/^\\/ui\\/workflows\\/./.test(location.pathname)`);
  const [{ ticket }] = (await api('GET', `/workflows?node=${id}`)).body;
  t.is(ticket.approvals[0].by, 'second');
  t.deepEqual(page.faults, []);
});

test.serial('an Operator launches and simulates, but puts no graphs and sees no users', async (t) => {
  const stage = await stageOf();
  const who = { username: 'of-operator', password: 'correct-horse' };
  await stage.daemon.api('POST', '/users', { ...who, role: 'Operator' });
  const page = await openedPage(t, stage, pathsOf(stage.scene)['/nodes/:id'] ?? '', who);
  // A workflow holds the node.
  t.regex((await buttonsOf(page)).find(({ text }) => text === 'Launch…')?.reason ?? '', /^The node is busy with/);
  await page.visit('/graphs');
  await page.settled();
  t.like(
    (await buttonsOf(page)).find(({ text }) => text === 'New graph'),
    { isEnabled: false },
  );
  await page.visit('/admin');
  await page.settled();
  t.false((await buttonsOf(page)).some(({ text }) => text === 'Users'));
  t.is(await page.page.$('.problem'), null);
});

test.serial(
  'a member of a team meets no error on any page, only sentences about what a member may not read',
  async (t) => {
    const { daemon, ...stage } = await stageOf();
    const who = { username: 'of-team', password: 'correct-horse' };
    await daemon.api('POST', '/teams', { name: 'storage' });
    const { body: node } = await daemon.api('POST', '/nodes', {
      type: 'compute',
      name: 'owned',
      identifiers: ['owned'],
    });
    await daemon.api('PATCH', `/nodes/${node.id}`, { owner: 'storage' });
    await daemon.api('POST', '/users', { ...who, bindings: [{ role: 'Operator', team: 'storage' }] });
    const page = await openedPage(t, { daemon, ...stage }, '/', who);
    const lists = [
      '/',
      '/nodes',
      '/workflows',
      '/rollouts',
      '/failures',
      '/certificates',
      '/graphs',
      '/skus',
      '/hooks',
      '/events',
      '/admin',
    ];
    for (const path of [...lists, `/nodes/${node.id}`]) {
      await page.visit(path);
      await page.settled();
      const problems = await page.page.$$eval('.problem', (all) => all.map((one) => one.textContent));
      t.deepEqual(problems, [], path);
    }
    const siteOnly = {
      '/nodes': 'Add a node',
      '/skus': 'New SKU',
      '/hooks': 'New hook',
      [`/nodes/${node.id}`]: 'Delete',
    };
    for (const [path, text] of Object.entries(siteOnly)) {
      await page.visit(path);
      await page.settled();
      const found = (await buttonsOf(page)).find((one) => one.text === text);
      t.false(found?.isEnabled, path);
      t.regex(found?.reason ?? '', / on the whole site, which you do not have; a user with ConfigureUsers/, path);
    }
    t.like(
      (await buttonsOf(page)).find(({ text }) => text === 'Launch…'),
      { isEnabled: true },
    );
    await page.visit('/');
    await page.shows(
      'To read this, your role on the whole site needs a right that it lacks: Read or ConfigureComponents. A user with ConfigureUsers can give it.',
    );
    await page.has('.figures');
    t.deepEqual(await page.barriers(), []);
    t.deepEqual(page.faults, []);
  },
);

test.serial('the form of a launch lists the graphs that the binding of a member permits', async (t) => {
  const { daemon, ...stage } = await stageOf();
  const who = { username: 'of-power', password: 'correct-horse' };
  await daemon.api('POST', '/teams', { name: 'power' });
  const { id } = (await daemon.api('POST', '/nodes', { type: 'compute', name: 'switched' })).body;
  await daemon.api('PATCH', `/nodes/${id}`, { owner: 'power' });
  const binding = { role: 'Operator', team: 'power', graphs: ['Graph.PowerOff.Node', 'Graph.PowerOn.*'] };
  await daemon.api('POST', '/users', { ...who, bindings: [binding] });
  const page = await openedPage(t, { daemon, ...stage }, `/nodes/${id}`, who);
  await page.click(button('Launch…'));
  await page.has('[role=option]');
  const names = await page.page.$$eval('[role=option]', (all) => all.map((one) => one.getAttribute('data-graph')));
  t.deepEqual(names.toSorted(), ['Graph.PowerOff.Node', 'Graph.PowerOn.Node']);
  t.deepEqual(page.faults, []);
});
