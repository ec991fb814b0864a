/** Pollers of event logs, by the real ipmitool, on a BMC that OpenIPMI simulates. */
import plain, { type ExecutionContext } from 'ava';
import type { AlertRule, PollerRecord } from '../../../../engine/api-port/index.ts';
import { type PollerJob, PollerSchedule } from '../../../../engine/inventory/pollers/poller-schedule.ts';
import type { StoredPoller } from '../../../../engine/inventory/pollers/stored-poller.ts';
import type { NewJob, Queue } from '../../../../engine/platform/queue/port.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { needing } from '../../../support/ava/needs.ts';
import { noIpmiSim, startIpmiSim } from '../../../support/bmcs/ipmi-sim.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

const test = needing(noIpmiSim);
const [TEMPERATURE, THRESHOLD, OVER] = [1, 1, 0x81];
const [CRITICAL, NON_CRITICAL] = [0x59, 0x57];
const SOON_MS = 1_000;

const told = (it: TestEngine, poller: PollerRecord) =>
  it.events
    .filter(({ key }) => key.startsWith('polleralert.'))
    .map(({ body }) => body as EventPayload)
    .filter(({ typeId }) => typeId === poller.id);

const recordIds = (events: readonly EventPayload[]) =>
  events.map(({ data }) => Number.parseInt((data.alert as Record<string, string>)['SEL Record ID'] as string, 16));

async function polled(t: ExecutionContext, alerts: AlertRule[] = []) {
  const sim = await startIpmiSim(t);
  const it = await openEngine({ obm: { timeoutMs: 4_000, failures: 100 } });
  t.teardown(() => it.close());
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'ipmi-obm-service', config: sim.config });
  const create = () =>
    it.engine.pollers.create({ type: 'ipmi', node, pollInterval: SOON_MS, config: { command: 'sel', alerts } });
  return { sim, it, node, create };
}

const looked = (it: TestEngine, { id }: PollerRecord, holds: (poller: PollerRecord) => boolean) =>
  it.until(async () => holds((await it.engine.pollers.get(id)) as PollerRecord));

test.serial('each entry is published once, with its severity: existing entries and new ones', async (t) => {
  const { sim, it, node, create } = await polled(t, [{ 'Event Direction': '/^Deassertion/', severity: 'warning' }]);
  await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
  const poller = await create();
  await it.until(() => told(it, poller).length === 1);
  await sim.log(TEMPERATURE, THRESHOLD, NON_CRITICAL);
  await sim.log(TEMPERATURE, OVER, CRITICAL);
  await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
  await it.until(() => told(it, poller).length === 4);
  t.deepEqual(recordIds(told(it, poller)), [1, 2, 3, 4]);
  t.deepEqual(
    told(it, poller).map(({ severity }) => severity),
    ['critical', 'warning', 'warning', 'critical'],
  );
  t.is(
    it.events.find(({ key }) => key.startsWith('polleralert'))?.key,
    `polleralert.sel.updated.critical.${poller.id}.${node}`,
  );
  t.like(told(it, poller)[0], {
    type: 'polleralert',
    action: 'sel.updated',
    typeId: poller.id,
    nodeId: node,
    data: { nodeId: node, alert: { 'Sensor Type': 'Temperature', Description: 'Upper Critical going high' } },
  });
});

test.serial(
  'after a restart no entry is published again, and entries from the downtime are published once',
  async (t) => {
    const { sim, it, create } = await polled(t);
    for (let entries = 0; entries < 3; entries += 1) await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
    const poller = await create();
    await it.until(() => told(it, poller).length === 3);
    await it.engine.close();
    await sim.log(TEMPERATURE, THRESHOLD, NON_CRITICAL);
    await it.open();
    await it.until(() => told(it, poller).length === 4);
    await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
    await it.until(() => told(it, poller).length === 5);
    t.deepEqual(recordIds(told(it, poller)), [1, 2, 3, 4, 5]);
  },
);

test.serial('a cleared log is read from its beginning', async (t) => {
  const { sim, it, create } = await polled(t);
  for (let entries = 0; entries < 3; entries += 1) await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
  const poller = await create();
  await it.until(() => told(it, poller).length === 3);
  await sim.tool('sel', 'clear');
  for (let entries = 0; entries < 4; entries += 1) await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
  await it.until(() => told(it, poller).length === 7);
  await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
  await it.until(() => told(it, poller).length === 8);
  t.is(new Set(recordIds(told(it, poller))).size, 8);
});

test.serial('a BMC that does not answer is polled with growing back-off, and immediately after a change', async (t) => {
  const { sim, it, create } = await polled(t);
  const poller = await create();
  await looked(it, poller, ({ failureCount, lastError }) => failureCount === 0 && lastError === null);
  await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
  await it.until(() => told(it, poller).length === 1);
  sim.signal('SIGSTOP');
  await looked(it, poller, ({ failureCount }) => failureCount === 2);
  const { lastError, retryAt, updatedAt } = (await it.engine.pollers.get(poller.id)) as PollerRecord;
  t.is(lastError?.code, 'OBM_UNREACHABLE');
  t.true(Date.parse(retryAt as string) > Date.parse(updatedAt));
  sim.signal('SIGCONT');
  await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
  await it.engine.pollers.update(poller.id, { paused: false });
  await it.until(() => told(it, poller).length === 2);
  await looked(it, poller, ({ failureCount }) => failureCount === 0);
});

test.serial('a paused poller polls nothing, and the removal of a node deletes its pollers', async (t) => {
  const { sim, it, node, create } = await polled(t);
  const poller = await create();
  await it.engine.pollers.update(poller.id, { paused: true });
  await sim.log(TEMPERATURE, THRESHOLD, CRITICAL);
  const other = await it.node();
  await it.engine.obms.put(other.id, { service: 'ipmi-obm-service', config: sim.config });
  const control = await it.engine.pollers.create({ type: 'ipmi', node: other.id, pollInterval: SOON_MS });
  await it.until(() => told(it, control).length === 1);
  await it.engine.pollers.update(poller.id, { paused: false });
  await it.until(() => told(it, poller).length === 1);
  t.true(await it.engine.nodes.remove(node));
  t.is(await it.engine.pollers.get(poller.id), undefined);
});

/** A schedule on a queue that records its calls. */
function recorded() {
  const repeats: { everyMs: number; firstMs: number }[] = [];
  const added: NewJob<PollerJob>[] = [];
  const queue: Pick<Queue<PollerJob>, 'repeat' | 'add'> = {
    async repeat(_id, _data, everyMs, firstMs) {
      repeats.push({ everyMs, firstMs });
    },
    async add(jobs) {
      added.push(...jobs);
    },
  };
  return { repeats, added, schedule: new PollerSchedule(queue as Queue<PollerJob>) };
}

const pollerOf = (pollInterval: number) => ({ id: crypto.randomUUID(), pollInterval }) as StoredPoller;

plain('the first polls of pollers with one interval are spread over it', async (t) => {
  const { repeats, schedule } = recorded();
  for (let at = 0; at < 2_000; at += 1) await schedule.schedule(pollerOf(60_000));
  const tenths = Array.from(
    { length: 10 },
    (_, tenth) => repeats.filter(({ firstMs }) => Math.ceil(firstMs / 6_000) === tenth + 1).length,
  );
  for (const count of tenths) t.true(count > 100 && count < 300);
});

plain.serial('a schedule that is made again has the times of the lost one', async (t) => {
  const machine = Date.now;
  const { repeats, schedule } = recorded();
  const poller = pollerOf(86_400_000);
  const starts = [0, 1, 3_600_000, 80_000_000, 86_399_999, 400_000_000].map((ms) => machine() + ms);
  for (const start of starts) {
    Date.now = () => start;
    await schedule.restore(poller);
  }
  Date.now = machine;
  const [first = 0, ...others] = repeats.map(({ firstMs }, index) => (starts[index] as number) + firstMs);
  for (const other of others) t.is((other - first) % poller.pollInterval, 0);
  for (const { firstMs } of repeats) t.true(firstMs > 0 && firstMs <= poller.pollInterval);
});

plain('a poller with a lost schedule polls within a minute, because it may have missed a poll', async (t) => {
  const { added, schedule } = recorded();
  const [daily, frequent] = [pollerOf(86_400_000), pollerOf(60_000)];
  await schedule.restore(daily);
  await schedule.restore(frequent);
  t.like(added, [{ id: daily.id, data: { poller: daily.id } }]);
  t.is(added.length, 1);
  t.true((added[0]?.delayMs ?? 60_000) < 60_000);
});
