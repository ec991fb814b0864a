/** Graphs of installers on the real engine, over real sockets; the test takes the part of the installer. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { accepted, type System, usual } from '../support/bmcs/installing.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { serve, southbound } from '../support/servers/api.ts';
import { type HttpSource, startSource } from '../support/servers/source.ts';

interface Scene {
  it: TestEngine;
  source: HttpSource;
}

const test = anyTest as TestFn<Scene>;

test.before(async (t) => {
  t.context.it = await openEngine();
  const modules = 'modules=/jumpstrt.gz --- /useropts.gz --- /s.v00';
  t.context.source = await startSource({ '/boot.cfg': `bootstate=0\nkernel=/b.b00\n${modules}\nbuild=\n` });
});
test.after.always(async (t) => {
  await t.context.it?.close();
  await t.context.source?.close();
});

interface Flow {
  graph: string;
  label: string;
  booted: string;
  system: System;
  /** Matches the script that the node boots, and the file that it then fetches. */
  script: RegExp;
  answers: { at: RegExp; is: RegExp };
}

const AFTER = 'rackhd-callback-notification-wait';
const flows: Flow[] = [
  ...['Graph.InstallCentOS', 'Graph.InstallRHEL'].map((graph) => ({
    graph,
    label: 'install-os',
    booted: AFTER,
    system: 'centos' as const,
    script: /^kernel \S+\/images\/pxeboot\/vmlinuz initrd=initrd\.img .*\binst\.repo=\S+/m,
    answers: { at: /inst\.ks=(\S+)/, is: /^rootpw --iscrypted \$6\$/m },
  })),
  {
    graph: 'Graph.InstallDebian',
    label: 'install-debian',
    booted: AFTER,
    system: 'debian',
    script: /^kernel \S+\/netboot\/debian-installer\/amd64\/linux initrd=initrd\.img auto=true/m,
    answers: { at: / url=(\S+)/, is: /^d-i passwd\/root-password-crypted password \$6\$/m },
  },
  {
    graph: 'Graph.InstallUbuntu',
    label: 'install-ubuntu',
    booted: AFTER,
    system: 'ubuntu',
    script: /^kernel \S+\/casper\/vmlinuz initrd=initrd\.img .* autoinstall /m,
    answers: { at: /cloud-config-url=(\S+)/, is: /^#cloud-config\n\{\n {2}"autoinstall"/ },
  },
  {
    graph: 'Graph.InstallESXi',
    label: 'install-os',
    booted: 'firstboot-callback-notification-wait',
    system: 'esxi',
    script: /^kernel \S+\/mboot\.c32 -c /m,
    answers: { at: /mboot\.c32 -c (\S+)/, is: /^modules=jumpstrt\.gz --- useropts\.gz --- s\.v00$/m },
  },
];

let count = 0;

async function node(t: ExecutionContext<Scene>) {
  const { it } = t.context;
  const { id } = await it.node();
  count += 1;
  const mac = `02:dd:00:00:00:${String(count).padStart(2, '0')}`;
  await it.engine.lookups.create({ macAddress: mac, node: id });
  await it.engine.obms.put(id, { service: 'noop-obm-service' });
  const { send, port } = await serve(t, southbound, it.engine);
  const get = async (url: string) => {
    const { pathname, search } = new URL(url, `http://127.0.0.1:${port}`);
    const { status, body } = await send('GET', `${pathname}${search}`);
    t.true(status === 200 || status === 201, JSON.stringify(body));
    return body as string;
  };
  return { id, get, send, profile: () => get(`/api/current/profiles?macs=${mac}`) };
}

const callbackIn = (text: string): string =>
  /http:\/\/\S+?\/notification\/callback\?nonce=[\w.-]+/.exec(text)?.[0] ?? '';

function optionsFor({ system, label }: Flow, url: string): Record<string, unknown> {
  const { bootFiles: _, installDisk: __, ...given } = accepted[system];
  const repo = system === 'esxi' ? { 'analyze-repo': { repo: url, version: '8' } } : {};
  return { [label]: { ...given, repo: url }, ...repo };
}

for (const flow of flows) {
  const { graph, label, booted, script, answers, system } = flow;
  test(`${graph}: a node boots its installer, fetches its answers, reports twice`, async (t) => {
    const { it, source } = t.context;
    const { id, get, profile } = await node(t);
    const { id: workflow } = await it.launch(graph, optionsFor(flow, source.url), id);
    await it.reached(workflow, label, 'waiting');
    const boot = await profile();
    t.regex(boot, script);
    const file = await get(answers.at.exec(boot)?.[1] ?? '');
    t.regex(file, answers.is);
    const all = system === 'esxi' ? await get(/ks=(\S+)/.exec(file)?.[1] ?? '') : file;
    const post = system === 'esxi' ? all : await get(/'?(http:\S+linux-post-install[^\s'"]*)/.exec(all)?.[1] ?? '');
    for (const text of [boot, all, post]) t.notRegex(text, /pa55/);
    await get(callbackIn(all));
    await it.reached(workflow, booted, 'waiting');
    t.regex(await profile(), /exit\n$/, 'a node that boots the network again boots its disk');
    const last = system === 'esxi' ? all.slice(all.indexOf('%firstboot')) : post;
    await get(callbackIn(last));
    const row = await it.finished(workflow);
    t.is(row.status, 'succeeded', JSON.stringify(row.error));
    t.deepEqual(row.output, { disk: '/dev/sda' });
    t.notRegex(
      JSON.stringify([row, await it.engine.workflows.history(workflow, { skip: 0, limit: 100, filter: {} })]),
      /pa55/,
    );
  });
}

test('an installer that reports a failure fails the workflow with its error', async (t) => {
  const { it } = t.context;
  const { id, get, profile } = await node(t);
  const { id: workflow } = await it.launch('Graph.InstallCentOS', { 'install-os': { ...usual, version: '9' } }, id);
  await it.reached(workflow, 'install-os', 'waiting');
  const file = await get(/inst\.ks=(\S+)/.exec(await profile())?.[1] ?? '');
  await get(`${callbackIn(file)}&status=failed&error=no+space`);
  const row = await it.finished(workflow);
  t.is(row.error?.code, 'INSTALL_FAILED');
  t.regex(row.error?.message ?? '', /no space/);
});

for (const [what, given, path] of [
  ['a disk that the node lacks', { installDisk: 3 }, 'options.install-os.installDisk'],
  ['no way to log in', { rootPassword: undefined, rootSshKey: undefined }, 'options.install-os.rootPassword'],
  ['a host name of two lines', { hostname: 'a\nrootpw x' }, 'options.install-os.hostname'],
] as const) {
  test(`a launch with ${what} is rejected`, async (t) => {
    const { it } = t.context;
    const { id } = await node(t);
    const options = { 'install-os': JSON.parse(JSON.stringify({ ...usual, ...given })) };
    const error = await t.throwsAsync(it.launch('Graph.InstallCentOS', options, id));
    t.like(error, { code: 'INVALID_OPTIONS' });
    t.true(JSON.stringify(error).includes(path), JSON.stringify(error));
  });
}

test('a source of ESXi without its boot files fails before the node is touched', async (t) => {
  const { it, source } = t.context;
  const { id } = await node(t);
  const options = {
    'analyze-repo': { repo: `${source.url}/none`, version: '8' },
    'install-os': { ...usual, installDisk: undefined },
  };
  const { id: workflow } = await it.launch('Graph.InstallESXi', JSON.parse(JSON.stringify(options)), id);
  const row = await it.finished(workflow);
  t.is(row.error?.code, 'INSTALL_REJECTED');
  t.is((await it.states(workflow)).reboot, 'cancelled');
});
