/** A newcomer with a browser: from an empty daemon to the end of the demo graph. */

import { needing } from '../support/ava/needs.ts';
import { noBrowser, openBrowser, openPage } from '../support/console/browser.ts';
import { originOf, portOf } from '../support/console/console-scene.ts';
import { button, chooseGraph } from '../support/console/console-stage.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { startProxy } from '../support/servers/proxy.ts';

const test = needing(noBrowser, 'chromium');

const SEND = 'Send it instead of the node';

test.serial(
  'the demo is launched, waits, is notified from its page, and ends before the eyes of its user, although the daemon is killed',
  async (t) => {
    const daemon = await startDaemonProcess(t, { users: 'none' });
    const proxy = await startProxy(portOf(daemon));
    t.teardown(() => proxy.stop());
    const opened = await openPage(t, await openBrowser(t), originOf(daemon).replace(/\d+$/, String(proxy.port)));

    await opened.shows('Create the first user');
    await opened.fill('input[name=username]', 'ada');
    await opened.fill('input[name=password]', 'a long password');
    await opened.fill('input[name=repeated]', 'another password');
    await opened.click(button('Create the user, and log in'));
    await opened.shows('The two passwords differ');
    await opened.fill('input[name=repeated]', 'a long password');
    await opened.click(button('Create the user, and log in'));
    await opened.shows('There is no backup yet');
    await opened.shows('Discover your machines');

    await opened.click(button('Add a node'));
    await opened.fill('dialog input[name=name]', 'r1s5');
    await opened.click(button('Add'));
    await opened.shows('No workflow runs on the node');

    await opened.click(button('Launch…'));
    await chooseGraph(opened, 'Graph.Demo.InstallOs');
    await opened.shows('Plan');
    await opened.settled();
    await opened.click(`dialog ${button('Launch')}`);
    await opened.meets(`/^\\/ui\\/workflows\\/./.test(location.pathname)`);
    await opened.shows('wait-os-installed waits for a notification');
    await opened.has('svg [data-item]');
    t.deepEqual(await opened.barriers(), []);

    await opened.settled();
    await opened.click(`::-p-text(${SEND})`);
    await opened.click(button('Send the notification'));
    await opened.shows('wait-os-booted waits for a notification');

    await daemon.kill('SIGKILL');
    await opened.shows('The daemon does not answer');
    await daemon.start();
    proxy.retarget(portOf(daemon));
    await opened.has('.connection.live');
    // The page removes its notes on the outage when it has read again, and its other parts move: a click would miss them.
    await opened.meets(`!document.body.innerText.includes('does not answer')`);
    await opened.settled();
    await opened.click(`::-p-text(${SEND})`);
    await opened.click(button('Send the notification'));
    await opened.has('h1 .pill.succeeded');
    t.deepEqual(opened.faults, []);
  },
);
