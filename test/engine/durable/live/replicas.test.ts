/** `redisReplicas`: launches and claims that a replica has, and a replica that takes the place of the server. */
import type { ExecutionContext } from 'ava';
import type { LiveState, RecordedRow } from '../../../../engine/durable/live/port.ts';
import { recordSpec, workflowSpec } from '../../../../engine/durable/live/specs.ts';
import { Rows } from '../../../../engine/durable/runtime/rows.ts';
import type { ActivityOperation, WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { openRedis } from '../../../../engine/platform/queue/redis.ts';
import { newRow, shown, stepped } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { openConnections, openLive } from '../../../support/engine/live.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { seen } from '../../../support/faults/workload.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';
import { startReplicatedRedis } from '../../../support/servers/replicated-redis.ts';

const test = needing(noRedis);
const keyOf = (id: string) => `nodewright:{live}:workflow:row:${id}`;

async function open(
  t: ExecutionContext,
  { replicas = 1, restoredMs }: { replicas?: number; restoredMs?: number } = {},
) {
  const redis = await startReplicatedRedis(t);
  const store = new MemoryStore();
  const process = async (): Promise<LiveState> =>
    openLive(t, await openConnections(t, redis.url, undefined, replicas), store, () => {}, restoredMs);
  const record = await store.collection<RecordedRow<WorkflowRow>>(recordSpec(workflowSpec));
  return { redis, process, record };
}

/** A row of which a process has claimed the first operation. */
function claimed(row: WorkflowRow): WorkflowRow {
  const [id, operation] = Object.entries(row.operations)[0] as [string, ActivityOperation];
  const operations = { ...row.operations, [id]: { ...operation, claim: 'process' } };
  return { ...row, version: row.version + 1, operations };
}

const next = (row: WorkflowRow): WorkflowRow => ({ ...row, version: row.version + 1 });

test.serial('a launch and a claim are answered when the replica has them', async (t) => {
  const { redis, process } = await open(t);
  const { workflows } = await process();
  const replica = redis.replica.client();
  for (let n = 0; n < 20; n += 1) {
    const row = newRow();
    t.deepEqual(await workflows.insert([row]), [true]);
    t.is(await replica.hget(keyOf(row.id), '!v'), String(row.version));
    t.deepEqual(await workflows.save([{ before: row, row: claimed(row) }]), [true]);
    t.is(await replica.hget(keyOf(row.id), '!v'), String(row.version + 1));
  }
});

test.serial('without its replica launches and claims get UNAVAILABLE, and other steps are saved', async (t) => {
  const { redis, process } = await open(t);
  const { workflows } = await process();
  const [row, other] = [newRow(), newRow()];
  await workflows.insert([row, other]);
  await redis.replica.pause();
  const rejection = { code: 'UNAVAILABLE', message: /found 0 replicas with the write after \d+ ms, expected 1/ };
  const launch = t.throwsAsync(workflows.insert([newRow()]), rejection);
  t.deepEqual(await workflows.save([{ before: other, row: next(other) }]), [true]);
  await launch;
  await t.throwsAsync(workflows.save([{ before: row, row: claimed(row) }]), rejection);
  redis.replica.resume();
  t.deepEqual(await workflows.insert([newRow()]), [true]);
  const found = (await workflows.get(row.id)) as WorkflowRow;
  t.deepEqual(await workflows.save([{ before: found, row: claimed(found) }]), [true]);
});

test.serial('a write is not confirmed by a connection that has not made it', async (t) => {
  const { redis, process } = await open(t);
  const { workflows } = await process();
  await workflows.insert([newRow()]);
  await redis.replica.pause();
  const row = newRow();
  const launch = workflows.insert([row]);
  const rejected = t.throwsAsync(launch, { code: 'UNAVAILABLE' });
  const primary = redis.primary.client();
  await seen(async () => (await primary.exists(keyOf(row.id))) === 1);
  redis.cut();
  await rejected;
  redis.replica.resume();
});

test.serial('a server with too few replicas is used with a warning, and one that rejects WAIT is not', async (t) => {
  const server = await startRedis();
  t.teardown(() => server.stop());
  const lines: unknown[] = [];
  const log = { info() {}, warn: (fields: object, message: string) => lines.push({ ...fields, message }) };
  await (await openRedis(server.url, log, undefined, 0)).close();
  t.deepEqual(lines, []);
  await (await openRedis(server.url, log, undefined, 2)).close();
  t.like(lines[0], { found: '0 connected replicas', expected: '2' });
  t.is(lines.length, 1);
  await server.client().acl('SETUSER', 'limited', 'reset', 'on', '>s3cret', '~*', '&*', '+@all', '-wait');
  const limited = server.url.replace('//', '//limited:s3cret@');
  await (await openRedis(limited, log)).close();
  await t.throwsAsync(openRedis(limited, log, undefined, 1), {
    code: 'CONFIG_INVALID',
    message: /found WAIT rejected \(NOPERM.*redisReplicas is 1/,
  });
});

test.serial('steps that the promoted replica did not have are saved again by the process that took them', async (t) => {
  const { redis, process, record } = await open(t, { replicas: 0, restoredMs: 0 });
  const one = await process();
  const rows = new Rows(one.workflows, true);
  const [row, unknown] = [newRow(), newRow()];
  await rows.insert(row);
  await redis.primary.client().wait(1, 10_000);
  await redis.stopReplication();
  const last = await rows.step(row.id, async (found) => ({ changed: true, row: stepped(found), replies: [] }));
  // In no memory: as of a process that dies with the server.
  await one.workflows.insert([unknown]);
  await seen(async () => (await record.get(unknown.id))?.phase === 'moving');
  await redis.failOver();
  await seen(async () => (await one.workflows.get(row.id))?.version === last?.row.version);
  t.deepEqual(shown(await one.workflows.get(row.id)), shown(last?.row));
  const lost = await seen(async () => {
    const found = await one.workflows.get(unknown.id);
    return found?.status === 'failed' && found;
  });
  t.is(lost.error?.code, 'STATE_LOST');
});

test.serial('a process leaves a server that has become a replica', async (t) => {
  const { redis, process } = await open(t);
  const { workflows } = await process();
  const row = newRow();
  await workflows.insert([row]);
  await redis.switchOver();
  const saved = await seen(async () => (await workflows.save([{ before: row, row: next(row) }]))[0]);
  t.true(saved);
  t.is(await redis.primary.client().hget(keyOf(row.id), '!v'), String(row.version + 1));
  t.deepEqual(await seen(async () => workflows.insert([newRow()])), [true]);
});
