/** Catalogs out of band, and discoveries with the options of RackHD's tasks, on the real engine and BMCs of twins. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { modelNames, startTwinBmc } from '../support/bmcs/twin-bmc.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const CATALOG = 'Graph.Redfish.Catalog';
const service = 'redfish-obm-service';
const sources = ['redfish-system', 'redfish-bios', 'redfish-chassis', 'redfish-manager', 'redfish-firmware'];

test.beforeEach(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 20_000 } });
});
test.afterEach.always((t) => t.context.it?.close());

interface Listed {
  label: string;
  base: string;
  options?: object;
}

/** Puts a graph of RackHD's base tasks, each after the one before. */
async function putGraph({ context: { it } }: T, name: string, ...tasks: Listed[]): Promise<string> {
  const injectableName = `Graph.Test.${name}`;
  await it.engine.library.putGraph({
    friendlyName: name,
    injectableName,
    tasks: tasks.map(({ label, base, options = {} }, n) => ({
      label,
      taskDefinition: {
        friendlyName: label,
        injectableName: `Task.Test.${label}`,
        implementsTask: `Task.Base.${base}`,
        optionsSchema: 'rackhd.json',
        options,
        properties: {},
      },
      ...(n > 0 && { waitOn: { [tasks[n - 1]?.label ?? '']: 'succeeded' } }),
    })),
  });
  return injectableName;
}

for (const model of modelNames)
  test.serial(`${model}: the catalogs of a node are read from its BMC again, and nothing else changes`, async (t) => {
    const { it } = t.context;
    const { config, machine } = await startTwinBmc(t, { model });
    const { id } = await it.node();
    await it.engine.obms.put(id, { service, config });
    const row = await it.finished((await it.launch(CATALOG, {}, id)).id);
    t.is(row.status, 'succeeded', JSON.stringify(row.error));
    t.deepEqual(row.output, { catalogs: sources });
    const { data } = (await it.engine.catalogs.latestOf(id, 'redfish-system')) ?? {};
    t.like(data, { SerialNumber: machine.facts.serial });
    t.deepEqual(it.of(id, 'discovered'), []);
  });

test.serial('jobs of WS-Man that only read are done by Redfish, with the options of RackHD', async (t) => {
  const { it } = t.context;
  const { config } = await startTwinBmc(t);
  const { id } = await it.node();
  await it.engine.obms.put(id, { service, config });
  const name = await putGraph(
    t,
    'Wsman',
    { label: 'inventory', base: 'Dell.Wsman.GetInventory', options: { verifySSL: false, domain: 'wsman' } },
    { label: 'bios', base: 'Dell.Wsman.GetBios', options: { target: '', verifySSL: false, domain: 'wsman' } },
    { label: 'parts', base: 'Dell.Wsman.GetSystemConfigComponents', options: { shutdownType: 0, componentNames: [] } },
    { label: 'all', base: 'General.Redfish.Catalog' },
  );
  const row = await it.finished((await it.launch(name, {}, id)).id);
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  for (const { output } of row.tasks) t.deepEqual(output, { catalogs: sources });
});

const discovery = [
  { label: 'range', base: 'Redfish.Ip.Range.Discovery', options: { ranges: [{ startIp: null, endIp: null }] } },
  { label: 'list', base: 'Redfish.Discovery.List', options: { username: null, password: null, verifySSL: false } },
  { label: 'catalog', base: 'General.Redfish.Catalog' },
  { label: 'lookups', base: 'Redfish.Update.Lookups' },
];

test.serial(
  'a range with credentials becomes nodes with obms, without a node and without repeating the reads',
  async (t) => {
    const { it } = t.context;
    const { config, url, machine } = await startTwinBmc(t);
    const name = await putGraph(t, 'Range', ...discovery);
    const { hostname: startIp, port } = new URL(url);
    const credentials = { userName: config.username, password: config.password };
    const ranges = [{ startIp, port: Number(port), protocol: 'http', credentials }];
    const row = await it.finished((await it.launch(name, { defaults: { ranges } })).id);
    t.is(row.status, 'succeeded', JSON.stringify(row.error));
    const [{ node = '' } = {}] = (row.tasks[0]?.output as { bmcs: { node: string }[] } | undefined)?.bmcs ?? [];
    t.like(await it.engine.nodes.find(node), { identifiers: [...machine.facts.macs].sort() });
    t.is((await it.finished((await it.launch('Graph.IdentifyOn.Node', {}, node)).id)).status, 'succeeded');
    t.false(JSON.stringify([row, it.events]).includes(config.password));
  },
);

test.serial('ranges that cannot be read as they are meant are rejected before anything is asked', async (t) => {
  const { it } = t.context;
  const name = await putGraph(t, 'Wrong', ...discovery);
  const credentials = { userName: 'u', password: 'a secret' };
  for (const [ranges, message] of [
    [undefined, /startIp: is missing/],
    [[], /ranges: has no range/],
    [[{ startIp: '10.1.1.1', endIp: '10.1.1.9' }], /ranges\.0\.credentials: is missing/],
    [[{ startIp: '10.1.1.9', endIp: '10.1.1.1', credentials }], /expected a range/],
    [[{ startIp: '10.1.0.0', endIp: '10.1.9.0', credentials }], /expected 256 at most/],
    [[{ startIp: '10.1.1.1', credentials, deviceTypesToDiscover: ['CHASSIS'] }], /found CHASSIS; expected SERVER/],
  ] as const)
    await t.throwsAsync(it.launch(name, { range: ranges === undefined ? {} : { ranges } }), { message });
  const alone = await putGraph(t, 'Alone', { label: 'list', base: 'Redfish.Discovery.List' });
  const row = await it.finished((await it.launch(alone, {}, (await it.node()).id)).id);
  t.like(row.error, { code: 'TEMPLATE_VALUE_MISSING' });
});

test.serial('a discovery by uri reads that service', async (t) => {
  const { it } = t.context;
  const { config, url } = await startTwinBmc(t);
  const options = { uri: null, username: null, password: null, verifySSL: false };
  const name = await putGraph(t, 'Uri', { label: 'one', base: 'Redfish.Discovery', options });
  const { username, password } = config;
  const row = await it.finished((await it.launch(name, { one: { uri: `${url}/redfish/v1`, username, password } })).id);
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  await t.throwsAsync(it.launch(name), { message: /no range; expected ranges with startIp and endIp, or a uri/ });
});

test.serial('an action of an obm that the launch gives is that of the definition, or it is rejected', async (t) => {
  const { it } = t.context;
  const { id } = await it.node();
  await it.engine.obms.put(id, { service: 'noop-obm-service', config: {} });
  const name = await putGraph(t, 'Action', { label: 'on', base: 'Obm.Node', options: { action: 'powerOn' } });
  await t.throwsAsync(it.launch(name, { on: { action: 'reset' } }, id), { message: /on\.action/ });
  t.is((await it.finished((await it.launch(name, { on: { action: 'powerOn' } }, id)).id)).status, 'succeeded');
});
