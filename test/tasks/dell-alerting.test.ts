/** The alerts of Dell's machines, by a Redfish service with an iDRAC's extensions that records the settings. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { Idrac } from '../support/bmcs/idrac.ts';
import { type RedfishService, startRedfish } from '../support/bmcs/redfish.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const ALERTING_GRAPH = 'Graph.Dell.Configure.Redfish.Alerting';
const LABEL = 'redfish-subscribtion';
const SERVICE = 'redfish-obm-service';

test.before(async (t) => {
  t.context.it = await openEngine({ servicePublicIp: '10.9.8.7' });
});
test.after.always((t) => t.context.it?.close());

async function machine(t: T, obm = true): Promise<{ bmc: RedfishService; idrac: Idrac; node: string }> {
  const idrac = new Idrac();
  const bmc = await startRedfish(t, { vendor: idrac.answer });
  const { id: node } = await t.context.it.node();
  if (obm) await t.context.it.engine.obms.put(node, { service: SERVICE, config: bmc.config });
  return { bmc, idrac, node };
}

async function run(t: T, node: string, options: object = {}): Promise<WorkflowRow> {
  const { it } = t.context;
  return it.finished((await it.launch(ALERTING_GRAPH, options as Record<string, unknown>, node)).id);
}

const setting = ['EventFilters.SystemHealth.1/AMP_1_1', 'EventFilters.Storage.1/PDR_2_2'];
const more = ['EventFilters.Configuration.1/BIOS_3_3', 'EventFilters.Audit.1/USR_5_1'];

test('alerts are enabled, all but the audit information are forwarded, and this service is subscribed', async (t) => {
  const { bmc, idrac, node } = await machine(t);
  const { status, tasks } = await run(t, node);
  t.is(status, 'succeeded');
  t.deepEqual(idrac.done, [
    'IPMILan.1.AlertEnable Enabled',
    ...[...setting, ...more].map((one) => `${one} Enabled`),
    'EventFilters.Audit.1/USR_5_3 Disabled',
  ]);
  t.deepEqual(idrac.shutdowns, ['NoReboot', 'NoReboot']);
  t.deepEqual(bmc.done.all, ['subscribe 1']);
  t.like([...bmc.subscriptions.values()][0], { Destination: 'http://10.9.8.7:9080/api/2.0/notification/alerts' });
  const labels = ['enable-alerts', 'enable-redfish-alerts', 'disable-info-alerts', LABEL];
  t.deepEqual(
    tasks.map(({ label }) => label),
    labels,
  );
  t.deepEqual(tasks[2]?.output, { changed: ['EventFilters.Audit.1/USR_5_3#Alert#RedfishEventing'] });
});

test('a second launch changes nothing, and imports nothing', async (t) => {
  const { bmc, idrac, node } = await machine(t);
  await run(t, node);
  const [set, imports] = [idrac.done.length, idrac.shutdowns.length];
  const { tasks } = await run(t, node);
  t.deepEqual(tasks.map(({ output }) => output).slice(0, 3), [{ changed: false }, { changed: [] }, { changed: [] }]);
  t.is(idrac.done.length, set);
  t.is(idrac.shutdowns.length, imports);
  t.deepEqual(bmc.done.all, ['subscribe 1']);
});

test('attributes are set beside the manager on firmware that has them there', async (t) => {
  const { idrac, node } = await machine(t);
  idrac.isLinked = false;
  t.is((await run(t, node)).status, 'succeeded');
  t.is(idrac.attributes['IPMILan.1.AlertEnable'], 'Enabled');
});

test('with a BMC and credentials in the options each step uses them, and the secret is never shown', async (t) => {
  const { bmc, idrac, node } = await machine(t, false);
  const { username, password, uri } = bmc.config;
  const url = `${uri}/redfish/v1/EventService/Subscriptions`;
  const { id, status } = await run(t, node, { [LABEL]: { url, credential: { username, password } } });
  t.is(status, 'succeeded');
  t.is(idrac.attributes['IPMILan.1.AlertEnable'], 'Enabled');
  t.is(bmc.subscriptions.size, 1);
  const shown = await t.context.it.engine.workflows.get(id);
  t.false(JSON.stringify(shown).includes(password));
});

test('an iDRAC that is busy with another job is asked again', async (t) => {
  const { idrac, node } = await machine(t);
  idrac.rejections = 1;
  const { status, tasks } = await run(t, node);
  t.is(status, 'succeeded');
  t.is(tasks[1]?.attempts, 2);
});

test("an import that the iDRAC could not execute fails with the iDRAC's message, and nothing is subscribed", async (t) => {
  const { bmc, idrac, node } = await machine(t);
  idrac.importFails = true;
  const { status, error } = await run(t, node);
  t.is(status, 'failed');
  t.is(error?.code, 'OBM_FAILED');
  t.regex(error?.message ?? '', /ended as Exception, Critical: Unable to complete the import/);
  t.is(bmc.subscriptions.size, 0);
});

test('a BMC of another vendor is reported, and nothing is changed', async (t) => {
  const bmc = await startRedfish(t);
  const { id: node } = await t.context.it.node();
  await t.context.it.engine.obms.put(node, { service: SERVICE, config: bmc.config });
  const { status, error } = await run(t, node);
  t.is(status, 'failed');
  t.is(error?.code, 'OBM_UNSUPPORTED');
  t.deepEqual(bmc.done.all, []);
});
