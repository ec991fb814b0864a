/** Tasks and graphs of power on the real engine, with BMCs that record their commands. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { NodeRecord } from '../../engine/api-port/index.ts';
import type { ObmService } from '../../engine/define/node.ts';
import { bmcRetry } from '../../engine/define/obm-tasks.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { needing } from '../support/ava/needs.ts';
import { freePort, type IpmiSim, noIpmiSim, startIpmiSim } from '../support/bmcs/ipmi-sim.ts';
import { startRedfish } from '../support/bmcs/redfish.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
const withSim = needing(noIpmiSim) as Pick<TestFn<{ it: TestEngine }>, 'serial'>;
type T = ExecutionContext<{ it: TestEngine }>;

const IPMI = 'ipmi-obm-service';
const limits = { timeoutMs: 8_000, failures: 2, backoffMs: 12_000 };

/** Its wait needs no BMC. */
const WITHOUT_BMC = 'Graph.Test.Waits';

test.before(async (t) => {
  t.context.it = await openEngine({ obm: limits });
  const tasks = [{ label: 'wait', taskName: 'Task.Wait.Notification' }];
  await t.context.it.engine.library.putGraph({ friendlyName: 'Waits', injectableName: WITHOUT_BMC, tasks });
});
test.after.always((t) => t.context.it?.close());

async function nodeWith(t: T, service: ObmService, config: Record<string, unknown>): Promise<NodeRecord> {
  const node = await t.context.it.node();
  await t.context.it.engine.obms.put(node.id, { service, config });
  return node;
}

async function run(t: T, graph: string, node: string, options = {}): Promise<WorkflowRow> {
  const { it } = t.context;
  return it.finished((await it.launch(graph, options, node)).id);
}

/** A node with a BMC of its own. */
async function machine(t: T): Promise<{ sim: IpmiSim; node: string }> {
  const sim = await startIpmiSim(t);
  return { sim, node: (await nodeWith(t, IPMI, sim.config)).id };
}

withSim.serial('each graph of power does what its name says, once', async (t) => {
  const { sim, node } = await machine(t);
  const expected: [string, string[], 'on' | 'off'][] = [
    ['Graph.PowerOn.Node', ['power 1'], 'on'],
    ['Graph.Reset.Node', ['reset 1'], 'on'],
    ['Graph.Reboot.Node', ['power 0', 'power 1'], 'on'],
    ['Graph.PowerOff.Node', ['power 0'], 'off'],
    ['Graph.Reboot.Node', ['power 0', 'power 1'], 'on'],
  ];
  for (const [graph, ledger, power] of expected) {
    sim.forget();
    t.is((await run(t, graph, node)).status, 'succeeded', graph);
    t.deepEqual(sim.ledger, ledger, graph);
    t.is(sim.power, power, graph);
  }
});

withSim.serial('the other tasks reach the BMC with their arguments', async (t) => {
  const { sim, node } = await machine(t);
  const names = ['PxeBoot', 'DiskBoot', 'IdentifyOn', 'IdentifyOff', 'ClearSEL'];
  await t.context.it.engine.library.putGraph({
    friendlyName: 'Others',
    injectableName: 'Graph.Test.Others',
    options: { defaults: { obmServiceName: null }, PxeBoot: { persistent: true } },
    tasks: names.map((label, n) => ({
      label,
      taskName: `Task.Obm.Node.${label}`,
      ...(n > 0 && { waitOn: { [names[n - 1] as string]: 'succeeded' } }),
    })),
  });
  const row = await run(t, 'Graph.Test.Others', node);
  t.is(row.status, 'succeeded');
  t.deepEqual(row.tasks[0]?.output, { service: IPMI });
  t.deepEqual(sim.ledger, ['boot pxe', 'boot default', 'identify 0 1', 'identify 0 0']);
  t.regex(await sim.tool('sel', 'info'), /Entries\s+: 0/);
});

withSim.serial('a power off without force requests a shutdown of the operating system', async (t) => {
  const { sim, node } = await machine(t);
  sim.power = 'off';
  t.is((await run(t, 'Graph.PowerOff.Node', node, { poweroff: { force: false } })).status, 'succeeded');
  t.deepEqual(sim.ledger, ['shutdown 1']);
});

withSim.serial('a machine that does not change its state fails the task run with that reason', async (t) => {
  const { sim, node } = await machine(t);
  sim.ignore();
  const { status, error } = await run(t, 'Graph.PowerOn.Node', node, { poweron: { timeoutMs: 1 } });
  t.is(status, 'failed');
  t.is(error?.code, 'OBM_UNCHANGED');
  t.regex(error?.message ?? '', /command to switch the node on to \S+, but the node is off/);
});

withSim.serial('a cancel during a command ends the workflow, frees the node, and nothing is sent again', async (t) => {
  const { sim, node } = await machine(t);
  const { it } = t.context;
  sim.hold();
  const { id } = await it.launch('Graph.Reboot.Node', {}, node);
  await sim.asked(1);
  await it.engine.control.cancel(id);
  t.is((await it.finished(id)).status, 'cancelled');
  sim.letGo();
  t.is((await run(t, 'Graph.PowerOn.Node', node)).status, 'succeeded');
  t.deepEqual(sim.ledger, ['power 0', 'power 1']);
});

withSim.serial('an unanswered reset is not sent again', async (t) => {
  const { sim, node } = await machine(t);
  sim.hold();
  const { error } = await run(t, 'Graph.Reset.Node', node);
  t.is(error?.code, 'OBM_UNANSWERED');
  t.regex(error?.message ?? '', /the command is not sent again/);
  t.deepEqual(sim.ledger, ['reset 1']);
});

withSim.serial(
  'a task run waits for a BMC with an open circuit, states the end of the wait, and the wait is not an attempt',
  async (t) => {
    const { sim, node } = await machine(t);
    const { it } = t.context;
    sim.signal('SIGSTOP');
    const { id } = await it.launch('Graph.PowerOn.Node', {}, node);
    await it.until(async () => (await it.get(id)).tasks[0]?.waitingOn === 'bmc');
    const [waiting] = (await it.get(id)).tasks;
    t.like(waiting, { state: 'waiting', attempts: 3, maxAttempts: bmcRetry.attempts, error: null });
    t.true(Date.parse(waiting?.nextAttemptAt ?? '') > Date.now());
    t.deepEqual(
      waiting?.attemptErrors?.map(({ attempt, code }) => [attempt, code]),
      [1, 2].map((attempt) => [attempt, 'OBM_UNREACHABLE']),
    );
    sim.signal('SIGCONT');
    const { status, tasks } = await it.finished(id);
    t.is(status, 'succeeded');
    t.like(tasks[0], { attempts: 3, waitingOn: null, nextAttemptAt: null });
    t.deepEqual(sim.ledger, ['power 1']);
  },
);

withSim.serial('retry-now begins the next attempt also while the circuit of the BMC is open', async (t) => {
  const { sim, node } = await machine(t);
  const { it } = t.context;
  sim.signal('SIGSTOP');
  const { id } = await it.launch('Graph.PowerOn.Node', {}, node);
  // After the second failure the circuit is open, and the third attempt would be due later.
  await it.until(async () => {
    const [task] = (await it.get(id)).tasks;
    return task?.attemptErrors?.length === 2 && task.waitingOn === 'retry';
  });
  sim.signal('SIGCONT');
  await it.engine.control.retryNow(id);
  const waits = new Set<unknown>();
  await it.until(async () => {
    const { status, tasks } = await it.get(id);
    waits.add(tasks[0]?.waitingOn);
    return status === 'succeeded';
  });
  t.false(waits.has('bmc'));
  t.deepEqual(sim.ledger, ['power 1']);
});

withSim.serial(
  'a task run that waits for its BMC is cancelled immediately, one that would time out first ends, and others on the node are stuck',
  async (t) => {
    const { sim, node } = await machine(t);
    const { it } = t.context;
    sim.signal('SIGSTOP');
    const { id } = await it.launch('Graph.PowerOn.Node', {}, node);
    await it.until(async () => (await it.get(id)).tasks[0]?.waitingOn === 'bmc');
    await it.engine.control.cancel(id);
    t.is((await it.get(id)).status, 'cancelled');
    const [onNode, onOther] = [
      await it.launch(WITHOUT_BMC, {}, node),
      await it.launch(WITHOUT_BMC, {}, (await it.node()).id),
    ];
    t.deepEqual(await it.engine.diagnosis.stuckWorkflows(), [onNode.id], 'it waits for something else');
    for (const waiting of [onNode, onOther]) await it.engine.control.cancel(waiting.id);
    const { error, tasks } = await run(t, 'Graph.PowerOn.Node', node, { poweron: { _taskTimeout: 1_000 } });
    t.is(error?.code, 'OBM_CIRCUIT_OPEN');
    t.regex(error?.message ?? '', /gave no answer 2 times in a row; no commands until \d{4}-/);
    t.is(tasks[0]?.attempts, 1);
  },
);

test.serial(
  'the same graphs do the same by Redfish, and a state that is already reached is not a failure',
  async (t) => {
    const bmc = await startRedfish(t);
    const { id } = await nodeWith(t, 'redfish-obm-service', bmc.config);
    for (const graph of ['Graph.PowerOn.Node', 'Graph.PowerOn.Node', 'Graph.Reboot.Node', 'Graph.Reset.Node']) {
      t.is((await run(t, graph, id)).status, 'succeeded', graph);
    }
    t.deepEqual(bmc.done.all, ['reset On', 'reset On', 'reset ForceOff', 'reset On', 'reset ForceRestart']);
    t.is(bmc.opened, 1);
  },
);

test.serial(
  'a noop obm accepts every command; a task run fails if the obm of its launch has been removed',
  async (t) => {
    const { id } = await nodeWith(t, 'noop-obm-service', {});
    t.is((await run(t, 'Graph.Reboot.Node', id)).status, 'succeeded');
    const { it } = t.context;
    const graph = { friendlyName: 'Late', injectableName: 'Graph.Test.Late' };
    const waitOn = { wait: 'succeeded' };
    await it.engine.library.putGraph({
      ...graph,
      tasks: [
        { label: 'wait', taskName: 'Task.Wait.Notification' },
        { label: 'reset', taskName: 'Task.Obm.Node.Reset', waitOn },
      ],
    });
    const late = await it.launch(graph.injectableName, {}, id);
    await it.reached(late.id, 'wait', 'waiting');
    const { items } = await it.engine.obms.list({ filter: { nodeId: id }, skip: 0, limit: 1 });
    await it.engine.obms.remove(items[0]?.id ?? '');
    await it.engine.notifications.notify({}, id);
    const { error } = (await it.finished(late.id)).tasks[1] ?? {};
    t.is(error?.code, 'OBM_MISSING');
    t.regex(error?.message ?? '', /has no obm; put one/);
    await it.engine.obms.put(id, { service: 'noop-obm-service' });
    await t.throwsAsync(nodeWith(t, IPMI, { host: 'bmc' }), { message: /config\.password/ }, 'it could never work');
    await t.throwsAsync(run(t, 'Graph.Reset.Node', id, { reset: { obmServiceName: 'amt-obm-service' } }));
  },
);

test.serial('a node with several obms is switched by the named one', async (t) => {
  const bmc = await startRedfish(t);
  const { id } = await nodeWith(t, 'redfish-obm-service', bmc.config);
  await t.context.it.engine.obms.put(id, { service: 'noop-obm-service' });
  await run(t, 'Graph.Reset.Node', id, { defaults: { obmServiceName: 'noop-obm-service' } });
  t.deepEqual(bmc.done.all, []);
  await run(t, 'Graph.Reset.Node', id, { defaults: { obmServiceName: null } });
  t.deepEqual(bmc.done.all, ['reset ForceRestart']);
});

test.serial('the record of a node has the power that its BMC last reported, to a workflow or to a user', async (t) => {
  const { engine } = t.context.it;
  const bmc = await startRedfish(t);
  const { id } = await nodeWith(t, 'redfish-obm-service', bmc.config);
  const stored = async () => (await engine.nodes.find(id))?.power;
  t.is(await stored(), undefined);
  await run(t, 'Graph.PowerOn.Node', id);
  t.is((await stored())?.state, 'on');
  bmc.power = 'Off';
  t.is((await engine.power.ask(id)).state, 'off');
  const off = await stored();
  t.is(off?.state, 'off');
  // Asked again within a minute: the time of the first answer stays. A state between the two is not stored.
  await engine.power.ask(id);
  bmc.power = 'PoweringOff';
  t.is((await engine.power.ask(id)).state, 'changing');
  t.deepEqual(await stored(), off);
  const page = { skip: 0, limit: 10, filter: { 'power.state': 'off', id } };
  t.is((await engine.nodes.list(page)).total, 1);
  const silent = { ...bmc.config, uri: `http://127.0.0.1:${await freePort()}/redfish` };
  await engine.obms.put(id, { service: 'redfish-obm-service', config: silent });
  await t.throwsAsync(engine.power.ask(id), { code: 'UNAVAILABLE', message: /OBM_UNREACHABLE/ });
  t.deepEqual(await stored(), off);
  const bare = await t.context.it.node();
  await t.throwsAsync(engine.power.ask(bare.id), { code: 'CONFLICT', message: /OBM_MISSING/ });
});

const CREATE = 'Graph.Obm.Ipmi.CreateSettings';

withSim.serial('an IPMI obm is created from the bmc catalog and tested, and its password is never shown', async (t) => {
  const { it } = t.context;
  const sim = await startIpmiSim(t);
  const { user, password, port } = sim.config;
  const { id } = await it.node();
  await it.engine.catalogs.add(id, 'bmc', { 'IP Address': '127.0.0.1', 'MAC Address': '02:00:00:00:00:01' });
  const row = await run(t, CREATE, id, { 'create-ipmi-obm-settings': { user, password, port } });
  t.is(row.status, 'succeeded');
  t.deepEqual(row.tasks[0]?.output, { service: IPMI, host: '127.0.0.1', power: 'off' });
  const { items } = await it.engine.obms.list({ filter: { nodeId: id }, skip: 0, limit: 10 });
  t.deepEqual(items[0]?.config, { host: '127.0.0.1', user, password: 'REDACTED', port });
  t.false(JSON.stringify([row.options, row.tasks, it.events]).includes(password));
  t.is((await run(t, 'Graph.PowerOn.Node', id)).status, 'succeeded');
  t.is(sim.power, 'on');
});

withSim.serial('an IPMI obm that does not work is kept as written, and the workflow reports both', async (t) => {
  const { it } = t.context;
  const sim = await startIpmiSim(t);
  const { id } = await it.node();
  await it.engine.catalogs.add(id, 'bmc-8', { 'IP Address': '127.0.0.1' });
  const { port } = sim.config;
  const options = { defaults: { user: 'root', password: 'moe', ipmichannel: 8, port } };
  const { status, error } = await run(t, CREATE, id, options);
  t.is(status, 'failed');
  t.is(error?.code, 'OBM_REJECTED');
  t.regex(error?.message ?? '', /the obm was written, with the BMC at 127\.0\.0\.1, but its test failed/);
  t.is((await it.engine.nodes.find(id))?.obms[0]?.service, IPMI);
});

withSim.serial('a BMC without an address in its catalog is found by its MAC, if lookups contain it', async (t) => {
  const { it } = t.context;
  const sim = await startIpmiSim(t);
  const { user, password, port } = sim.config;
  const { id } = await it.node();
  await it.engine.catalogs.add(id, 'rmm', { 'IP Address': '0.0.0.0', 'MAC Address': '02:00:00:00:AA:01' });
  await it.engine.lookups.create({ macAddress: '02:00:00:00:AA:01', ipAddress: '127.0.0.1' });
  const row = await run(t, CREATE, id, { defaults: { user, password, port, ipmichannel: '3' } });
  t.like(row.tasks[0]?.output, { host: '02:00:00:00:AA:01', power: 'off' });
});

test.serial('without a catalog, or with a catalog without an address, no obm is created', async (t) => {
  const { it } = t.context;
  const { id } = await it.node();
  const options = { defaults: { user: 'root', password: 'x', port: await freePort() } };
  for (const data of [undefined, { 'IP Address': '0.0.0.0' }]) {
    if (data !== undefined) await it.engine.catalogs.add(id, 'bmc', data);
    const { error } = await run(t, CREATE, id, options);
    t.is(error?.code, 'BMC_UNKNOWN');
    t.regex(error?.message ?? '', /the catalog bmc of the node/);
  }
  t.deepEqual((await it.engine.nodes.find(id))?.obms, []);
  await t.throwsAsync(it.launch(CREATE, {}, id), { message: /user/ });
});
