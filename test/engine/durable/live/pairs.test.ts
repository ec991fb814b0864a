import { randomUUID } from 'node:crypto';
import test from 'ava';
import { inPhase, type LiveState, type Pair, type RecordedRow } from '../../../../engine/durable/live/port.ts';
import { actorSpec, recordSpec } from '../../../../engine/durable/live/specs.ts';
import { openRecords } from '../../../../engine/durable/runtime/records.ts';
import { type NodeRow, newNodeRow, nodeStep } from '../../../../engine/durable/step/node.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import type { RedisConnections } from '../../../../engine/platform/redis/redis-connections.ts';
import type { Collection } from '../../../../engine/platform/store/port.ts';
import { newRow, shown, stepped } from '../../../conformance/live.ts';
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

async function freeNode(): Promise<NodeRow> {
  const node = newNodeRow(randomUUID(), Date.now());
  await state(0).nodes.insert([node]);
  return node;
}

function launchOn(node: NodeRow): Pair {
  const row = newRow(node.id);
  const taken = nodeStep(node, { type: 'launch', start: row }, Date.now()).row;
  return { workflow: { row }, node: { holder: '', row: { ...taken, pendingEffects: [], pending: false } } };
}

function endOn(node: NodeRow, workflow: WorkflowRow): Pair {
  const row: WorkflowRow = { ...stepped(workflow), status: 'failed' };
  const freed = nodeStep(node, { type: 'ended', workflow: workflow.id }, Date.now()).row;
  return { workflow: { before: workflow, row }, node: { holder: workflow.id, row: freed } };
}

redis.serial(
  'of the launches on one node that several processes make at the same time, one is saved, with its node',
  async (t) => {
    for (let round = 0; round < 20; round += 1) {
      const node = await freeNode();
      const pairs = [0, 1, 2, 3].map(() => launchOn(node));
      const saved = (await Promise.all(pairs.map((pair, process) => state(process).together([pair])))).flat();
      const holder = pairs[saved.indexOf(2)] as Pair;
      t.is((await state(1).nodes.get(node.id))?.workflow, holder.workflow.row.id);
      const inserted = await Promise.all(pairs.map(({ workflow }) => state(0).workflows.get(workflow.row.id)));
      t.deepEqual(
        inserted.map((row) => row !== undefined),
        pairs.map((pair) => pair === holder),
      );
      t.deepEqual(
        saved.filter((outcome) => outcome !== 2),
        ['differs', 'differs', 'differs'],
      );
      t.deepEqual(shown(inserted[saved.indexOf(2)]), shown(holder.workflow.row));
    }
  },
);

redis.serial('the end of a workflow frees its node in the same moment', async (t) => {
  const node = await freeNode();
  const launched = launchOn(node);
  await state(0).together([launched]);
  const ended = endOn(launched.node.row, launched.workflow.row);
  t.deepEqual(await state(1).together([ended]), [3]);
  t.is((await state(0).nodes.get(node.id))?.workflow, null);
  t.is((await state(0).workflows.get(launched.workflow.row.id))?.status, 'failed');
});

redis.serial('of a pair with an outdated row nothing is saved, whichever row it is', async (t) => {
  const node = await freeNode();
  const launched = launchOn(node);
  await state(0).together([launched]);
  const { row: workflow } = launched.workflow;
  const { row: taken } = launched.node;
  const later = stepped(workflow);
  await state(0).workflows.save([{ before: workflow, row: later }]);
  t.deepEqual(await state(1).together([endOn(taken, workflow)]), ['differs'], 'the workflow took a step');
  t.is((await state(0).nodes.get(node.id))?.workflow, workflow.id);
  const stored = (await state(0).nodes.get(node.id)) as NodeRow;
  const noticed = { type: 'notify', id: 'a', at: '9', parameters: {}, nonce: 'once' } as const;
  const told = nodeStep(stored, noticed, Date.now()).row;
  t.deepEqual(await state(0).nodes.save([{ before: stored, row: told }]), [true]);
  t.deepEqual(await state(1).together([endOn(taken, later)]), ['differs'], 'the node has an answer to keep');
  t.is((await state(0).workflows.get(workflow.id))?.version, later.version);
  t.deepEqual((await state(1).nodes.get(node.id))?.version, told.version);
});

redis.serial('a pair that is not saved spoils no other of its batch', async (t) => {
  const [one, two] = [await freeNode(), await freeNode()];
  const first = launchOn(one);
  await state(0).together([first]);
  t.deepEqual(await state(0).together([launchOn(one), launchOn(two), first]), ['differs', 2, 'differs']);
});

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
