/** The rows of a backup are those of one moment, whatever moves between Redis and the documents before and after it. */
import { setTimeout } from 'node:timers/promises';
import { workflowKind } from '../../../../engine/durable/live/kinds.ts';
import { RedisRows } from '../../../../engine/durable/live/redis-rows.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { endedSince } from '../../../../engine/operations/backup/ended-since.ts';
import { whilePaused } from '../../../../engine/operations/backup/paused-writes.ts';
import { RowMoment } from '../../../../engine/operations/backup/row-moment.ts';
import type { RedisConnections } from '../../../../engine/platform/redis/redis-connections.ts';
import { newRow } from '../../../conformance/live.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { type Restless, restIdle, restless, startProcesses } from '../../../support/engine/live.ts';
import { noRedis } from '../../../support/servers/redis.ts';
import { shared } from '../../../support/servers/shared-resources.ts';

const redis = needing(noRedis);
const processesOf = shared(startProcesses);

const ACTIVE = { status: { $in: ['pending', 'running'] } };
const NAMES = ['rests', 'activated', 'ends', 'stays', 'leaves', 'late', 'ends late'] as const;
const ROW_COUNT = 30;

const idle = (row: WorkflowRow, history: number): WorkflowRow => ({
  ...row,
  pending: false,
  pendingEffects: [],
  counts: { taskRuns: 0, operations: 0, history, events: 0 },
});

/** Takes a step that counts itself, after the row was activated if it rests. */
async function count({ one }: Restless, id: string): Promise<void> {
  for (;;) {
    const row = (await one.get(id)) as WorkflowRow;
    const next = { ...row, version: row.version + 1, counts: { ...row.counts, history: row.counts.history + 1 } };
    if ((await one.save([{ before: row, row: next }]))[0] === true) return;
  }
}

async function end(live: Restless, id: string): Promise<void> {
  await count(live, id);
  const row = (await live.one.get(id)) as WorkflowRow;
  const finishedAt = new Date().toISOString();
  await live.one.settle([{ before: row, row: { ...row, version: row.version + 1, status: 'succeeded', finishedAt } }]);
}

redis.serial('each row is that of the moment, and none is of later', async (t) => {
  const { connections } = await processesOf();
  const live = await restless('moment', connections);
  const inserted = async (many: number) => {
    const rows = Array.from({ length: many }, () => idle(newRow(), 1));
    await live.one.insert(rows);
    return rows.map(({ id }) => id);
  };
  const of = Object.fromEntries(
    await Promise.all(NAMES.map(async (name) => [name, await inserted(ROW_COUNT)] as const)),
  ) as Record<(typeof NAMES)[number], string[]>;
  const over = await inserted(ROW_COUNT);
  for (const id of over) await end(live, id);
  await restIdle(live.one, 1_000);
  const inRedis = [...of.stays, ...of.leaves];
  for (const id of inRedis) await count(live, id);

  const since = new Date(Date.now() - 60_000).toISOString();
  const rows = new RedisRows({ ...workflowKind, name: 'moment' }, connections[0] as RedisConnections);
  const moment = new RowMoment(rows, live.record, folder(t));
  await moment.copy(ACTIVE);
  // Those of `leaves` rest now, with a step that the copy does not have.
  for (const id of of.leaves) await count(live, id);
  await restIdle(live.one, 1_000);
  for (const id of of.stays) await count(live, id);
  for (const id of of.activated) await count(live, id);
  for (const id of of.ends) await end(live, id);
  const created = await inserted(ROW_COUNT);

  const all = [...NAMES.flatMap((name) => of[name]), ...over, ...created];
  const expected = await historyOf(live, all);
  const { ms } = await whilePaused(connections[0] as RedisConnections, async () =>
    moment.read(await endedSince(live.record, since)),
  );
  t.true(ms < 3_000);
  for (const id of [...of.late, ...of.stays, ...of.activated, ...of.leaves, ...created]) await count(live, id);
  for (const id of of['ends late']) await end(live, id);
  const later = await inserted(ROW_COUNT);
  for (const id of later.slice(0, ROW_COUNT / 2)) await end(live, id);
  await restIdle(live.one, 1_000);

  const found = new Map<string, number>();
  const keep = (row: WorkflowRow) => {
    t.false(found.has(row.id), 'twice');
    found.set(row.id, seen(row));
  };
  for await (const page of moment.all()) page.forEach(keep);
  for (const document of await live.record.find({ status: 'succeeded' })) {
    if (!moment.isOver(document.id, document.finishedAt, since)) continue;
    keep(document);
  }
  await moment.close();
  t.deepEqual(new Map([...found].sort()), new Map([...expected].sort()));
});

const seen = ({ counts }: WorkflowRow): number => counts.history;

async function historyOf({ one }: Restless, ids: readonly string[]): Promise<Map<string, number>> {
  return new Map((await one.getAll(ids)).map((row) => [row.id, seen(row)]));
}

redis.serial('a pause ends by itself if reading takes too long, and writes go on', async (t) => {
  const { connections } = await processesOf();
  const [first, second] = connections as [RedisConnections, RedisConnections];
  const read = () => setTimeout(10_000, undefined, { ref: false });
  const paused = t.throwsAsync(whilePaused(first, read), { code: 'BACKUP_FAILED', message: /within 2500 ms/ });
  await second.commands.set('nodewright:test', '1');
  await paused;
  await second.commands.del('nodewright:test');
});
