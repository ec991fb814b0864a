import { randomUUID } from 'node:crypto';
import type { LiveState, RecordedRow } from '../../../../engine/durable/live/port.ts';
import { openRedisState } from '../../../../engine/durable/live/redis-state.ts';
import { RestoredStore } from '../../../../engine/durable/live/restored.ts';
import { recordSpec, workflowSpec } from '../../../../engine/durable/live/specs.ts';
import { Rows } from '../../../../engine/durable/runtime/rows.ts';
import { newNodeRow, nodeStep } from '../../../../engine/durable/step/node.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { openRedis } from '../../../../engine/platform/queue/redis.ts';
import { newRow, shown, stepped } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import type { Scope } from '../../../support/ava/scope.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';

const test = needing(noRedis);
const log = { info() {}, warn() {} };

async function open(t: Scope) {
  const server = await startRedis();
  t.teardown(() => server.stop());
  const store = new MemoryStore();
  const errors: unknown[] = [];
  const process = async (restoredMs?: number): Promise<LiveState> => {
    const connections = await openRedis(server.url, log);
    const state = await openRedisState(connections, store, (_what, error) => errors.push(error), restoredMs);
    t.teardown(async () => {
      await state.close();
      await connections.close();
    });
    return state;
  };
  const record = await store.collection<RecordedRow<WorkflowRow>>(recordSpec(workflowSpec));
  return { server, process, record, client: server.client() };
}

/** A workflow that holds its node. */
function held(node = randomUUID()) {
  const row = newRow(node);
  const actor = nodeStep(newNodeRow(node, Date.now()), { type: 'launch', start: row }, Date.now()).row;
  return { row, actor };
}

const until = async <T>(read: () => Promise<T | undefined>): Promise<T> => {
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

test.serial('a Redis that lost everything takes no row before the workflows that were live have failed', async (t) => {
  const { process, record, client } = await open(t);
  const [one, two] = [await process(), await process()];
  const { row, actor } = held();
  await one.nodes.insert([actor]);
  await one.workflows.insert([row]);
  const moved = stepped(row);
  await one.workflows.save([{ before: row, row: moved }]);
  await until(async () => (await record.get(row.id)) ?? undefined);
  await client.flushall();
  await t.throwsAsync(two.workflows.insert([newRow()]), { code: 'UNAVAILABLE', message: /lost the live state/ });
  const lost = await until(async () => {
    const found = await two.workflows.get(row.id);
    return found?.status === 'failed' ? found : undefined;
  });
  t.is(lost.error?.code, 'STATE_LOST');
  t.true(lost.pendingEffects.some(({ effects }) => effects.some(({ kind }) => kind === 'send-to-node')));
  t.is(await one.nodes.get(actor.id), undefined, 'its node is free');
  const next = newRow();
  t.deepEqual(await until(async () => one.workflows.insert([next]).catch(() => undefined)), [true]);
  t.deepEqual(await one.workflows.save([{ before: moved, row: stepped(moved) }]), [false], 'no late step is saved');
});

test.serial('a workflow that rested when Redis lost everything continues, and holds its node', async (t) => {
  const { process, record, client } = await open(t);
  const one = await process();
  const { row, actor } = held();
  const idle = { ...row, pending: false, pendingEffects: [] };
  await record.put([{ ...idle, phase: 'resting' }]);
  await one.nodes.insert([actor]);
  await client.flushall();
  await one.nodes.insert([held().actor]).catch(() => {});
  const node = await until(() => one.nodes.get(actor.id));
  t.is(node.workflow, row.id);
  const next = stepped(idle);
  const saved = await until(async () => {
    const rows = new Rows(one.workflows, true);
    return rows
      .step(row.id, async (found) => ({ changed: true, row: stepped(found), replies: [] }))
      .catch(() => undefined);
  });
  t.is(saved.row.tasks[0]?.state, next.tasks[0]?.state);
});

test.serial('steps that a replica did not have are saved again by the process that took them', async (t) => {
  const { server, process, client } = await open(t);
  const one = await process();
  const rows = new Rows(one.workflows, true);
  const row = newRow();
  await rows.insert(row);
  const key = `nodewright:{live}:workflow:row:${row.id}`;
  const old = await client.dumpBuffer(key);
  const step = async () =>
    (await rows.step(row.id, async (found) => ({ changed: true, row: stepped(found), replies: [] })))?.row;
  const last = await step();
  // As on a replica that has the first version only, and takes the place of the server.
  await client.del(key);
  await client.restore(key, 0, old);
  await server.kill();
  await server.start();
  const found = await until(async () => {
    const read = await one.workflows.get(row.id).catch(() => undefined);
    return read?.version === last?.version ? read : undefined;
  });
  t.deepEqual(shown(found), shown(last));
});

test.serial('processes wait for one that is slow to restore its rows, and not for one that died before', async (t) => {
  const { server, client } = await open(t);
  const connect = async () => {
    const connections = await openRedis(server.url, log);
    t.teardown(() => connections.close());
    return connections;
  };
  const abort = new AbortController();
  t.teardown(() => abort.abort());
  const member = async (id: string) => {
    const restored = new RestoredStore(await connect(), 'restored', id);
    await restored.on('first', abort.signal);
    await restored.noteWorking();
    return restored;
  };
  const [prompt, slow] = [await member('prompt'), await member('slow')];
  await member('dead');
  await client.hset('restored:seen', 'dead', Date.now() - 60_000);

  let isDone = false;
  const done = prompt.on('second', abort.signal).then(() => {
    isDone = true;
  });
  // A process that has just begun would have given it up by then.
  await until(async () => ((await client.hget('restored', 'prompt')) === 'second' ? true : undefined));
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  t.false(isDone);
  t.true(await slow.isExpected());
  await slow.on('second', abort.signal);
  await done;
  t.deepEqual(Object.keys(await client.hgetall('restored')).sort(), ['prompt', 'slow']);
  t.false((await client.hkeys('restored:seen')).includes('dead'));
});

test.serial(
  'a workflow whose row a replica did not have, and no process has, has failed, and its node is free',
  async (t) => {
    const { server, process, record, client } = await open(t);
    const one = await process(0);
    const { row, actor } = held();
    await one.nodes.insert([actor]);
    await one.workflows.insert([row]);
    await until(() => record.get(row.id));
    await client.del(`nodewright:{live}:workflow:row:${row.id}`);
    const [unknown] = await one.workflows.save([{ before: row, row: stepped(row) }]);
    t.regex(String(unknown), /is not in Redis/);
    await server.kill();
    await server.start();
    const lost = await until(async () => {
      const found = await one.workflows.get(row.id).catch(() => undefined);
      return found?.status === 'failed' ? found : undefined;
    });
    t.is(lost.error?.code, 'STATE_LOST');
    const told = lost.pendingEffects.flatMap(({ effects }) => effects).find(({ kind }) => kind === 'send-to-node');
    t.like(told, { node: actor.id, message: { type: 'ended' } });
  },
);

test.serial('a workflow that is deleted while a process restores its rows is not restored', async (t) => {
  const { server, process, record } = await open(t);
  const [one, two] = [await process(), await process()];
  const row = newRow();
  t.true(await new Rows(one.workflows, true).insert(row));
  await until(() => record.get(row.id));
  const find = record.find.bind(record);
  let deleted = false;
  const restored = new Promise<void>((resolve) => {
    record.find = async (filter, options) => {
      const found = await find(filter, options);
      if (deleted || !found.some(({ id }) => id === row.id)) return found;
      deleted = true;
      await two.workflows.remove(row.id);
      // The next read follows the restoration.
      void until(async () => (await two.workflows.view.count({}).catch(() => undefined)) ?? undefined).then(() =>
        resolve(),
      );
      return found;
    };
  });
  await server.kill();
  await server.start();
  await restored;
  t.true(deleted);
  t.is(await two.workflows.get(row.id), undefined);
});
