/** Connections to a service hang instead of closing, under two working daemons: then they resume, or are cut. */
import { setTimeout } from 'node:timers/promises';
import { needing } from '../support/ava/needs.ts';
import { outage } from '../support/faults/outage.ts';
import { noFleet, type Servers, startFleet } from '../support/servers/fleet.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noFleet, 'mongodb');
/** Longer than a lock of the queue lasts, and than any answer may take. */
const HANG_MS = 12_000;

const started = shared((file) => startFleet(file, 2, { proxied: true }));

async function hangs(name: keyof Servers, end: 'resume' | 'cut'): Promise<void> {
  const proxy = (await started()).proxies?.[name];
  proxy?.hang();
  await setTimeout(HANG_MS);
  proxy?.resume();
  if (end === 'cut') proxy?.cut();
}

test.serial(
  'while MongoDB hangs clients get 503 in time, nothing is lost, and no once activity runs twice',
  async (t) => {
    const statuses = await outage(t, await started(), () => hangs('mongodb', 'resume'));
    for (const [what, came] of Object.entries(statuses)) t.true(came.includes(503), what);
  },
);

test.serial(
  'a hang of Redis and a cut of its connections let every workflow succeed, and no once activity runs twice',
  async (t) => {
    const statuses = await outage(t, await started(), () => hangs('redis', 'cut'));
    for (const [what, came] of Object.entries(statuses)) t.true(came.includes(503), what);
  },
);

test.serial(
  'a hang of RabbitMQ and a cut of its connections affect only listeners, which receive all events',
  async (t) => {
    const statuses = await outage(t, await started(), () => hangs('rabbitmq', 'cut'));
    t.deepEqual(statuses, { 'launch on one': [201], 'launch on the other': [201], get: [200], notify: [201] });
  },
);
