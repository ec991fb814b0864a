/** `nw events`, `nw hooks` and `nw audit`, against a real daemon. */
import test from 'ava';
import { addNode, cliDaemon, sharedCliDaemon } from '../support/console/cli-scene.ts';
import { commandLine, type Piped } from '../support/console/command-line.ts';
import { ended, launch, seen } from '../support/faults/workload.ts';
import { startProxy } from '../support/servers/proxy.ts';
import { startReceiver } from '../support/servers/receiver.ts';

const daemonOf = sharedCliDaemon();

const prints = ({ stdout, stderr }: Piped, pattern: RegExp, on: 'stdout' | 'stderr' = 'stdout') =>
  (on === 'stdout' ? stdout : stderr).until((chunks) => pattern.test(chunks.join('')));

const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test.serial('events are lines of JSON in a pipe, selected by options and positions', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const id = await launch(daemon, 'Graph.Cli.Fail');
  await ended(daemon, id);
  const one = ['events', '--type-id', id, '--action', 'finished'];
  await seen(async () => (await nw.run(...one)).stdout !== '');
  const { status, stdout } = await nw.run(...one, '--status', 'failed');
  t.is(status, 0);
  const [event] = jsonLines(stdout);
  t.like(event, { type: 'graph', action: 'finished', typeId: id });
  t.is((await nw.run(...one, '--after', String(event.seq))).stdout, '');
  const table = await nw.run(...one, '-o', 'table');
  t.regex(table.stdout, new RegExp(`graph.finished +critical +- +${id.slice(0, 8)} +Graph.Cli.Fail failed`));
  t.is(JSON.parse((await nw.run(...one, '-o', 'json')).stdout).length, 1);
  t.is((await nw.run('events', '--type-id', id.slice(0, 8), '--action', 'finished')).stdout, stdout);
  const missing = await nw.run('events', '--type-id', 'missing');
  t.is(missing.status, 1);
  t.regex(missing.stderr, /^nw: found no record with the id or name missing;/);
  const limited = await nw.run('events', '--limit', '1');
  t.is(jsonLines(limited.stdout).length, 1);
  t.regex(limited.stderr, /--after \d+ continues/);
  const wrong = await nw.run('events', '--type', 'none');
  t.is(wrong.status, 1);
  t.regex(wrong.stderr, /type/);
});

test.serial('a follower misses no event while the daemon is killed and starts again', async (t) => {
  const daemon = await cliDaemon(t);
  const port = () => Number(new URL(daemon.authorized('').url).port);
  const proxy = await startProxy(port());
  t.teardown(() => proxy.stop());
  const nw = commandLine(t, daemon, { NW_URL: `http://127.0.0.1:${proxy.port}` });
  const follower = nw.start('events', '-f', '--after', '0', '--type', 'node', '--action', 'added');
  await addNode(daemon, 'before');
  await prints(follower, /"action":"added"/);
  await daemon.kill('SIGKILL');
  await prints(follower, /no connection, tries again/, 'stderr');
  await daemon.start();
  const later = await addNode(daemon, 'later');
  proxy.retarget(port());
  await prints(follower, new RegExp(`"nodeId":"${later}"`));
  const after = await addNode(daemon, 'after');
  await prints(follower, new RegExp(`"nodeId":"${after}"`));
  follower.signal('SIGINT');
  const { status, stdout } = await follower.ended;
  t.is(status, 130);
  // A crash may leave an event twice, with one id.
  const found = jsonLines(stdout);
  t.is(new Set(found.map(({ id }) => id)).size, 3);
  const positions = found.map(({ seq }) => seq);
  t.deepEqual(
    positions,
    [...positions].sort((one, other) => one - other),
  );
});

test.serial('a follower with -o json is wrong usage, as there is no end', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const { status, stderr } = await nw.run('events', '-f', '-o', 'json');
  t.is(status, 2);
  t.regex(stderr, /jsonl/);
});

test.serial('a hook is added, tested, its deliveries are listed and repeated, and it is removed', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const receiver = await startReceiver(t);
  const added = await nw.run('hook', 'add', receiver.url, '--name', 'ci', '--type', '^graph$', '--status', 'failed');
  t.is(added.status, 0, added.stderr);
  const id = added.stdout.trim();
  const listed = await nw.run('hooks');
  t.regex(
    listed.stdout,
    new RegExp(`^${id.slice(0, 8)} +ci +${receiver.url} +\\[{"type":"\\^graph\\$","status":"failed"}\\] +0 +-$`, 'm'),
  );
  const tested = await nw.run('hook', 'test', 'ci');
  t.is(tested.status, 0, tested.stderr);
  t.regex(tested.stdout, /delivered, status 204/);
  const failed = await launch(daemon, 'Graph.Cli.Fail');
  await receiver.posted.until((posted) => posted.some(({ event }) => event.typeId === failed));
  const deliveries = await seen(async () => {
    const { stdout } = await nw.run('hook', 'deliveries', id, '--state', 'delivered', '-o', 'json');
    const found = JSON.parse(stdout);
    return found.length === 2 && found;
  });
  const again = await nw.run('hook', 'redeliver', 'ci', deliveries[0].id, '-o', 'json');
  t.is(again.status, 0, again.stderr);
  t.is(JSON.parse(again.stdout).redeliveryOf, deliveries[0].id);
  receiver.behave = () => 500;
  const rejected = await nw.run('hook', 'test', receiver.url);
  t.is(rejected.status, 1);
  t.regex(rejected.stdout, /waiting, status 500/);
  t.regex((await nw.run('hooks')).stdout, / 1 +the receiver answered 500$/m, 'a hook that fails looks so');
  t.is((await nw.run('hook', 'remove', 'ci')).status, 0);
  t.is((await nw.run('hook', 'test', 'ci')).status, 1);
  t.deepEqual(JSON.parse((await nw.run('hooks', '-o', 'json')).stdout), []);
});

test.serial('the audit log is listed in parts, and verified by the daemon', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  await addNode(daemon, 'audited');
  const { status, stdout } = await nw.run('audit', 'list', '-o', 'json');
  t.is(status, 0);
  const entries = JSON.parse(stdout);
  t.true(entries.some(({ path }: { path: string }) => path.endsWith('/nodes')));
  const rest = await nw.run('audit', 'list', '--after', '1', '--limit', '1');
  t.regex(rest.stdout, /^2 +\S+ +\S+ +127\.0\.0\.1 +\w/m);
  const newest = await nw.run('audit', 'list', '--limit', '1');
  t.regex(newest.stdout, / new node +audited +201$/m, 'the newest, in words');
  t.regex(rest.stderr, /--after 2 continues/);
  const verified = await nw.run('audit', 'verify-remote');
  t.is(verified.status, 0);
  t.regex(verified.stdout, /The chain is unbroken: \d+ entries\./);
  t.true(JSON.parse((await nw.run('audit', 'verify-remote', '-o', 'json')).stdout).ok);
  const local = commandLine(t, daemon, { NODEWRIGHT_CONFIG: daemon.file });
  for (const [command, remote] of [
    ['verify', 'nw audit verify-remote'],
    ['export', 'nw audit list -o jsonl --limit 1000000'],
  ] as const) {
    const locked = await local.run('audit', command);
    t.is(locked.status, 1);
    t.regex(
      locked.stderr,
      /^nw: DATA_DIR_LOCKED: .*: held by process \d+ of .*; stop it or set another dataDir; or let/,
    );
    t.true(locked.stderr.endsWith(`let the daemon do it: ${remote}\n`), locked.stderr);
  }
});
