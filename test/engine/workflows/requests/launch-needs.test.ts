/** A launch that must fail for lack of an obm is rejected; a launch that may still succeed is not. */
import { readdirSync } from 'node:fs';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { ObmService } from '../../../../engine/define/node.ts';
import type { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openEngine();
});
test.after.always((t) => t.context.it?.close());

const IPMI = 'ipmi-obm-service';
const REDFISH = 'redfish-obm-service';
const RESET = { label: 'reset', taskName: 'Task.Obm.Node.Reset' };
const CREATE = { label: 'create', taskName: 'Task.Obm.Ipmi.CreateSettings' };
const credentials = { user: 'root', password: 'x' };

let graphs = 0;

async function put(t: T, tasks: object[]): Promise<string> {
  graphs += 1;
  const injectableName = `Graph.Test.Needs${graphs}`;
  await t.context.it.engine.library.putGraph({ friendlyName: 'Needs', injectableName, tasks });
  return injectableName;
}

const config = { host: '127.0.0.1', user: 'u', password: 'p' };

async function node(t: T, ...services: ObmService[]): Promise<string> {
  const { it } = t.context;
  const { id } = await it.node();
  for (const service of services) await it.engine.obms.put(id, { service, config });
  return id;
}

/** Nothing is started: the node stays free. */
async function rejected(t: T, graph: string, on: string | null, options = {}): Promise<string> {
  const { it } = t.context;
  const error = await t.throwsAsync(it.launch(graph, options, on), undefined, graph);
  t.like(error, { code: 'OBM_MISSING', status: 409 }, `${graph}: ${error?.message}`);
  if (on !== null) t.is(await it.engine.workflows.activeOn(on), undefined);
  return error?.message ?? '';
}

/** It is started, and ended by the test, unless it has ended by then. */
async function taken(t: T, graph: string, on: string | null, options = {}): Promise<void> {
  const { it } = t.context;
  const { id } = await it.launch(graph, options, on);
  await it.engine.control.cancel(id).catch((error) => t.is(error.code, 'WORKFLOW_ENDED'));
  await it.finished(id);
  t.pass();
}

const settings = { 'drive-secure-erase': { eraseSettings: [{ disks: ['sda'] }] } };

const install = { defaults: { version: '9', repo: 'http://10.1.1.1/os', rootPassword: 'r00t-pa55' } };
const image = 'http://10.1.1.1/image';
const volumes = [{ name: 'system', raid: 'RAID1', serials: ['S1', 'S2'] }];
const onRedfish = `an obm of ${REDFISH}`;

/** The requirement of each built-in graph. The list is complete. */
const shipped: Record<string, { needs?: string; options?: object }> = {
  'Graph.PowerOn.Node': { needs: 'an obm' },
  'Graph.PowerOff.Node': { needs: 'an obm' },
  'Graph.Reboot.Node': { needs: 'an obm' },
  'Graph.Reset.Node': { needs: 'an obm' },
  'Graph.Bmc.Reset': { needs: 'an obm' },
  'Graph.BurnIn': { needs: 'an obm' },
  'Graph.Drive.SecureErase': { needs: 'an obm', options: settings },
  'Graph.Redfish.Alert.Subscribe': { needs: onRedfish },
  'Graph.Redfish.Catalog': { needs: onRedfish },
  'Graph.Redfish.Discovery': { needs: onRedfish },
  'Graph.Dell.Configure.Redfish.Alerting': { needs: onRedfish },
  'Graph.Firmware.Update': { needs: onRedfish, options: { update: { image } } },
  'Graph.Firmware.Update.InBand': {
    needs: 'an obm',
    options: {
      update: { updates: [{ kind: 'nvme', model: 'ACME 1', version: '2', file: 'f', sha256: '0'.repeat(64) }] },
    },
  },
  'Graph.Bios.Configure': { needs: onRedfish, options: { configure: { attributes: { BootMode: 'Uefi' } } } },
  'Graph.Baseline.Apply': { needs: onRedfish, options: { compare: { bios: { BootMode: 'Uefi' } } } },
  'Graph.Raid.Plan.InBand': { needs: 'an obm', options: { plan: { volumes } } },
  'Graph.Raid.Configure.InBand': { needs: 'an obm', options: { configure: { volumes } } },
  'Graph.Raid.Plan': { needs: onRedfish, options: { plan: { volumes } } },
  'Graph.Raid.Configure': { needs: onRedfish, options: { configure: { volumes } } },
  'Graph.Raid.Clear': { needs: onRedfish },
  'Graph.Bmc.RotatePassword': { needs: 'an obm' },
  'Graph.Bmc.CreateAccount': {},
  'Graph.Snmp.Discovery': {},
  'Graph.Switch.ZeroTouch': {},
  'Graph.VirtualMedia.Boot': { needs: onRedfish, options: { insert: { image } } },
  'Graph.VirtualMedia.Eject': { needs: onRedfish },
  'Graph.IdentifyOn.Node': { needs: 'an obm' },
  'Graph.IdentifyOff.Node': { needs: 'an obm' },
  'Graph.InstallCentOS': { needs: 'an obm', options: install },
  'Graph.InstallRHEL': { needs: 'an obm', options: install },
  'Graph.InstallDebian': { needs: 'an obm', options: install },
  'Graph.InstallUbuntu': { needs: 'an obm', options: install },
  'Graph.InstallESXi': { needs: 'an obm', options: install },
  'Graph.InstallOs.Image': {
    needs: 'an obm',
    options: { 'write-image': { image, sha256: '0'.repeat(64), disk: 'sda', rootSshKey: 'ssh-ed25519 AAAA a' } },
  },
  'Graph.Obm.Ipmi.CreateSettings': { options: { defaults: credentials } },
  'Graph.SKU.Discovery': {},
  // A graph that they run may give the node an obm.
  'Graph.Reboot.Discovery': {},
  'Graph.Node.Commission': {},
  'Graph.Demo.InstallOs': {},
  'Graph.noop-example': {},
};

test('every built-in graph is rejected on a node without an obm if it needs one, and accepted otherwise', async (t) => {
  const { engine } = t.context.it;
  const files = readdirSync(new URL('../../../../graphs', import.meta.url)).filter((file) => file.endsWith('.ts'));
  const names = (await engine.library.graphs()).flatMap(({ injectableName, file }) =>
    files.includes(String(file)) ? [String(injectableName)] : [],
  );
  t.deepEqual(names.sort(), Object.keys(shipped).sort());
  for (const [name, { needs, options }] of Object.entries(shipped)) {
    const bare = await node(t);
    await engine.catalogs.add(bare, 'driveId', {
      0: { devName: 'sda', identifier: 0, linuxWwid: '/dev/disk/by-id/ata-a' },
    });
    if (needs === undefined) await taken(t, name, bare, options);
    else {
      const message = await rejected(t, name, bare, options);
      t.regex(
        message,
        new RegExp(`its task \\S+ needs ${needs}, but the node ${bare} has none; put one to /nodes/${bare}/obm`),
      );
      await engine.obms.put(bare, { service: needs === 'an obm' ? 'noop-obm-service' : REDFISH, config });
      await taken(t, name, bare, options);
    }
  }
});

test('an obm that the request names must exist; an obm that a template names is checked later', async (t) => {
  const one = await node(t, 'noop-obm-service');
  const named = (obmServiceName: unknown) => ({ defaults: { obmServiceName } });
  t.regex(
    await rejected(t, 'Graph.Reboot.Node', one, named(IPMI)),
    /needs an obm of ipmi-obm-service, .* only noop-obm/,
  );
  for (const name of [null, 'noop-obm-service', "{{ env.obm || 'ipmi-obm-service' }}"]) {
    await taken(t, 'Graph.Reboot.Node', one, named(name));
  }
});

test('a power graph without a node is rejected', async (t) => {
  t.regex(await rejected(t, 'Graph.Reset.Node', null), /names no node; launch it on a node/);
});

test('alerts need no obm when the request names the service and its credentials', async (t) => {
  const given = {
    url: 'http://127.0.0.1:1/redfish/v1/EventService/Subscriptions',
    credential: { username: 'a', password: 'b' },
  };
  for (const graph of ['Graph.Redfish.Alert.Subscribe', 'Graph.Dell.Configure.Redfish.Alerting']) {
    await taken(t, graph, await node(t), { 'redfish-subscribtion': given });
    await rejected(t, graph, await node(t, IPMI), { 'redfish-subscribtion': { url: given.url } });
  }
});

test('a list whose power task comes first, or follows on success, is rejected', async (t) => {
  const bare = await node(t);
  const first = { label: 'first', taskName: 'Task.noop' };
  await rejected(t, await put(t, [RESET]), bare);
  await rejected(t, await put(t, [first, { ...RESET, waitOn: { first: 'succeeded' } }]), bare);
  await rejected(t, await put(t, [first, { ...RESET, waitOn: { first: 'finished' } }]), bare);
});

test('a list that may succeed without its power task is accepted', async (t) => {
  const bare = await node(t);
  const first = { label: 'first', taskName: 'Task.noop' };
  const last = { label: 'last', taskName: 'Task.noop' };
  for (const tasks of [
    [{ ...RESET, ignoreFailure: true }],
    [RESET, { ...last, waitOn: { reset: 'finished' } }],
    [first, { ...RESET, waitOn: { first: 'failed' } }],
    [first, last, { ...RESET, waitOn: { anyOf: { first: 'failed', last: 'succeeded' } } }],
    [
      { ...first, ignoreFailure: true },
      { ...RESET, waitOn: { first: 'succeeded' } },
    ],
  ]) {
    await taken(t, await put(t, tasks), bare);
  }
});

test('a graph is accepted if an earlier task creates the obm, and rejected if a later task does', async (t) => {
  const options = { create: credentials };
  const earlier = await put(t, [CREATE, { ...RESET, waitOn: { create: 'succeeded' } }]);
  await taken(t, earlier, await node(t), options);
  await taken(t, await put(t, [CREATE, RESET]), await node(t), options);
  const later = await put(t, [{ ...CREATE, waitOn: { reset: 'succeeded' } }, RESET]);
  await rejected(t, later, await node(t), options);
  const other = { ...RESET, optionOverrides: { obmServiceName: REDFISH }, waitOn: { create: 'succeeded' } };
  await rejected(t, await put(t, [CREATE, other]), await node(t), options);
});

test('graphs that a task runs on the node are included, unless their names are only known later', async (t) => {
  const run = (graphName: string, more = {}) => ({
    label: 'run',
    taskName: 'Task.Graph.Run',
    optionOverrides: { graphName, ...more },
  });
  const inner = await put(t, [run('Graph.Reset.Node')]);
  await rejected(t, await put(t, [run(inner)]), await node(t));
  await taken(t, await put(t, [run("{{ env.graph || 'Graph.Reset.Node' }}")]), await node(t));
  await taken(t, await put(t, [run('Graph.Not.There')]), await node(t));
  await taken(t, await put(t, [run('Graph.Reset.Node', { nodeId: await node(t, IPMI) })]), await node(t));
  const after = { ...RESET, waitOn: { run: 'succeeded' } };
  const creates = run('Graph.Obm.Ipmi.CreateSettings', { graphOptions: { defaults: credentials } });
  await taken(t, await put(t, [creates, after]), await node(t));
  await taken(t, await put(t, [run("{{ env.graph || 'Graph.noop-example' }}"), after]), await node(t));
});

test('graphs that run each other without end are followed up to a limit, and accepted', async (t) => {
  const name = `Graph.Test.Needs${graphs + 1}`;
  const run = (label: string) => ({ label, taskName: 'Task.Graph.Run', optionOverrides: { graphName: name } });
  await put(t, [
    { ...run('one'), waitOn: { wait: 'succeeded' } },
    { ...run('two'), waitOn: { wait: 'succeeded' } },
    { label: 'wait', taskName: 'Task.Wait.Notification' },
  ]);
  await taken(t, name, await node(t));
});

test('a child that is launched while its parent runs is rejected the same way, and its task run states the reason', async (t) => {
  const { it } = t.context;
  const graph = await put(t, [{ label: 'run', taskName: 'Task.Graph.Run' }]);
  const { id } = await it.launch(graph, { run: { graphName: "{{ env.graph || 'Graph.Reset.Node' }}" } }, await node(t));
  const { status, tasks } = await it.finished(id);
  t.is(status, 'failed');
  t.is(tasks[0]?.error?.code, 'OBM_MISSING');
});

test('what a launch can know of options beside templates is checked: disks, URLs and addresses', async (t) => {
  const { it } = t.context;
  const id = await node(t, IPMI);
  await it.engine.catalogs.add(id, 'driveId', { 0: { devName: 'sda', identifier: 0, linuxWwid: '/dev/disk/by-id/a' } });
  const image = {
    image: 'http://10.1.1.1/a.img',
    sha256: '0'.repeat(64),
    disk: 'sda',
    rootSshKey: 'ssh-ed25519 AAAA a',
  };
  const device = { device: 'eno1', ipv4: { ipAddr: '10.1.1.9', netmask: '255.255.255.0' } };
  const install = { version: '9', rootPassword: 'r00t-pa55', networkDevices: [device] };
  const wrong: [graph: string, label: string, options: object, path: string][] = [
    ['Graph.InstallOs.Image', 'write-image', { ...image, disk: 'sdq' }, 'disk'],
    ['Graph.InstallOs.Image', 'write-image', { ...image, image: 'http://999.1.1.1/a.img' }, 'image'],
    ['Graph.InstallOs.Image', 'write-image', { ...image, rootSshKey: undefined }, 'rootPassword'],
    ['Graph.InstallCentOS', 'install-os', { ...install, repo: 'http://999.1.1.1/os' }, 'repo'],
    ['Graph.InstallCentOS', 'install-os', { ...install, dnsServers: ['999.1.1.1'] }, 'dnsServers.0'],
    ['Graph.InstallCentOS', 'install-os', { ...install, ntpServers: ['999.1.1.1'] }, 'ntpServers.0'],
    [
      'Graph.InstallCentOS',
      'install-os',
      { ...install, networkDevices: [{ ...device, ipv4: { ...device.ipv4, gateway: '999.1.1.1' } }] },
      'networkDevices.0.ipv4.gateway',
    ],
    [
      'Graph.InstallCentOS',
      'install-os',
      { ...install, networkDevices: [{ device: 'eno1', ipv6: { ipAddr: 'fd00:::9', prefixlen: 64 } }] },
      'networkDevices.0.ipv6.ipAddr',
    ],
  ];
  for (const [graph, label, given, path] of wrong) {
    const options = { [label]: JSON.parse(JSON.stringify(given)) };
    const error = await t.throwsAsync<NodewrightError>(it.launch(graph, options, id), { code: 'INVALID_OPTIONS' });
    t.is(error?.violations?.[0]?.path, `options.${label}.${path}`);
  }
  const open = { 'write-image': { ...image, disk: '{{ env.disk || context.disk }}' } };
  const { id: workflow } = await it.launch('Graph.InstallOs.Image', open, id);
  await it.engine.control.cancel(workflow);
  await it.finished(workflow);
});
