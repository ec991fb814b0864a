import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { LiveState, Pair } from '../../../../engine/durable/live/port.ts';
import { type NodeRow, newNodeRow, nodeStep } from '../../../../engine/durable/step/node.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { newRow, shown, stepped } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { OwnScope } from '../../../support/ava/scope.ts';
import { openLive, startProcesses } from '../../../support/engine/live.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { noRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
const scope = new OwnScope();
const states: LiveState[] = [];

test.before(async () => {
  if (noRedis) return;
  const { connections } = await startProcesses(scope);
  const record = new MemoryStore();
  for (const own of connections) states.push(await openLive(scope, own, record));
});
test.after.always(() => scope.close());

const state = (process: number) => states[process % 2] as LiveState & Required<Pick<LiveState, 'together'>>;

async function freeNode(): Promise<NodeRow> {
  const node = newNodeRow(randomUUID(), Date.now());
  await state(0).nodes.insert([node]);
  return node;
}

function launchOn(node: NodeRow): Pair {
  const row = newRow(node.id);
  const taken = nodeStep(node, { type: 'launch', start: row }, Date.now()).row;
  return { workflow: { row }, node: { before: node, row: { ...taken, pendingEffects: [], pending: false } } };
}

function endOn(node: NodeRow, workflow: WorkflowRow): Pair {
  const row: WorkflowRow = { ...stepped(workflow), status: 'failed' };
  const freed = nodeStep(node, { type: 'ended', workflow: workflow.id }, Date.now()).row;
  return { workflow: { before: workflow, row }, node: { before: node, row: freed } };
}

redis.serial(
  'of the launches on one node that several processes make at the same time, one is saved, with its node',
  async (t) => {
    for (let round = 0; round < 20; round += 1) {
      const node = await freeNode();
      const pairs = [0, 1, 2, 3].map(() => launchOn(node));
      const saved = (await Promise.all(pairs.map((pair, process) => state(process).together([pair])))).flat();
      t.is(saved.filter(Boolean).length, 1);
      const holder = pairs[saved.indexOf(true)] as Pair;
      t.is((await state(1).nodes.get(node.id))?.workflow, holder.workflow.row.id);
      const inserted = await Promise.all(pairs.map(({ workflow }) => state(0).workflows.get(workflow.row.id)));
      t.deepEqual(
        inserted.map((row) => row !== undefined),
        saved,
      );
      t.deepEqual(shown(inserted[saved.indexOf(true)]), shown(holder.workflow.row));
    }
  },
);

redis.serial('the end of a workflow frees its node in the same moment', async (t) => {
  const node = await freeNode();
  const launched = launchOn(node);
  await state(0).together([launched]);
  const ended = endOn(launched.node.row, launched.workflow.row);
  t.deepEqual(await state(1).together([ended]), [true]);
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
  t.deepEqual(await state(1).together([endOn(taken, workflow)]), [false], 'the workflow took a step');
  t.is((await state(0).nodes.get(node.id))?.workflow, workflow.id);
  const noticed: NodeRow = { ...taken, version: taken.version + 1 };
  await state(0).nodes.save([{ before: taken, row: noticed }]);
  t.deepEqual(await state(1).together([endOn(taken, later)]), [false], 'the node took a step');
  t.is((await state(0).workflows.get(workflow.id))?.version, later.version);
  t.deepEqual(await state(1).together([endOn(noticed, later)]), [true]);
});

redis.serial('a pair that is not saved spoils no other of its batch', async (t) => {
  const [one, two] = [await freeNode(), await freeNode()];
  const first = launchOn(one);
  await state(0).together([first]);
  t.deepEqual(await state(0).together([launchOn(one), launchOn(two), first]), [false, true, false]);
});
