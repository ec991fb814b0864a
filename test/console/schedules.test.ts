/** Windows and schedules, made and changed in the console, and the records of the daemon after that. */
import { needing } from '../support/ava/needs.ts';
import { noBrowser } from '../support/console/browser.ts';
import { button, openedPage, sharedStage } from '../support/console/console-stage.ts';

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
  await page.click(inDialog('Save'));
  await page.meets(CLOSED);
  t.deepEqual(await nights(), { ...made, leadMinutes: 30, updatedAt: (await nights()).updatedAt });
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
  await page.fill('dialog input[list]', 'Graph.noop-example');
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
