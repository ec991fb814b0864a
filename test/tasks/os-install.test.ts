/** Task.Os.Install: what the node boots and fetches in the meantime, and how it ends. */
import anyTest, { type TestFn } from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { serve, southbound } from '../support/servers/api.ts';

const test = anyTest as TestFn<{ it: TestEngine; graph: string }>;

const INSTALLER_GRAPH = 'Graph.Test.Installer';

test.before(async (t) => {
  const it = await openEngine();
  t.context = { it, graph: INSTALLER_GRAPH };
  const put = (kind: 'profile' | 'template', name: string, text: string) =>
    it.engine.files.put({ kind, name, scope: null }, bytesOf(text));
  await put('profile', 'mine.ipxe', 'kernel <%- repo %>/vmlinuz disk=<%- installDisk %>\nboot\n');
  await put(
    'template',
    'mine.cfg',
    'rootpw <%- rootPassword %>\ndisk <%- installDisk %>\nserver <%- server %>\nhash <%- rootEncryptedPassword %>\n',
  );
  await it.engine.library.putGraph({
    friendlyName: 'Install',
    injectableName: INSTALLER_GRAPH,
    tasks: [
      {
        label: 'install',
        taskName: 'Task.Os.Install',
        optionOverrides: { profile: 'mine.ipxe', repo: 'http://mirror', rootPassword: 'hunter22', server: 'nowhere' },
      },
    ],
  });
});
test.after.always((t) => t.context.it?.close());

const bytesOf = (text: string) =>
  (async function* () {
    yield Buffer.from(text);
  })();

const drives = [
  { identifier: 0, linuxWwid: '/dev/disk/by-id/a', esxiWwid: 'naa.1' },
  { identifier: 1, linuxWwid: '/dev/disk/by-id/b', esxiWwid: 't10.DOM' },
];

test('the node boots the profile with the options, its templates have them, and its notification ends the task', async (t) => {
  const { it } = t.context;
  const { send } = await serve(t, southbound, it.engine);
  const { id: node } = await it.node();
  await it.engine.lookups.create({ macAddress: '02:dd:00:00:00:01', node });
  await it.engine.catalogs.add(node, 'driveId', drives);
  const { id } = await it.launch(INSTALLER_GRAPH, { install: { installDisk: 0 } }, node);
  await it.reached(id, 'install', 'waiting');
  const profile = await send('GET', '/api/current/profiles?macs=02:dd:00:00:00:01');
  t.is(profile.body, '#!ipxe\nkernel http://mirror/vmlinuz disk=/dev/disk/by-id/a\nboot\n');
  const template = await send('GET', `/api/current/templates/mine.cfg?nodeId=${node}`);
  const body = template.body as string;
  const shown = 'rootpw hunter22\ndisk /dev/disk/by-id/a\nserver 127.0.0.1\n';
  t.is(body.slice(0, shown.length), shown, 'an option replaces no variable');
  const hash = /^hash (\$6\$\S{95,})$/m.exec(body)?.[1] ?? '';
  t.not(hash, '');
  t.false(JSON.stringify(await it.get(id)).includes(hash));
  t.false(JSON.stringify(await it.get(id)).includes('hunter22'));
  await send('POST', `/api/current/notification?nodeId=${node}&nodeIp=10.1.1.1`);
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  t.like(row.tasks[0]?.output, { nodeIp: '10.1.1.1' });
});

test('without installDisk the SATA DOM is taken, under the name that the system has for it', async (t) => {
  const { it } = t.context;
  for (const [options, data, disk] of [
    [{ osType: 'esx' }, drives, 't10.DOM'],
    [{}, drives, '/dev/disk/by-id/b'],
    [{ installDisk: null }, [], 'sda'],
    [{ installDisk: '/dev/vda' }, drives, '/dev/vda'],
  ] as const) {
    const { id: node } = await it.node();
    await it.engine.catalogs.add(node, 'driveId', data as never);
    const { id } = await it.launch(INSTALLER_GRAPH, { install: options }, node);
    await it.reached(id, 'install', 'waiting');
    t.is((await it.engine.agents.boot(node))?.variables?.installDisk, disk);
  }
});

test('an installer that reports a failure fails the task, and an unknown drive fails it before anything boots', async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const { id } = await it.launch(INSTALLER_GRAPH, {}, node);
  await it.reached(id, 'install', 'waiting');
  await it.engine.notifications.notify({ status: 'fail', error: 'no space left' }, node);
  t.like((await it.finished(id)).tasks[0]?.error, { code: 'INSTALL_FAILED' });
  const other = await it.launch(INSTALLER_GRAPH, { install: { installDisk: 7 } }, node);
  t.like((await it.finished(other.id)).tasks[0]?.error, { code: 'DISK_UNKNOWN' });
});
