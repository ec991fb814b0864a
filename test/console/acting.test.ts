/** Actions of users in the console, and the records of the daemon after them. */

import { needing } from '../support/ava/needs.ts';
import { noBrowser } from '../support/console/browser.ts';
import { button, chooseGraph, openedPage, sharedStage } from '../support/console/console-stage.ts';
import { startReceiver } from '../support/servers/receiver.ts';

const test = needing(noBrowser, 'chromium');
const stageOf = sharedStage();

const named = (name: string): string => `::-p-aria([name="${name}"])`;

test.serial('the history of a workflow is moved through, and its drawing follows', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, `/workflows/${stage.scene.waiting}?tab=history`);
  await page.shows('Step');
  await page.has('svg [data-item]');
  const states = () =>
    page.page.evaluate(`[...document.querySelectorAll('svg [data-item]')].map((one) => one.textContent).join(' ')`);
  const last = await states();
  await page.click(named('First step'));
  await page.shows('Step 1 of');
  t.not(await states(), last);
  await page.click(named('Last step'));
  await page.meets(
    `[...document.querySelectorAll('svg [data-item]')].map((one) => one.textContent).join(' ') === ${JSON.stringify(last)}`,
  );
  t.deepEqual(page.faults, []);
});

test.serial('Why of a failed workflow, by a short id, has its task, remedy and retry', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, `/workflows/${stage.scene.failed.slice(0, 8)}?tab=why`);
  await page.meets(`location.pathname === '/ui/workflows/${stage.scene.failed}'`);
  await page.has('.callout[aria-label="End of breaks"] .pill.failed');
  await page.shows('failed after 1 attempt');
  await page.has('section[aria-label=Remedy]');
  await page.has(`section[aria-label=Retry] ${button('Retry')}`);
  await page.shows('It runs again from breaks');
  t.deepEqual(await page.barriers(), []);
  t.deepEqual(page.faults, []);
});

test.serial('a failed workflow is run again from a task that is chosen', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, `/workflows/${stage.scene.failed}`);
  await page.click(button('Run again'));
  await page.has('dialog svg [data-item]');
  t.deepEqual(await page.barriers(), []);
  await page.page.select('dialog select', 'breaks');
  await page.click(`dialog ${button('Run again')}`);
  await page.meets(`!location.pathname.endsWith('${stage.scene.failed}')`);
  const id = new URL(page.page.url()).pathname.split('/').at(-1);
  const { body } = await stage.daemon.api('GET', `/workflows/${id}`);
  t.like(body, { retryOf: stage.scene.failed, launchedBy: 'tester' });
});

test.serial(
  'the overview begins with the causes of failures, and retries all workflows of one by one click',
  async (t) => {
    const stage = await stageOf();
    const page = await openedPage(t, stage, '/');
    await page.has('.need.failed button.main');
    const cause = await page.page.$eval('.need.failed', (one) => one.textContent ?? '');
    t.regex(cause, /it broke.*failures? of Graph\.Console\.Fails.*X_FIXTURE_BROKE.*Retry.*Why/is);
    await page.has('.figures li.failed');
    await page.shows('no broker');
    t.false(String(await page.page.evaluate('document.body.innerText')).includes('kept for it'));
    t.deepEqual(await page.barriers(), []);
    await page.click('.need.failed button.main');
    await page.shows(' retried');
    const { body } = await stage.daemon.api('GET', '/workflows/actions');
    t.like(body.at(-1), { command: 'retry', createdBy: 'tester', status: 'finished' });
    t.deepEqual(page.faults, []);
  },
);

test.serial('the list of workflows says what each one waits for, and unfolds children under their top', async (t) => {
  const stage = await stageOf();
  const { api } = stage.daemon;
  const optionOverrides = { graphName: 'Graph.Console.BurnIn' };
  const tasks = [{ label: 'burn', taskName: 'Task.Graph.Run', optionOverrides }];
  await api('PUT', '/workflows/graphs', { friendlyName: 'Parent', injectableName: 'Graph.Console.Parent', tasks });
  const { status, body: parent } = await api('POST', '/workflows', { name: 'Graph.Console.Parent' });
  t.is(status, 201);
  const page = await openedPage(t, stage, '/workflows?graph=Graph.Console&since=1h');
  const rows = `[...document.querySelectorAll('.windowed tbody tr[aria-rowindex]')].map((row) => row.innerText)`;
  await page.meets(
    `${rows}.some((row) => /Console.Parent.*waiting.*report waits for the node's notification/s.test(row))`,
  );
  t.true(await page.page.evaluate(`${rows}.some((row) => /Console.Fails.*failed.*it broke/s.test(row))`));
  await page.click(named('1 child workflow'));
  await page.has('.windowed .below a[href$="Graph.Console.BurnIn"]');
  await page.page.setViewport({ width: 390, height: 844 });
  await page.meets(`getComputedStyle(document.querySelector('.windowed tbody')).display === 'block'`);
  const inView = `[...document.querySelectorAll('.windowed .card-state, .windowed .card-line')]
    .every((cell) => cell.getBoundingClientRect().right <= innerWidth)`;
  t.true(await page.page.evaluate(inView), 'status and progress are on the screen');
  t.deepEqual(await page.barriers(), []);

  await page.visit(`/workflows/${parent.id}`);
  await page.click(named('Tasks of Graph.Console.BurnIn'));
  await page.has('.timeline div.row::-p-text(report)');
  await page.has('.timeline .segment.waiting');
  await page.click('svg [data-item="label burn burn"]');
  await page.click('svg [data-item="label burn/report burn/report"]');
  await page.has('section[aria-label="Task report"]');
  t.deepEqual(await page.barriers(), []);
  t.deepEqual(page.faults, []);
});

test.serial(
  'a rack says the state of each node in words, and is the target of a launch on its free ones',
  async (t) => {
    const stage = await stageOf();
    const page = await openedPage(t, stage, `/nodes/${stage.scene.rack}?tab=relations`);
    await page.has('.rack .waiting text');
    await page.shows('waiting');
    await page.click(button('Launch on 1 free node…'));
    await page.has('dialog[open] [role=combobox]');
    t.deepEqual(await page.barriers(), []);
    t.deepEqual(page.faults, []);
  },
);

test.serial('times have 24 hours, in the zone that the reader chose last', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, `/workflows/${stage.scene.failed}`);
  await page.page.emulateTimezone('Asia/Tokyo');
  await page.load(`/workflows/${stage.scene.failed}`);
  const { createdAt } = (await stage.daemon.api('GET', `/workflows/${stage.scene.failed}`)).body;
  const shown = (zone: string) => new Date(createdAt).toLocaleTimeString('sv', { timeZone: zone });
  await page.shows(shown('Asia/Tokyo'));
  await page.click(button('local time'));
  await page.shows(shown('UTC'));
  await page.load(`/workflows/${stage.scene.failed}`);
  await page.has(button('UTC time'));
  await page.shows(shown('UTC'));
  t.deepEqual(page.faults, []);
});

test.serial('a simulation is played, undone, and shared by its address', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, '/simulator?graph=Graph.Console.BurnIn');
  await page.click(named('disks: succeed'));
  await page.click(named('memory: fail with TASK_FAILED'));
  await page.shows('The end');
  await page.click(button('Undo'));
  await page.click(named('memory: succeed'));
  await page.has(named('report: notify'));
  const other = await openedPage(t, stage, new URL(page.page.url()).pathname.slice(3) + new URL(page.page.url()).hash);
  await other.click(named('report: notify'));
  await other.shows('The workflow has ended as succeeded');
  t.deepEqual([...page.faults, ...other.faults], []);
});

test.serial('rules of a SKU show the nodes that would move before they are saved', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, '/skus/new');
  await page.fill('.sku-editor input', 'Any Dell');
  await page.fill(named('Path of rule 1: source and keys, separated by dots'), 'dmi.System Information.Manufacturer');
  await page.fill(named('Value of rule 1'), 'Dell Inc.');
  await page.shows('2 of 3 nodes match');
  await page.shows('2 would stay with R640');
  await page.click(button('Create, and classify all nodes'));
  await page.meets(`/^\\/ui\\/skus\\/(?!new)/.test(location.pathname)`);
  const { body } = await stage.daemon.api('GET', '/skus?name=Any%20Dell');
  t.is(body.length, 1);
});

test.serial('a rollout on selected nodes is planned, started, and advanced to its end', async (t) => {
  const stage = await stageOf();
  const { api } = stage.daemon;
  const names = ['roll-1', 'roll-2', 'roll-3'];
  for (const name of names) t.is((await api('POST', '/nodes', { type: 'compute', name })).status, 201);
  const page = await openedPage(t, stage, '/nodes?q=roll-');
  await page.click(button('Select all 3'));
  await page.click(button('Roll out…'));
  await chooseGraph(page, 'Graph.noop-example');
  await page.click(button('Plan'));
  await page.shows('3 nodes in 2 phases');
  t.deepEqual(await page.barriers(), []);
  await page.click(button('Start the rollout'));
  await page.meets(`/^\\/ui\\/rollouts\\/./.test(location.pathname)`);
  await page.shows('paused after a phase');
  t.true(await page.page.$eval(button('Resume'), (one) => 'disabled' in one && one.disabled === true));
  await page.click(button('Begin the next phase'));
  await page.shows('3 of 3');
  await page.shows('succeeded');
  await page.meets(`document.querySelector('.phases [aria-current], .rollout button.main') === null`);
  const id = new URL(page.page.url()).pathname.split('/').at(-1);
  t.like((await api('GET', `/rollouts/${id}`)).body, { status: 'succeeded', counts: { succeeded: 3 } });
  t.deepEqual(page.faults, []);
});

test.serial('a cause of failures lists its nodes, and a stuck one has a view of its own', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, '/failures');
  await page.click('.cause .affected summary');
  await page.meets(`location.search.startsWith('?cause=')`);
  const { body: newest } = await stage.daemon.api('GET', '/workflows?status=failed&sort=-finishedAt&$top=1');
  await page.has(`.cause a[href="/ui/workflows/${(newest as { id: string }[])[0]?.id}?tab=why"]`);
  t.deepEqual(await page.barriers(), []);
  await page.click('a::-p-text(Stuck)');
  await page.meets(`location.search === '?view=stuck'`);
  await page.shows('No workflow is stuck');
  t.deepEqual(page.faults, []);
});

test.serial('a node is held, a ticket withdrawn, and a failure marked as addressed', async (t) => {
  const stage = await stageOf();
  const { api } = stage.daemon;
  const page = await openedPage(t, stage, `/nodes/${stage.scene.rack}?tab=holds`);
  await page.click(button('Hold…'));
  await page.fill('dialog input[name=reason]', 'two fans');
  await page.click(`dialog ${button('Hold')}`);
  await page.shows('held: maintenance');
  const { body: holds } = await api('GET', `/nodes/${stage.scene.rack}/holds`);
  t.like(holds, [{ kind: 'maintenance', reason: 'two fans', blocks: ['launch'], createdBy: 'tester' }]);
  await page.click('button[aria-label="Delete hold: two fans"]');
  await page.click(`dialog ${button('Delete')}`);
  await page.shows('No hold');

  await page.visit('/rollouts?tab=tickets');
  await page.has(`${button('Approve…')}`);
  t.true(await page.page.$eval(button('Approve…'), (one) => 'disabled' in one && one.disabled === true));
  await page.click(button('Withdraw…'));
  await page.click(`dialog ${button('Withdraw')}`);
  await page.shows('withdrawn');

  await page.visit('/failures');
  await page.click(button('Mark as addressed…'));
  await page.fill('dialog input[name=note]', 'a loose cable');
  await page.click(`dialog ${button('Mark as addressed')}`);
  await page.meets(`!document.body.innerText.includes('Mark as addressed…')`);
  t.like((await api('GET', '/failures?addressed=true')).body, [{ addressed: { note: 'a loose cable', by: 'tester' } }]);
  t.deepEqual(page.faults, []);
});

test.serial('a hook is created and tested, and its delivery is shown and repeated', async (t) => {
  const stage = await stageOf();
  const receiver = await startReceiver(t);
  const page = await openedPage(t, stage, '/hooks');
  await page.click(button('New hook'));
  await page.fill('dialog input[name=url]', receiver.url);
  await page.fill('dialog input[name=name]', 'tested');
  await page.click(button('Create'));
  await page.click(`::-p-xpath(.//tr[contains(., 'tested')]//button[normalize-space()='Test'])`);
  await page.shows('delivered');
  await page.click(button('Deliver again'));
  await page.shows('(again)');
  t.deepEqual(page.faults, []);
});

test.serial('a token is shown once, works, and is rejected after it was removed', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, '/admin?tab=tokens');
  await page.click(button('New token'));
  await page.fill('dialog input[name=note]', 'a program');
  await page.click(button('Create'));
  await page.shows('Copy the token now');
  const token = await page.page.$eval('.secret code', ({ textContent }) => textContent);
  const { url } = stage.daemon.authorized('/nodes');
  const ask = async () => (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
  t.is(await ask(), 200);
  await page.click(button('Done'));
  t.false(String(await page.page.content()).includes(String(token)));
  await page.click(named('Delete token a program'));
  await page.click(`dialog ${button('Delete')}`);
  await page.meets(`!document.body.innerText.includes('a program')`);
  t.is(await ask(), 401);
});

test.serial('the list of graphs has the focus, waits for the graphs, and takes the one of Enter', async (t) => {
  const stage = await stageOf();
  const opened = await openedPage(t, stage, `/nodes/${stage.scene.rack}`);
  const { page } = opened;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
    if (request.url().includes('/workflows/graphs?')) await held;
    await request.continue();
  });
  await opened.click(button('Launch…'));
  await opened.shows('Loading the graphs');
  await page.keyboard.type('noop example');
  release();
  await opened.has('[role=option][aria-selected=true]');
  await page.keyboard.press('Enter');
  await opened.has('section[aria-label=Plan] details');
  await opened.has('.launch-foot button.main:enabled');
  t.deepEqual(opened.faults, []);
});

test.serial(
  'a launch that destroys data names the drives in its plan, node by node, and the nodes that are busy',
  async (t) => {
    const stage = await stageOf();
    const { api } = stage.daemon;
    const add = async (name: string) => (await api('POST', '/nodes', { type: 'compute', name })).body.id as string;
    const [free, busy] = [await add('erase-a'), await add('erase-b')];
    const data = [
      { devName: 'sdb', identifier: 5, linuxWwid: '/dev/disk/by-id/x', model: 'ST4', serial: 'Z1', sizeBytes: 4e12 },
    ];
    for (const id of [free, busy]) {
      await api('PUT', `/nodes/${id}/obm`, { service: 'noop-obm-service', config: {} });
      await api('POST', `/nodes/${id}/catalogs`, { source: 'driveId', data });
    }
    await api('POST', `/nodes/${busy}/workflows?name=Graph.Demo.InstallOs`, {});
    const page = await openedPage(t, stage, '/nodes?q=erase-');
    await page.click(button('Select all 2'));
    await page.click(button('Launch…'));
    await chooseGraph(page, 'Graph.Drive.SecureErase');
    await page.shows('Choose the drives to erase.');
    await page.shows('busy with Install an OS (demo)');
    await page.click('dialog input[aria-label="Erase sdb"]');
    await page.shows('1 of 2 nodes can be launched on; 1 is busy.');
    await page.shows('The content of 1 drive is destroyed on 1 node');
    await page.shows('sdb: ST4, serial number Z1, 4 TB');
    await page.shows('goes off and on');
    await page.has('.launch-foot button:disabled[title="Type the number of nodes (2) to confirm."]');
    t.deepEqual(await page.barriers(), []);
    t.deepEqual(page.faults, []);
  },
);

test.serial(
  'a machine is described, and its drives to erase are chosen with a method of their protocol, or by an example',
  async (t) => {
    const stage = await stageOf();
    const { api } = stage.daemon;
    const { id } = (await api('POST', '/nodes', { type: 'compute', name: 'erase-c' })).body;
    const data = [
      { devName: 'nvme0n1', linuxWwid: '/dev/disk/by-id/nvme-1', protocol: 'nvme', serial: 'N1', sizeBytes: 2e12 },
      { devName: 'sda', linuxWwid: '/dev/disk/by-id/ata-1', protocol: 'ata', serial: 'A1', sizeBytes: 1e12 },
    ];
    await api('PUT', `/nodes/${id}/obm`, { service: 'noop-obm-service', config: {} });
    await api('POST', `/nodes/${id}/catalogs`, { source: 'driveId', data });
    const page = await openedPage(t, stage, `/nodes/${id}`);
    await page.shows('2 drives: 1 × 2 TB NVMe, 1 × 1 TB');
    await page.click(button('Launch…'));
    await chooseGraph(page, 'Graph.Drive.SecureErase');
    await page.click('dialog input[aria-label="Erase nvme0n1"]');
    await page.shows('nvme0n1: serial number N1, 2 TB');
    const methods = await page.page.$eval('dialog select[aria-label="Method for nvme0n1"]', (one) => one.textContent);
    t.regex(methods ?? '', /NVMe Format.*NVMe Sanitize/);
    t.notRegex(methods ?? '', /ATA|SCSI/);
    await page.page.select('dialog select[aria-label="Method for nvme0n1"]', 'nvme_format crypto');
    await page.has('dialog select[aria-label="Method for nvme0n1"]');
    await page.click(button('Fill in example 1'));
    await page.meets(`document.querySelector('dialog select[aria-label="Method for sda"]').value === 'scrub nnsa'`);
    await page.shows('sda: serial number A1, 1 TB');
    await page.click(button('Choose another graph'));
    await chooseGraph(page, 'Graph.Firmware.Update');
    await page.click(button('Fill in example 2'));
    await page.meets(`[...document.querySelectorAll('dialog input')].some(({ value }) => value === 'bmc.bin')`);
    t.deepEqual(await page.barriers(), []);
    t.deepEqual(page.faults, []);
  },
);

test.serial('a graph is launched on the nodes that a filter selects, after its plan', async (t) => {
  const stage = await stageOf();
  const { api } = stage.daemon;
  for (const name of ['some-1', 'some-2']) t.is((await api('POST', '/nodes', { type: 'compute', name })).status, 201);
  const page = await openedPage(t, stage, '/workflows');
  await page.click(button('Launch…'));
  await chooseGraph(page, 'Graph.noop-example');
  await page.click('dialog label::-p-text(Nodes by filter)');
  await page.shows('A filter selects the nodes');
  await page.fill('dialog input[type=search]', 'some- type:compute');
  await page.shows('2 nodes match');
  t.deepEqual(await page.barriers(), []);
  await page.click(`dialog ${button('Launch on 2 nodes')}`);
  await page.meets(`/^\\/ui\\/batches\\/./.test(location.pathname)`);
  t.deepEqual(page.faults, []);
});

test.serial('a task that is chosen in the timeline is marked in the drawing, and the other way round', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, `/workflows/${stage.scene.failed}`);
  await page.has('svg .choice.selected[aria-label*="breaks"]');
  await page.has('.timeline button[aria-pressed=true]::-p-text(breaks)');
  await page.click('.timeline button::-p-text(before)');
  await page.has('svg .choice.selected[aria-label*="before"]');
  await page.has('section[aria-label="Task before"]');
  await page.click('svg [data-item="label breaks breaks"]');
  await page.has('.timeline button[aria-pressed=true]::-p-text(breaks)');
  t.deepEqual(await page.barriers(), []);
  t.deepEqual(page.faults, []);
});
