/** Event streams of BMCs that have the logs of their nodes read, on BMCs of twins. */
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { RedfishSessions } from '../../../../engine/hardware/obm/bmc-sessions.ts';
import { CircuitBreakers } from '../../../../engine/hardware/obm/circuit-breakers.ts';
import { RedfishAt } from '../../../../engine/hardware/obm/redfish-at.ts';
import { readEventStream } from '../../../../engine/hardware/obm/redfish-event-stream.ts';
import { EventStreams } from '../../../../engine/inventory/pollers/event-streams.ts';
import { pollerSpec, type StoredPoller } from '../../../../engine/inventory/pollers/stored-poller.ts';
import { Reconciler } from '../../../../engine/platform/lib/reconciler.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { eventStreamStates, type HoldBlock } from '../../../../engine/vocabulary/states.ts';
import { DAY_MS } from '../../../../engine/vocabulary/units.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { startTwinBmc } from '../../../support/bmcs/twin-bmc.ts';
import { openEngine } from '../../../support/engine/engine.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

test.serial('an entry is published soon after its event, once, at whatever interval the log is polled', async (t) => {
  const { config: bmc, machine } = await startTwinBmc(t);
  const it = await openEngine({ obm: { timeoutMs: 20_000, failures: 100 } });
  t.teardown(() => it.close());
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'redfish-obm-service', config: bmc });
  const command = `${machine.facts.model.tree.logOf}s.logservices` as const;
  await it.engine.pollers.create({ type: 'redfish', node, pollInterval: DAY_MS, config: { command } });
  machine.report('OK', 'before the stream');
  // Its first pass follows the stream.
  await it.engine.close();
  await it.open();
  const messages = () =>
    it.events
      .map(({ body }) => body as EventPayload)
      .filter(({ type }) => type === 'polleralert')
      .map(({ data }) => (data.alert as Record<string, string>).Message);
  await it.until(() => messages().length === 1);
  t.is(machine.followers.size, 1);
  // Only one of these readings can be that of the interval.
  machine.report('Critical', 'a fan failed');
  await it.until(() => messages().length === 2);
  machine.report('OK', 'a fan runs again');
  await it.until(() => messages().length === 3);
  t.deepEqual(messages(), ['before the stream', 'a fan failed', 'a fan runs again']);
  await it.engine.close();
  await it.until(() => machine.followers.size === 0);
  await it.open();
});

async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + WAIT_MS; !holds(); await setTimeout(20))
    if (performance.now() > end) throw new Error(`not within ${WAIT_MS} ms: ${holds}`);
}

/** Streams of the BMC of a twin, whose passes follow quickly. */
async function streamsOf(t: ExecutionContext, change: Partial<StoredPoller> = {}) {
  const twin = await startTwinBmc(t);
  const store = new MemoryStore();
  const stored = await store.collection<StoredPoller>(pollerSpec);
  const poller = { id: 'p1', type: 'redfish', node: 'n1', paused: false, config: { command: 'systems.logservices' } };
  await stored.insert({ ...poller, version: 1, ...change } as StoredPoller);
  const sessions = new RedfishSessions(WAIT_MS, () => {});
  t.teardown(() => sessions.close());
  const breakers = new CircuitBreakers({ concurrency: 2, failures: 100, backoffMs: 1, timeoutMs: WAIT_MS }, Date.now);
  const { uri: origin, username: user, password } = twin.config;
  const target = { origin, user, password, verifySSL: true, ca: undefined };
  const it = { polls: 0, passes: 0, isHolder: true, blocks: new Set<HoldBlock>() };
  const lease = { renew: async () => it.isHolder, release: async () => {} };
  const acquire = async () => (it.isHolder ? lease : undefined);
  const observe = () => {
    it.passes += 1;
  };
  const streams = new EventStreams(
    {
      stored,
      obms: { redfish: async () => new RedfishAt(target, undefined, { breakers, sessions, note: () => {} }) },
      holds: { blocksOn: async () => it.blocks },
      polls: {
        poll: async () => {
          it.polls += 1;
          return true;
        },
      },
      cluster: { reconciler: (port) => new Reconciler({ ...port, acquire, observe }) },
      failed: (error) => t.fail(String(error)),
    },
    20,
  );
  t.teardown(() => streams.close());
  return { ...twin, it, stored, streams };
}

const countsOf = (streams: EventStreams) => eventStreamStates.map((state) => streams.count(state));

test('a stream that ends is opened again, and the logs are read again; none is left when it closes', async (t) => {
  const { machine, drop, it, streams } = await streamsOf(t);
  streams.start();
  await until(() => it.polls === 1);
  t.deepEqual(countsOf(streams), [1, 0, 0]);
  machine.report('Critical', 'a fan failed');
  await until(() => it.polls === 2);
  drop();
  await until(() => it.polls === 3);
  t.is(machine.followers.size, 1);
  await streams.close();
  await until(() => machine.followers.size === 0);
});

test('a node is not followed in a hold that stops polls, and no longer when its poller is paused', async (t) => {
  const { machine, it, stored, streams } = await streamsOf(t);
  it.blocks.add('poll');
  streams.start();
  await until(() => it.passes > 2);
  t.deepEqual([machine.followers.size, countsOf(streams)], [0, [0, 1, 0]]);
  it.blocks.clear();
  await until(() => machine.followers.size === 1);
  await stored.update({ id: 'p1' }, { $set: { paused: true } });
  await until(() => machine.followers.size === 0);
});

test('a poller without streams, and a BMC whose events are off, are not followed', async (t) => {
  const off = await streamsOf(t, { config: { command: 'systems.logservices', stream: false } });
  const silenced = await streamsOf(t);
  silenced.state.bmc.isSilenced = true;
  for (const { machine, it, streams } of [off, silenced]) {
    streams.start();
    await until(() => it.passes > 2);
    t.is(machine.followers.size, 0);
    t.is(it.polls, 0);
    await until(() => streams.count('waiting') === 0);
  }
  t.deepEqual(
    [countsOf(off.streams), countsOf(silenced.streams)],
    [
      [0, 0, 0],
      [0, 0, 1],
    ],
  );
});

test('a process that loses the lease ends its streams, and counts none', async (t) => {
  const { machine, streams, it } = await streamsOf(t);
  streams.start();
  await until(() => machine.followers.size === 1);
  it.isHolder = false;
  await until(() => machine.followers.size === 0);
  const { passes } = it;
  await until(() => it.passes > passes + 2);
  t.is(machine.followers.size, 0);
  t.deepEqual(countsOf(streams), [0, 0, 0]);
});

test('events are counted in any parts of the stream, and metric reports are none; an endless one is an error, and a flood', async (t) => {
  const text = [
    ': begins',
    'id: 1\ndata: {"@odata.type":"#Event.v1_10_0.Event",\ndata: "Events":[]}',
    'data: {"@odata.type": "#MetricReport.v1_5_0.MetricReport"}',
    'id: 2\ndata: {"@odata.type":"#Event.v1_10_0.Event","Message":"ü"}',
    '',
  ].join('\n\n');
  const bytes = Buffer.from(text);
  for (const size of [1, 7, bytes.length]) {
    let events = 0;
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    await readEventStream(Readable.from(parts), () => {
      events += 1;
    });
    t.is(events, 2, `parts of ${size}`);
  }
  const endless = Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(64 * 1_024, 'data')));
  await t.throwsAsync(
    readEventStream(endless, () => t.fail()),
    { code: 'OBM_FAILED', message: /more than 1048576 bytes/ },
  );
  const flood = function* () {
    for (let n = 0; n < 2_000; n += 1) yield Buffer.alloc(64 * 1_024, 'x\n');
  };
  const began = process.cpuUsage();
  await t.throwsAsync(
    readEventStream(Readable.from(flood()), () => t.fail()),
    { code: 'OBM_FAILED', message: /events of more than 67108864 bytes/ },
  );
  t.true(process.cpuUsage(began).user < 60_000_000, 'a field that is unknown costs no error');
});
