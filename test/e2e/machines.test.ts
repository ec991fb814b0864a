/** Machines under two daemons on one Redis and one MongoDB, one of which is killed: both know the same state. */
import type { ExecutionContext } from 'ava';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { startAgent } from '../support/bmcs/agent.ts';
import { Bay, type BayDrive } from '../support/bmcs/bay.ts';
import { withFirmware } from '../support/bmcs/firmware.ts';
import { noIpmiSim, startIpmiSim } from '../support/bmcs/ipmi-sim.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';
import { freePort } from '../support/servers/server.ts';
import { shared } from '../support/servers/shared-resources.ts';

const missing = ['setsid', 'curl'].filter((name) => onPath(name) === undefined);
const noTools = missing.length === 0 ? undefined : `${missing.join(', ')} not installed`;
const services = noRedis ?? noMongoDb;

interface Two {
  first: DaemonProcess;
  second: DaemonProcess;
  /** The southbound port of the first, fixed, so that an agent finds it again. */
  port: number;
}

const two = shared(async (file): Promise<Two> => {
  const redis = await startRedis();
  file.teardown(() => redis.stop());
  const mongodb = await openMongoDb();
  file.teardown(() => mongodb.stop());
  const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const port = await freePort();
  const first = await startDaemonProcess(file, { env, port });
  return { first, second: await startDaemonProcess(file, { env }), port };
});

const drives: BayDrive[] = [{ name: 'sda', wwn: '5000c500000000aa' }];
const eraseSettings = [{ disks: ['sda'], tool: 'hdparm' }];
const MACHINES_GRAPH = 'Graph.Machines.EraseAndReset';
/** Power is requested during the erase, and again when it is over. */
const graph = {
  friendlyName: 'Erase and reset',
  injectableName: MACHINES_GRAPH,
  tasks: [
    { label: 'erase', taskName: 'Task.Drive.SecureErase', optionOverrides: { eraseSettings } },
    { label: 'go', taskName: 'Task.Wait.Notification' },
    { label: 'reset', taskName: 'Task.Obm.Node.Reset', waitOn: { go: 'succeeded' }, ignoreFailure: true },
    { label: 'reset-later', taskName: 'Task.Obm.Node.Reset', waitOn: { erase: 'succeeded' } },
  ],
};

needing(services ?? noTools).serial(
  'a daemon dies while firmware erases: the other rejects power, and has the certificate',
  async (t) => {
    const { first, second, port } = await two();
    const bay = new Bay(t, drives);
    withFirmware(bay);
    bay.hold();
    const { body: node } = await first.api('POST', '/nodes', { type: 'compute', name: 'one' });
    await first.api('PUT', `/nodes/${node.id}/obm`, { service: 'noop-obm-service', config: {} });
    await first.southbound('POST', `/nodes/${node.id}/catalogs`, {
      source: 'driveId',
      data: { ...bay.catalog(drives) },
    });
    t.is((await first.api('PUT', '/workflows/graphs', graph)).status, 201);
    const { status, body: workflow } = await first.api('POST', `/nodes/${node.id}/workflows?name=${MACHINES_GRAPH}`);
    t.is(status, 201, JSON.stringify(workflow));
    startAgent(t, port, node.id, { env: bay.env });
    await seen(async () => bay.lines().length === 1);
    await first.kill('SIGKILL');
    t.true((await second.southbound('POST', `/notification?nodeId=${node.id}`)).status < 300);
    const reset = await seen(async () => {
      const { body } = await second.api('GET', `/workflows/${workflow.id}`);
      const task = body.tasks.find(({ label }: { label: string }) => label === 'reset');
      return task.state === 'failed' && task;
    });
    t.is(reset.error.code, 'NODE_INTERLOCKED');
    t.regex(reset.error.message, /sda \(hdparm\)/);
    bay.go();
    await first.start();
    const row = await ended(second, workflow.id);
    t.is(row.status, 'succeeded', JSON.stringify(row.tasks));
    t.is(bay.lines().length, 1);
    const found = [first, second].map(({ api }) => api('GET', `/workflows/${workflow.id}/certificate`));
    const [one, other] = (await Promise.all(found)).map(({ body }) => body);
    t.like(one.certificate, { operator: 'tester', sanitized: true, node: { id: node.id } });
    t.deepEqual(other, one);
  },
);

const [TEMPERATURE, THRESHOLD, CRITICAL] = [1, 1, 0x59];

/** A poller of a BMC, and the events of each entry of its log, by the record's number. */
async function polling(t: ExecutionContext, { api }: DaemonProcess) {
  const sim = await startIpmiSim(t);
  const { url, posted } = await startReceiver(t);
  const { body: node } = await api('POST', '/nodes', { type: 'compute', name: 'two' });
  await api('PUT', `/nodes/${node.id}/obm`, { service: 'ipmi-obm-service', config: sim.config });
  await api('POST', '/hooks', { url, filters: [{ type: 'polleralert' }] });
  const poller = { type: 'ipmi', node: node.id, pollInterval: 1_000, config: { command: 'sel', alerts: [] } };
  t.is((await api('POST', '/pollers', poller)).status, 201);
  const events = () => {
    const ids = new Map<string, Set<string>>();
    for (const { event, headers } of posted.all) {
      const { alert } = event.data as { alert: Record<string, string> };
      const record = alert['SEL Record ID'] as string;
      ids.set(record, (ids.get(record) ?? new Set()).add(String(headers['x-nodewright-event'])));
    }
    return ids;
  };
  return {
    log: () => sim.log(TEMPERATURE, THRESHOLD, CRITICAL),
    published: (count: number) => posted.until(() => events().size === count),
    eachOnce() {
      for (const [record, ids] of events()) t.is(ids.size, 1, record);
    },
  };
}

needing(services ?? noIpmiSim).serial(
  'a daemon that polls a BMC dies: the other publishes the new entries, each as one event',
  async (t) => {
    const { first, second } = await two();
    const { log, published, eachOnce } = await polling(t, first);
    await log();
    await published(1);
    await first.kill('SIGKILL');
    await log();
    await log();
    await published(3);
    await first.start();
    await second.kill('SIGTERM');
    await log();
    await published(4);
    eachOnce();
  },
);

needing(noIpmiSim).serial(
  'a daemon without services polls on after it was killed, and publishes the entries from the meantime',
  async (t) => {
    const daemon = await startDaemonProcess(t);
    const { log, published, eachOnce } = await polling(t, daemon);
    await log();
    await published(1);
    for (const count of [2, 3]) {
      await daemon.kill('SIGKILL');
      await log();
      await daemon.start();
      await published(count);
    }
    await log();
    await published(4);
    eachOnce();
  },
);
