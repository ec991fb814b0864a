/** A service is killed and comes back 20 s later, under two daemons at work. */
import { setTimeout } from 'node:timers/promises';
import { fileScope } from '../support/file-scope.ts';
import { type Fleet, noFleet, type Servers, startFleet } from '../support/fleet.ts';
import { needing } from '../support/needing.ts';
import { outage } from '../support/outage.ts';

const test = needing(noFleet, 'mongodb');
const file = fileScope();
const AWAY_MS = 20_000;

let fleet: Promise<Fleet> | undefined;
const started = (): Promise<Fleet> => {
  fleet ??= startFleet(file, 2);
  return fleet;
};

async function away(name: keyof Servers): Promise<void> {
  const server = (await started())[name];
  await server.kill();
  await setTimeout(AWAY_MS);
  await server.start();
}

test.serial(
  'RabbitMQ is away: nobody notices but listeners, and they hear every start and end afterwards',
  async (t) => {
    t.timeout(180_000);
    const statuses = await outage(t, await started(), () => away('rabbitmq'));
    t.deepEqual(statuses, { 'launch on one': [201], 'launch on the other': [201], get: [200], notify: [201] });
  },
);

test.serial('MongoDB is away: clients get 503 in time, and what was answered 2xx is there and ends', async (t) => {
  t.timeout(180_000);
  const statuses = await outage(t, await started(), () => away('mongodb'));
  for (const [what, came] of Object.entries(statuses)) t.true(came.includes(503), what);
});

test.serial(
  'Redis is away: launches are taken or refused in time, and every one that was taken succeeds',
  async (t) => {
    t.timeout(180_000);
    const statuses = await outage(t, await started(), () => away('redis'));
    t.deepEqual(statuses.get, [200]);
  },
);
