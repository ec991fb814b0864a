/** Several processes take steps of the same rows at full speed, which are recorded and come to rest in the meantime. */
import { setTimeout } from 'node:timers/promises';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { newRow } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { startChild } from '../../../support/faults/child.ts';
import { countOf, openRaced, type Race, type Raced } from '../../../support/faults/racing-child.ts';
import { noMongoDb, openMongoDb } from '../../../support/servers/mongodb.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';

const test = needing(noRedis ?? noMongoDb, 'mongodb');
const RACERS = ['one', 'two', 'three'];
const ROWS = 8;
const RUN_MS = 6_000;

test.serial('of the steps that several processes take of the same rows, each answered one is saved once', async (t) => {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const urls = { redis: redis.url, mongodb: mongodb.url };
  const { live, close } = await openRaced(urls);
  t.teardown(close);
  const rows: WorkflowRow[] = Array.from({ length: ROWS }, () => ({ ...newRow(), pending: false, pendingEffects: [] }));
  await live.insert(rows);
  const ids = rows.map(({ id }) => id);
  const children = RACERS.map((racer) => {
    const race: Race = { ...urls, ids, racer };
    return startChild("await import('./test/support/faults/racing-child.ts')", { RACE: JSON.stringify(race) });
  });
  t.teardown(() => Promise.all(children.map((child) => child.kill('SIGKILL'))));
  for (const child of children) t.is(await child.line(), 'ready');
  for (const child of children) child.say('begin');
  await setTimeout(RUN_MS);
  for (const child of children) child.say('end');
  const raced = await Promise.all(children.map(async (child) => JSON.parse((await child.line()) ?? '{}') as Raced));
  let [steps, rested] = [0, 0];
  for (const { id } of rows) {
    const row = (await live.get(id)) as WorkflowRow;
    for (const [n, { answered }] of raced.entries()) {
      t.is(countOf(row, RACERS[n] as string), answered[id] as number, `${id} ${RACERS[n]}`);
      steps += answered[id] as number;
    }
  }
  for (const one of raced) rested += one.rested;
  t.log(`${steps} steps, ${rested} rests`);
  t.true(steps > ROWS * RACERS.length && rested > ROWS);
});
