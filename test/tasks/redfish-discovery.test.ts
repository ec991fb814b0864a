/** Graph.Redfish.Discovery on the real engine and BMCs of twins: known and new ones, hostile ones, and a killed daemon. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { modelNames, startTwinBmc } from '../support/bmcs/twin-bmc.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const DISCOVERY = 'Graph.Redfish.Discovery';
const service = 'redfish-obm-service';
const sources = ['redfish-system', 'redfish-bios', 'redfish-chassis', 'redfish-manager', 'redfish-firmware'];

test.beforeEach(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 20_000 } });
});
test.afterEach.always((t) => t.context.it?.close());

interface Bmc {
  address: string;
  node: string;
  isNew: boolean;
  sku: string | null;
  error?: { code: string; message: string };
}

async function discovered({ context: { it } }: T, discover: object, node: string | null = null) {
  const row = await it.finished((await it.launch(DISCOVERY, { discover }, node)).id);
  return { row, bmcs: (row.output as { bmcs: Bmc[] } | null)?.bmcs ?? [] };
}

const reasonOf = ({ status, error }: WorkflowRow) => `${status} ${JSON.stringify(error)}`;

/** @returns the origin of a server that answers so */
async function served(t: T, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

for (const model of modelNames)
  test.serial(
    `${model}: a new BMC becomes a node with catalogs, a SKU and an obm; PXE finds the same node`,
    async (t) => {
      const { it } = t.context;
      const { machine, url, config } = await startTwinBmc(t, { model });
      const { manufacturer } = machine.facts.model;
      const rules = [{ path: 'redfish-system.Manufacturer', equals: manufacturer }];
      const { id: sku } = await it.engine.skus.create({ name: model, rules });
      const { username, password } = config;
      const given = { addresses: [url], newHosts: true, credential: { username, password } };
      const { row, bmcs } = await discovered(t, given);
      t.is(row.status, 'succeeded', reasonOf(row));
      const [{ node = '' } = {}] = bmcs;
      t.deepEqual(bmcs, [{ address: url, node, isNew: true, sku, catalogs: sources }] as object[]);
      const record = await it.engine.nodes.find(node);
      t.like(record, { type: 'compute', sku, identifiers: [...machine.facts.macs].sort(), active: null });
      const { data } = (await it.engine.catalogs.latestOf(node, 'redfish-system')) ?? {};
      t.like(data, {
        SerialNumber: machine.facts.serial,
        Memory: [{ MemoryType: 'DRAM' }],
        Storage: [{ Drives: [{ Id: 'Bay.0' }] }],
      });
      const firmware = await it.engine.catalogs.latestOf(node, 'redfish-firmware');
      t.true(JSON.stringify(firmware?.data).includes('"Version"'));
      t.is(it.of(node, 'discovered').length, 1);
      t.false(JSON.stringify([row, it.events, record]).includes(password));
      const [mac = ''] = machine.facts.macs;
      t.is((await it.engine.discovery.register({ macs: [mac], ips: [''], from: '10.2.0.9' })).id, node);
      t.is((await it.finished((await it.launch('Graph.IdentifyOn.Node', {}, node)).id)).status, 'succeeded');

      const again = await discovered(t, { addresses: [url] });
      t.like(again.bmcs[0], { node, isNew: false, sku });
    },
  );

test.serial(
  'only addresses that an obm has are asked, unless new ones are allowed; nothing is sent to others',
  async (t) => {
    const { it } = t.context;
    let requests = 0;
    const stranger = await served(t, (_, response) => {
      requests += 1;
      response.end('{}');
    });
    const credential = { username: 'root', password: 'a secret' };
    const { row } = await discovered(t, { addresses: [stranger], credential });
    t.like(row.error, { code: 'BMC_UNKNOWN' });
    t.is(requests, 0);

    const asked = await discovered(t, { addresses: [stranger], newHosts: true, credential });
    t.like(asked.row.error, { code: 'OBM_UNSUPPORTED' });
    t.is(requests, 1);
    for (const [discover, message] of [
      [{}, /no node|without a node/],
      [{ addresses: ['10.1.1.1'], newHosts: true }, /newHosts needs one/],
      [{ addresses: ['10.1.0.0/16'] }, /expected 256/],
    ] as const)
      await t.throwsAsync(it.launch(DISCOVERY, { discover }), { message });
    t.is((await it.engine.nodes.list({ filter: {}, skip: 0, limit: 5 })).total, 0);
  },
);

test.serial('a BMC that fails is reported beside those that are read; on a node its own BMC is read', async (t) => {
  const { it } = t.context;
  const { config, url } = await startTwinBmc(t);
  const { id } = await it.node();
  await it.engine.obms.put(id, { service, config });
  const { row, bmcs } = await discovered(t, { addresses: ['127.9.9.9', url] });
  t.is(row.status, 'succeeded', reasonOf(row));
  t.like(bmcs[0], { address: '127.9.9.9', error: { code: 'BMC_UNKNOWN' } });
  t.like(bmcs[1], { node: id, isNew: false });
  const own = await discovered(t, {}, id);
  t.like(own.bmcs[0], { node: id, isNew: false });
});

test.serial('a BMC that lists without end, or answers too late, ends within its budget', async (t) => {
  const { it } = t.context;
  let isSlow = false;
  const origin = await served(t, ({ url: path = '' }, response) => {
    const id = '/redfish/v1/Systems/1';
    const loop = Array.from({ length: path.endsWith('/v1/') ? 0 : 5_000 }, () => ({ '@odata.id': `${id}/Storage` }));
    const members = path.endsWith('/Systems') ? [{ '@odata.id': id }] : loop;
    const body = { '@odata.id': path, RedfishVersion: '1', Systems: {}, Storage: loop, Members: members };
    response.setHeader('content-type', 'application/json');
    if (!isSlow || path.endsWith('/v1/')) response.end(JSON.stringify(body));
  });
  const given = { addresses: [origin], newHosts: true, credential: { username: 'u', password: 'a secret' } };
  const { row } = await discovered(t, given);
  t.like(row.error, { code: 'OBM_FAILED' });
  t.regex(row.error?.message ?? '', /more than \d+ (resources|bytes)/);
  isSlow = true;
  const late = await discovered(t, { ...given, budgetSec: 1 });
  t.like(late.row.error, { code: 'TASK_TIMEOUT' });
  t.is((await it.engine.nodes.list({ filter: {}, skip: 0, limit: 5 })).total, 0);
});
