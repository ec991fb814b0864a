/** Windows, schedules and baselines, made and changed in the console, and the records of the daemon after that. */
import { needing } from '../support/ava/needs.ts';
import { noBrowser } from '../support/console/browser.ts';
import { button, chooseGraph, openedPage, sharedStage } from '../support/console/console-stage.ts';

const test = needing(noBrowser, 'chromium');
const stageOf = sharedStage();

const inDialog = (text: string): string => `dialog ${button(text)}`;
/** A button in the row of a table. */
const inRow = (row: string, text: string): string =>
  `::-p-xpath(.//tr[contains(., '${row}')]//button[normalize-space()='${text}'])`;
const NEXT = `[...document.querySelectorAll('dialog section[aria-label="Next times"] li')]`;
/** Five times that the form shows before anything is stored; each contains the text. */
const nextTimes = (text: string): string =>
  `(${NEXT}).length === 5 && ${NEXT}.every((one) => one.textContent.includes('${text}'))`;
const CLOSED = `document.querySelector('dialog') === null`;

test.serial('a window is made, changed and deleted', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, '/rollouts?tab=windows');
  const nights = async () =>
    (await stage.daemon.api('GET', '/windows')).body.find(({ name }: { name: string }) => name === 'nights');
  await page.click(button('New window'));
  await page.has('dialog form');
  t.deepEqual(await page.barriers(), []);
  await page.fill('dialog input[name=name]', 'nights');
  await page.page.locator('dialog input[name=zone]').fill('Europe/Atlantis');
  await page.click(inDialog('Create'));
  await page.shows('zone is Europe/Atlantis');
  await page.page.locator('dialog input[name=zone]').fill('Europe/Berlin');
  await page.meets(nextTimes('05:00 Europe/Berlin'));
  await page.click('dialog ::-p-aria([name="sat"])');
  await page.click(inDialog('Create'));
  await page.meets(CLOSED);
  const made = await nights();
  t.like(made, { zone: 'Europe/Berlin', leadMinutes: 0 });
  t.deepEqual(made.spans, [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'], from: '22:00', to: '05:00' }]);
  await page.click(inRow('nights', 'Change'));
  await page.page.locator('dialog input[name=leadMinutes]').fill('30');
  await page.click(inDialog('Add a closure'));
  await page.page.locator('::-p-aria([name="Closure 1 from"])').fill('2030-12-18T00:00');
  await page.page.locator('::-p-aria([name="Closure 1 to"])').fill('2031-01-04T00:00');
  await page.page.type('::-p-aria([name="Reason of closure 1"])', 'end of the year');
  t.deepEqual(await page.barriers(), []);
  await page.click(inDialog('Save'));
  await page.meets(CLOSED);
  const [from, to] = ['2030-12-18T00:00', '2031-01-04T00:00'].map((local) => new Date(local).toISOString());
  const closed = [{ from, to, reason: 'end of the year' }];
  t.deepEqual(await nights(), { ...made, leadMinutes: 30, closed, updatedAt: (await nights()).updatedAt });
  await page.click(inRow('nights', 'Delete'));
  await page.click(inDialog('Delete'));
  await page.meets(CLOSED);
  t.is(await nights(), undefined);
  t.deepEqual(page.faults, []);
});

test.serial('a schedule is a launch with due times, which are changed later', async (t) => {
  const stage = await stageOf();
  const page = await openedPage(t, stage, '/rollouts?tab=schedules');
  const sundays = async () =>
    (await stage.daemon.api('GET', '/schedules')).body.find(({ name }: { name: string }) => name === 'sundays');
  await page.click(button('New schedule'));
  await chooseGraph(page, 'Graph.noop-example');
  await page.has('dialog input[name=cron]');
  t.deepEqual(await page.barriers(), []);
  await page.fill('dialog input[name=cron]', '30 2 * * sun');
  await page.page.locator('dialog input[name=name]').fill('sundays');
  await page.page.locator('dialog input[name=zone]').fill('Europe/Berlin');
  await page.meets(nextTimes('02:30 Europe/Berlin'));
  t.is(await sundays(), undefined);
  await page.page.select('dialog select[name=overlap]', 'queue');
  await page.click(inDialog('Create'));
  await page.shows('Choose the nodes');
  await page.fill('dialog fieldset input[autocomplete=off]', stage.scene.rack);
  await page.shows(`(${stage.scene.rack})`);
  // The form of the launch without a node is another one.
  await page.has('dialog input[name=cron]');
  await page.meets(`!document.querySelector('dialog').textContent.includes('Loading')`);
  await page.page.locator('dialog input[name=cron]').fill('30 2 * * sun');
  await page.page.locator('dialog input[name=name]').fill('sundays');
  await page.page.locator('dialog input[name=zone]').fill('Europe/Berlin');
  await page.page.select('dialog select[name=overlap]', 'queue');
  await page.click(inDialog('Create'));
  await page.meets(CLOSED);
  const made = await sundays();
  t.like(made, { when: { cron: '30 2 * * sun', zone: 'Europe/Berlin' }, overlap: 'queue', missed: 'run' });
  t.like(made.launch, { name: 'Graph.noop-example', nodes: [stage.scene.rack] });
  await page.click(inRow('sundays', 'Change'));
  await page.has('dialog form');
  t.is(await page.page.$eval('dialog select[name=overlap]', (one) => one.value), 'queue');
  await page.page.select('dialog select[name=kind]', 'every');
  await page.fill('dialog input[name=hours]', '6');
  await page.click(inDialog('Save'));
  await page.meets(CLOSED);
  const changed = await sundays();
  t.is(changed.when.everySec, 6 * 3_600);
  t.like(changed, { overlap: 'queue', missed: 'run', launch: made.launch });
  t.deepEqual(page.faults, []);
});

test.serial('a schedule launches on the nodes that a filter selects at each time', async (t) => {
  const stage = await stageOf();
  const { api } = stage.daemon;
  const page = await openedPage(t, stage, '/rollouts?tab=schedules');
  await page.click(button('New schedule'));
  await chooseGraph(page, 'Graph.noop-example');
  await page.click('dialog label::-p-text(Nodes by filter)');
  await page.fill('dialog input[type=search]', 'state:free type:rack');
  await page.has('dialog select[name=targets]');
  await page.page.locator('dialog input[name=cron]').fill('0 3 * * *');
  await page.page.locator('dialog input[name=name]').fill('free racks');
  await page.page.locator('dialog input[name=zone]').fill('UTC');
  await page.click(inDialog('Create'));
  await page.has('select[name=targets]:invalid');
  await page.page.select('select[name=targets]', 'anew');
  t.deepEqual(await page.barriers(), []);
  await page.click(inDialog('Create'));
  await page.meets(CLOSED);
  const made = (await api('GET', '/schedules')).body.find(({ name }: { name: string }) => name === 'free racks');
  t.deepEqual(made.launch, { name: 'Graph.noop-example', options: {}, filter: { type: 'rack', busy: false } });
  t.deepEqual(page.faults, []);
});

test.serial('a change of a hook keeps its format', async (t) => {
  const stage = await stageOf();
  const url = 'https://127.0.0.1:1/slack';
  const { body } = await stage.daemon.api('POST', '/hooks', { url, name: 'night shift', format: 'slack' });
  const page = await openedPage(t, stage, '/hooks');
  await page.click(inRow('night shift', 'Change'));
  await page.page.locator('dialog input[name=name]').fill('day shift');
  await page.click(inDialog('Save'));
  await page.meets(CLOSED);
  const { body: changed } = await stage.daemon.api('GET', `/hooks/${body.id}`);
  t.like(changed, { name: 'day shift', format: 'slack' });
});

test.serial('a baseline is made, its drift is seen, and the nodes that differ get a rollout', async (t) => {
  const stage = await stageOf();
  const { api } = stage.daemon;
  const page = await openedPage(t, stage, '/baselines');
  await page.click('a::-p-text(New baseline)');
  await page.fill('input[name=name]', 'autumn');
  // Empty lines are not sent.
  await page.click(button('Add a setting'));
  await page.fill('::-p-aria([name="Attribute 1"])', 'BootMode');
  await page.click(button('Create'));
  await page.has('select[name=sku]:invalid');
  await page.page.select('select[name=sku]', stage.scene.sku);
  await page.fill('::-p-aria([name="Value of attribute 1"])', 'Uefi');
  t.deepEqual(await page.barriers(), []);
  await page.click(button('Create'));
  await page.meets(`/^\\/ui\\/baselines\\/[^/]{36}$/.test(location.pathname)`);
  const id = new URL(page.page.url()).pathname.split('/').at(-1);
  const { body: made } = await api('GET', `/baselines/${id}`);
  t.like(made, { name: 'autumn', sku: stage.scene.sku, firmware: [], bios: { BootMode: 'Uefi' } });
  await page.has('tr .pill::-p-text(differs)');
  await page.has('tr .pill::-p-text(unknown)');
  await page.page.select('main select', 'differs');
  await page.meets(`document.querySelectorAll('main tbody tr').length === 1`);
  await page.shows('→ Uefi');

  await page.click(button('Bring nodes to it…'));
  await page.shows('Bring a node to its baseline');
  t.deepEqual(await page.barriers(), []);
  await page.click(`dialog ${button('Plan')}`);
  await page.has('dialog section[aria-label="Plan"]');
  await page.click(`dialog ${button('Start the rollout')}`);
  await page.meets(`/^\\/ui\\/rollouts\\/./.test(location.pathname)`);
  const rollout = await api('GET', `/rollouts/${new URL(page.page.url()).pathname.split('/').at(-1)}`);
  t.like(rollout.body, { name: 'autumn', graph: 'Graph.Baseline.Apply' });

  await page.visit(`/baselines/${id}?tab=content`);
  await page.fill('::-p-aria([name="Value of attribute 1"])', 'Bios');
  await page.fill('input[name=name]', 'winter');
  await page.click(button('Save'));
  // The heading has the new name when the change was stored and read again.
  await page.meets(`document.querySelector('h1').textContent === 'winter'`);
  await page.meets(`document.querySelector('main form .problem') === null`);
  t.deepEqual((await api('GET', `/baselines/${id}`)).body.bios, { BootMode: 'Bios' });
  await page.click(button('Delete'));
  await page.click(inDialog('Delete'));
  await page.meets(`location.pathname === '/ui/baselines'`);
  t.is((await api('GET', `/baselines/${id}`)).status, 404);
  t.deepEqual(page.faults, []);
});
