/** `nw watch` in a pipe, against real daemons: slow ones, and one that is killed in the meantime. */
import test from 'ava';
import { addNode, cliDaemon, sharedCliDaemon } from '../support/console/cli-scene.ts';
import { commandLine, type Piped } from '../support/console/command-line.ts';
import type { DaemonProcess } from '../support/servers/daemon.ts';
import { startDelayingProxy } from '../support/servers/delaying-proxy.ts';
import { startProxy } from '../support/servers/proxy.ts';

const daemonOf = sharedCliDaemon();

const portOf = (daemon: DaemonProcess): number => Number(new URL(daemon.authorized('').url).port);

/** @returns the id of a workflow that waits for its node */
async function waiting(daemon: DaemonProcess, name: string): Promise<{ node: string; id: string }> {
  const node = await addNode(daemon, name);
  const { status, body } = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Cli.Wait`, {});
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { node, id: body.id };
}

const prints = ({ stdout, stderr }: Piped, pattern: RegExp, on: 'stdout' | 'stderr' = 'stdout') =>
  (on === 'stdout' ? stdout : stderr).until((chunks) => pattern.test(chunks.join('')));

const notify = (daemon: DaemonProcess, node: string) => daemon.southbound('POST', `/notification?nodeId=${node}`);

test.serial('a watch of a node prints each change of its workflow, and ends with it', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { node } = await waiting(daemon, 'watch-1');
  const watch = nw.start('watch', 'watch-1');
  await prints(watch, /report {2}waiting {2}waits for notification {2}until \d{4}-/);
  await notify(daemon, node);
  const { status, stdout } = await watch.ended;
  t.is(status, 0);
  const lines = stdout.trim().split('\n');
  t.regex(lines[0] ?? '', /^\S+Z {2}Graph.Cli.Wait on watch-1 {2}running$/);
  t.regex(lines.at(-2) ?? '', /report {2}succeeded$/);
  t.regex(lines.at(-1) ?? '', /Graph.Cli.Wait on watch-1 {2}succeeded$/);
});

test.serial('a cancelled workflow ends a watch with 3, one that has ended ends it immediately', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { id } = await waiting(daemon, 'watch-2');
  const watch = nw.start('watch', id, '-o', 'json');
  await daemon.api('PUT', `/workflows/${id}/action`, { command: 'cancel' });
  const first = await watch.ended;
  t.is(first.status, 3);
  t.is(JSON.parse(first.stdout).status, 'cancelled');
  t.is((await nw.run('watch', 'watch-2')).status, 3);
});

test.serial('a timeout ends the watch with 4, and the workflow continues', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { id } = await waiting(daemon, 'watch-3');
  const { status, stderr } = await nw.run('watch', id, '--timeout', '1s');
  t.is(status, 4);
  t.regex(stderr, new RegExp(`The workflow continues; nw watch ${id} shows it again`));
  t.is((await daemon.api('GET', `/workflows/${id}`)).body.status, 'running');
});

test.serial('an interrupt ends the watch with 130, and the workflow continues', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { id } = await waiting(daemon, 'watch-4');
  const watch = nw.start('watch', id);
  await prints(watch, /waits for notification/);
  watch.signal('SIGINT');
  const { status, stderr } = await watch.ended;
  t.is(status, 130);
  t.regex(stderr, /The workflow continues/);
  t.is((await daemon.api('GET', `/workflows/${id}`)).body.status, 'running');
});

test.serial('a daemon that is killed and starts again does not end a watch, which misses no end', async (t) => {
  const daemon = await cliDaemon(t);
  const proxy = await startProxy(portOf(daemon));
  t.teardown(() => proxy.stop());
  const nw = commandLine(t, daemon, { NW_URL: `http://127.0.0.1:${proxy.port}` });
  const { node, id } = await waiting(daemon, 'watch-5');
  const watch = nw.start('watch', id);
  await prints(watch, /waits for notification/);
  await daemon.kill('SIGKILL');
  await prints(watch, /no connection, tries again/, 'stderr');
  await daemon.start();
  // It ends while the watch has no way to the daemon.
  await notify(daemon, node);
  proxy.retarget(portOf(daemon));
  const { status, stdout, stderr } = await watch.ended;
  t.is(status, 0, stderr);
  t.regex(stderr, /connected again/);
  t.regex(stdout, /Graph.Cli.Wait on watch-5 {2}succeeded\n$/);
});

test.serial('a watch through a slow way to the daemon ends as any other', async (t) => {
  const daemon = await daemonOf();
  const port = await startDelayingProxy(t, portOf(daemon), 700);
  const nw = commandLine(t, daemon, { NW_URL: `http://127.0.0.1:${port}` });
  const { node, id } = await waiting(daemon, 'watch-6');
  const watch = nw.start('watch', id);
  await prints(watch, /waits for notification/);
  await notify(daemon, node);
  t.is((await watch.ended).status, 0);
});

test.serial('a user who may not read events follows a workflow too', async (t) => {
  const daemon = await daemonOf();
  const credentials = { username: 'operator', password: 'correct-horse' };
  await daemon.api('POST', '/users', { ...credentials, role: 'Operator' });
  const nw = commandLine(t, daemon);
  const { node, id } = await waiting(daemon, 'watch-7');
  const token = await daemon.api('POST', '/users/operator/tokens', { note: 'watch' });
  t.is(token.status, 201, JSON.stringify(token.body));
  nw.env.NW_TOKEN = token.body.token;
  const watch = nw.start('watch', id);
  await prints(watch, /waits for notification/);
  await notify(daemon, node);
  t.is((await watch.ended).status, 0);
});

test.serial('no daemon, a wrong token and an unknown workflow each have their sentence', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const nowhere = await nw.run('watch', 'watch-1', '--url', 'http://127.0.0.1:1');
  t.is(nowhere.status, 1);
  t.regex(nowhere.stderr, /No daemon listens at 127.0.0.1:1; start it/);
  const unknown = await nw.run('watch', '00000000-0000-4000-8000-000000000000');
  t.is(unknown.status, 1);
  t.regex(unknown.stderr, /found no workflow with the id, and no node with .* 00000000-/);
  nw.env.NW_TOKEN = 'wrong';
  const wrong = await nw.run('watch', 'watch-1');
  t.is(wrong.status, 1);
  t.regex(wrong.stderr, /nw login/);
});
