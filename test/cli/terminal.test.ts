/** `nw` on a terminal: progress in place, Ctrl-C, questions, and names that a terminal would obey. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { needing } from '../support/ava/needs.ts';
import { addNode, cliDaemon, sharedCliDaemon } from '../support/console/cli-scene.ts';
import { commandLine } from '../support/console/command-line.ts';
import { noTmux, openTerminal } from '../support/console/tmux.ts';
import { startProxy } from '../support/servers/proxy.ts';

const test = needing(noTmux);

const daemonOf = sharedCliDaemon();

test.serial('a watch shows the tasks in place, with what they wait for, until the end', async (t) => {
  const daemon = await daemonOf();
  const { env, command } = commandLine(t, daemon);
  const node = await addNode(daemon, 'live-1');
  const terminal = openTerminal(t, `${command} run Graph.Cli.Wait live-1 --watch`, env);
  const seen = await terminal.shows(/report .*waits for/);
  t.regex(seen, /Graph.Cli.Wait on live-1: running +\[[#-]{10}\] \d+%/);
  t.regex(seen, /✔ first +ok/);
  t.regex(seen, /report +\d+ \w+ +waits for the node's notification, until [-\d: ]+/);
  await daemon.southbound('POST', `/notification?nodeId=${node}`);
  const last = await terminal.shows(/exit code/);
  t.regex(last, /✔ Graph.Cli.Wait on live-1: succeeded +in /);
  t.regex(last, /✔ report +ok/);
  t.regex(last, /exit code 0/);
  t.is(last.match(/Graph.Cli.Wait on live-1/g)?.length, 1, 'the lines were replaced');
});

test.serial('Ctrl-C ends the watch only, and says how to see the workflow again', async (t) => {
  const daemon = await daemonOf();
  const { env, command } = commandLine(t, daemon);
  const node = await addNode(daemon, 'live-2');
  const { body } = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Cli.Wait`, {});
  const terminal = openTerminal(t, `${command} watch live-2`, env);
  await terminal.shows(/report .*waits for/);
  terminal.press('C-c');
  const last = await terminal.shows(/exit code/);
  t.regex(last, new RegExp(`The workflow continues; nw watch ${body.id} shows it again`));
  t.regex(last, /exit code 130/);
  t.is((await daemon.api('GET', `/workflows/${body.id}`)).body.status, 'running');
});

test.serial('attempts and the error of a failed task are shown', async (t) => {
  const daemon = await daemonOf();
  const { env, command } = commandLine(t, daemon);
  const terminal = openTerminal(t, `${command} run Graph.Cli.Fail --watch`, env);
  const last = await terminal.shows(/exit code/);
  t.regex(last, /✖ breaks +failed +it broke \(X_FIXTURE_BROKE\)/);
  t.regex(last, /nw retry \S+ runs it again/);
  t.regex(last, /exit code 1/);
});

test.serial('a watch says that the daemon is away, and continues when it is back', async (t) => {
  const daemon = await cliDaemon(t);
  const port = () => Number(new URL(daemon.authorized('').url).port);
  const proxy = await startProxy(port());
  t.teardown(() => proxy.stop());
  const { env, command } = commandLine(t, daemon, { NW_URL: `http://127.0.0.1:${proxy.port}` });
  const node = await addNode(daemon, 'live-3');
  const terminal = openTerminal(t, `${command} run Graph.Cli.Wait live-3 --watch`, env);
  await terminal.shows(/report .*waits for/);
  await daemon.kill('SIGKILL');
  await terminal.shows(/no connection, tries again/);
  await daemon.start();
  proxy.retarget(port());
  await terminal.shows(/running +\[[#-]{10}\] \d+% *\n/);
  await daemon.southbound('POST', `/notification?nodeId=${node}`);
  t.regex(await terminal.shows(/exit code/), /succeeded[\s\S]*exit code 0/);
});

test.serial('a name with escape sequences is shown as harmless text', async (t) => {
  const daemon = await daemonOf();
  const { env, command } = commandLine(t, daemon);
  const name = 'evil\u001b[2J\u001b]0;owned\u0007\u001b[31mred\nsecond line';
  const node = await addNode(daemon, name);
  await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Cli.Wait`, {});
  const terminal = openTerminal(t, `echo kept; ${command} nodes; ${command} watch ${node} --timeout 2s`, env);
  const last = await terminal.shows(/exit code 4/);
  t.regex(last, /^kept\n/, 'the screen was not cleared');
  t.regex(last, /on evilred second line: running/);
});

test.serial('a destructive graph shows its plan, and begins only when the name of the node is typed', async (t) => {
  const daemon = await daemonOf();
  const { env, command } = commandLine(t, daemon);
  const node = await addNode(daemon, 'erase-me', { obms: [{ service: 'noop-obm-service', config: {} }] });
  const data = JSON.parse(readFileSync(packagePath('fixtures/drive-id.json'), 'utf8'));
  await daemon.api('POST', `/nodes/${node}/catalogs`, { source: 'driveId', data });
  const settings = `'drive-secure-erase.eraseSettings=[{"disks":["sda"],"tool":"scrub"}]'`;
  const erase = `${command} run Graph.Drive.SecureErase erase-me -o ${settings}`;
  const workflows = async () => (await daemon.api('GET', `/nodes/${node}/workflows`)).body.length;
  const wrong = openTerminal(t, erase, env);
  t.regex(await wrong.shows(/Type erase-me to continue/), /PLAN +Graph.Drive.SecureErase \w+ on erase-me +destructive/);
  wrong.type('erase-you');
  t.regex(await wrong.shows(/exit code/), /nothing was done[\s\S]*exit code 3/);
  t.is(await workflows(), 0);
  const interrupted = openTerminal(t, erase, env);
  await interrupted.shows(/Type erase-me to continue/);
  interrupted.press('C-c');
  t.regex(await interrupted.shows(/exit code/), /Nothing was done[\s\S]*exit code 130/);
  t.is(await workflows(), 0);
  const right = openTerminal(t, erase, env);
  await right.shows(/Type erase-me to continue/);
  right.type('erase-me');
  t.regex(await right.shows(/exit code/), /exit code 0/);
  t.is(await workflows(), 1);
});

test.serial('a batch is followed in place; Ctrl-C leaves it alone', async (t) => {
  const daemon = await daemonOf();
  const { env, command } = commandLine(t, daemon);
  const nodes = [await addNode(daemon, 'many-1'), await addNode(daemon, 'many-2')];
  const terminal = openTerminal(t, `${command} run Graph.Cli.Wait many-1 many-2 --watch`, env);
  const seen = await terminal.shows(/many-2 +running/);
  t.regex(seen, /Graph.Cli.Wait, batch \S+: 2 running/);
  const [, id = ''] = /batch (\S+):/.exec(seen) ?? [];
  terminal.press('C-c');
  const left = await terminal.shows(/exit code/);
  t.regex(left, new RegExp(`The batch continues; nw batch watch ${id} shows it again[\\s\\S]*exit code 130`));
  const again = openTerminal(t, `${command} batch watch ${id}`, env);
  await again.shows(/many-2 +running/);
  for (const node of nodes) await daemon.southbound('POST', `/notification?nodeId=${node}`);
  t.regex(await again.shows(/exit code/), /✔ Graph.Cli.Wait, batch \S+: 2 succeeded[\s\S]*exit code 0/);
});
