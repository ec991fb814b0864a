import { randomUUID } from 'node:crypto';
import test, { type TestFn } from 'ava';
import { inPhase, type LiveState, type RecordedRow } from '../../../../engine/durable/live/port.ts';
import { actorSpec, recordSpec } from '../../../../engine/durable/live/specs.ts';
import { openRecords } from '../../../../engine/durable/runtime/records.ts';
import { type NodeRow, newNodeRow } from '../../../../engine/durable/step/node.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import type { RedisConnections } from '../../../../engine/platform/redis/redis-connections.ts';
import type { Collection } from '../../../../engine/platform/store/port.ts';
import { newRow } from '../../../conformance/live.ts';
import { endOn, launchOn, newFreeNode, pairsConformance } from '../../../conformance/pairs.ts';
import { needing } from '../../../support/ava/needs.ts';
import { OwnScope } from '../../../support/ava/scope.ts';
import { openLive, startProcesses } from '../../../support/engine/live.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { noRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
const scope = new OwnScope();
const states: LiveState[] = [];
const record = new MemoryStore();
let documents: Collection<RecordedRow<NodeRow>>;
let connected: RedisConnections[] = [];

test.before(async () => {
  if (noRedis) return;
  const { connections } = await startProcesses(scope);
  connected = connections;
  documents = await record.collection(recordSpec(actorSpec));
  for (const own of connections) states.push(await openLive(scope, own, record));
});
test.after.always(() => scope.close());

const state = (process: number) => states[process % 2] as LiveState & Required<Pick<LiveState, 'together'>>;

const client = () => (connected[0] as RedisConnections).commands;

const freeNode = () => newFreeNode(state(0));

pairsConformance(redis.serial as unknown as TestFn, (process) => states[process] as LiveState);

const recordsOf = (process: number) => openRecords(state(process), true);
const launchOf = (row: WorkflowRow) => ({ type: 'launch', start: row }) as const;

redis.serial(
  'a launch takes a node that has no row yet, one that rests, and none that is busy or retired',
  async (t) => {
    const { pairs, nodes } = recordsOf(0);
    const take = async (id: string) => {
      const row = newRow(id);
      const outcome = await pairs?.launch(launchOf(row), row);
      const stored = await state(1).nodes.get(id);
      t.deepEqual(outcome?.row, stored, 'the row in memory is the one that is stored');
      t.is((await state(1).workflows.get(row.id)) !== undefined, outcome?.isTaken === true);
      return { ...outcome, holds: stored?.workflow === row.id };
    };
    const id = randomUUID();
    t.like(await take(id), { isTaken: true, holds: true }, 'no row');
    t.like(await take(id), { isTaken: false, holds: false }, 'busy');
    const resting: NodeRow = { ...newNodeRow(randomUUID(), Date.now()), version: 7 };
    await documents.put([inPhase(resting, 'resting')]);
    t.like(await take(resting.id), { isTaken: true, holds: true }, 'at rest');
    t.is((await documents.get(resting.id))?.phase, 'moving');
    const retired: NodeRow = { ...newNodeRow(randomUUID(), Date.now()), retired: true };
    await state(1).nodes.insert([retired]);
    t.like(await take(retired.id), { isTaken: false, holds: false }, 'retired');
    t.is(nodes.knownRow(retired.id), undefined);
  },
);

redis.serial('daemons that launch on one node in turn read no row of each other', async (t) => {
  const all = [recordsOf(0), recordsOf(1)];
  const { id } = await freeNode();
  for (let turn = 0; turn < 6; turn += 1) {
    const row = newRow(id);
    const outcome = await all[turn % 2]?.pairs?.launch(launchOf(row), row);
    t.like(outcome, { isTaken: true, row: { workflow: row.id, version: 2 * turn + 2 } });
    t.deepEqual(await state(turn + 1).together([endOn(outcome?.row as NodeRow, row)]), [2 * turn + 3]);
  }
});

redis.serial(
  'a node is not taken by its holder alone if its row has effects, or was written by an earlier version',
  async (t) => {
    const node = await freeNode();
    const pending: NodeRow = { ...node, version: 2, pending: true };
    await state(0).nodes.save([{ before: node, row: pending }]);
    t.deepEqual(await state(1).together([launchOn(node)]), ['differs']);
    await state(0).nodes.save([{ before: pending, row: { ...pending, version: 3, pending: false } }]);
    const key = `nodewright:{live}:node:row:${node.id}`;
    await client().hset(key, '!v', 4);
    t.deepEqual(await state(1).together([launchOn(node)]), ['differs'], 'its version is another one');
    await client().hset(key, '!v', 3);
    t.deepEqual(await state(1).together([launchOn(node)]), [4]);
  },
);
