/** A service is killed and restarted 12 s later, under two working daemons. */
import { setTimeout } from 'node:timers/promises';
import { needing } from '../support/ava/needs.ts';
import { outage } from '../support/faults/outage.ts';
import { noFleet, type Servers, startFleet } from '../support/servers/fleet.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noFleet, 'mongodb');
const AWAY_MS = 12_000;

const started = shared((file) => startFleet(file, 2));

async function away(name: keyof Servers): Promise<void> {
  const server = (await started())[name];
  await server.kill();
  await setTimeout(AWAY_MS);
  await server.start();
}

test.serial(
  'an outage of RabbitMQ affects only listeners, and they receive every start and end afterwards',
  async (t) => {
    const statuses = await outage(t, await started(), () => away('rabbitmq'));
    t.deepEqual(statuses, { 'launch on one': [201], 'launch on the other': [201], get: [200], notify: [201] });
  },
);

test.serial(
  'during an outage of MongoDB clients get 503 in time, and every request that was answered 2xx is kept and ends',
  async (t) => {
    const statuses = await outage(t, await started(), () => away('mongodb'));
    for (const [what, came] of Object.entries(statuses)) t.true(came.includes(503), what);
  },
);

test.serial(
  'during an outage of Redis clients get 503 in time, and every request that was answered 2xx is kept and ends',
  async (t) => {
    const statuses = await outage(t, await started(), () => away('redis'));
    for (const [what, came] of Object.entries(statuses)) t.true(came.includes(503), what);
  },
);
