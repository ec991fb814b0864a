/** The console of a machine on the page of its node: live, as text, and with an input only for those who may type. */
import { needing } from '../support/ava/needs.ts';
import { fakeIpmitool } from '../support/bmcs/fake-ipmitool.ts';
import { noBrowser } from '../support/console/browser.ts';
import { button, openedPage, sharedStage } from '../support/console/console-stage.ts';

const test = needing(noBrowser, 'chromium');
const stageOf = sharedStage();

test.serial(
  'a console is captured, followed and typed at; markup of the machine is text; a reader may only read',
  async (t) => {
    // Before the daemon starts, which inherits the PATH.
    const machine = fakeIpmitool(t);
    const stage = await stageOf();
    const config = { host: '127.0.0.1', user: 'u', password: 'p' };
    const node = { type: 'compute', name: 'with-console', obms: [{ service: 'ipmi-obm-service', config }] };
    const { id } = (await stage.daemon.api('POST', '/nodes', node)).body;
    const place = `/nodes/${id}?tab=console`;
    const page = await openedPage(t, stage, place);
    await page.shows('The machine has written nothing yet.');
    await page.click(button('Capture by IPMI'));
    await page.has('input[name=text]');
    machine.write('<img src=x onerror="document.title=1">\r\nlogin: ');
    await page.shows('<img src=x onerror=');
    await page.shows('login:');
    await page.fill('input[name=text]', 'root');
    await page.click(button('Type with Enter'));
    await page.meets(`document.querySelector('input[name=text]').value === ''`);
    t.deepEqual(await page.barriers(), []);
    const who = { username: 'reader', password: 'correct-horse' };
    await stage.daemon.api('POST', '/users', { ...who, role: 'ReadOnly' });
    const reader = await openedPage(t, stage, place, who);
    await reader.shows('login:');
    const found = await reader.page.evaluate(
      `document.querySelectorAll('input[name=text]:enabled, main .actions button:enabled').length`,
    );
    t.is(found, 0);
    await page.click(button('End the capture'));
    await page.has(button('Capture by Redfish'));
    t.is(machine.typed, 'root\r');
    t.deepEqual([...page.faults, ...reader.faults], []);
  },
);
