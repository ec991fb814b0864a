/** Rules of `together` in the live port, for each of its adapters. */
import { randomUUID } from 'node:crypto';
import type { TestFn } from 'ava';
import type { LiveState, Pair } from '../../engine/durable/live/port.ts';
import { type NodeRow, newNodeRow, nodeStep } from '../../engine/durable/step/node.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { newRow, shown, stepped } from './live.ts';

type PairState = LiveState & Required<Pick<LiveState, 'together'>>;

export async function newFreeNode({ nodes }: Pick<LiveState, 'nodes'>): Promise<NodeRow> {
  const node = newNodeRow(randomUUID(), Date.now());
  await nodes.insert([node]);
  return node;
}

export function launchOn(node: NodeRow): Pair {
  const row = newRow(node.id);
  const taken = nodeStep(node, { type: 'launch', start: row }, Date.now()).row;
  return { workflow: { row }, node: { holder: '', row: { ...taken, pendingEffects: [], pending: false } } };
}

export function endOn(node: NodeRow, workflow: WorkflowRow): Pair {
  const row: WorkflowRow = { ...stepped(workflow), status: 'failed' };
  const freed = nodeStep(node, { type: 'ended', workflow: workflow.id }, Date.now()).row;
  return { workflow: { before: workflow, row }, node: { holder: workflow.id, row: freed } };
}

/** @param open returns the adapter of one of several processes on the same server */
export function pairsConformance(test: TestFn, open: (process: 0 | 1) => LiveState): void {
  const state = (process: number) => open(process % 2 === 0 ? 0 : 1) as PairState;
  const freeNode = () => newFreeNode(state(0));

  test('of the launches on one node that several processes make at the same time, one is saved, with its node', async (t) => {
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
  });

  test('the end of a workflow frees its node in the same moment', async (t) => {
    const node = await freeNode();
    const launched = launchOn(node);
    await state(0).together([launched]);
    const ended = endOn(launched.node.row, launched.workflow.row);
    t.deepEqual(await state(1).together([ended]), [3]);
    t.is((await state(0).nodes.get(node.id))?.workflow, null);
    t.is((await state(0).workflows.get(launched.workflow.row.id))?.status, 'failed');
  });

  test('of a pair with an outdated row nothing is saved, whichever row it is', async (t) => {
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

  test('a node with a hold mark is taken and freed by no pair, so that its next row keeps the mark', async (t) => {
    const free = await freeNode();
    const marked = nodeStep(free, { type: 'hold', mark: 'h' }, Date.now()).row;
    t.deepEqual(await state(0).nodes.save([{ before: free, row: marked }]), [true]);
    t.deepEqual(await state(1).together([launchOn(free)]), ['differs']);
    const other = await freeNode();
    const launched = launchOn(other);
    await state(0).together([launched]);
    const held = nodeStep(launched.node.row, { type: 'hold', mark: 'h' }, Date.now()).row;
    t.deepEqual(await state(0).nodes.save([{ before: launched.node.row, row: held }]), [true]);
    t.deepEqual(await state(1).together([endOn(launched.node.row, launched.workflow.row)]), ['differs']);
    t.is((await state(1).nodes.get(other.id))?.workflow, launched.workflow.row.id);
  });

  test('a step of a node and one of its workflow are saved together, unless one of the rows is outdated', async (t) => {
    const node = await freeNode();
    const launched = launchOn(node);
    await state(0).together([launched]);
    const { row: workflow } = launched.workflow;
    const before = (await state(1).nodes.get(node.id)) as NodeRow;
    const noticed = { type: 'notify', id: 'a', at: '9', parameters: { n: 1 }, nonce: 'once' } as const;
    const row = nodeStep(before, noticed, Date.now()).row;
    const later = stepped(workflow);
    const both: Pair = { workflow: { before: workflow, row: later }, node: { before, row } };
    t.deepEqual(await state(0).together([both]), [row.version]);
    t.deepEqual(await state(1).nodes.get(node.id), row);
    t.deepEqual(shown(await state(1).workflows.get(workflow.id)), shown(later));
    t.deepEqual(await state(1).together([both]), ['differs'], 'both are outdated');
    const last = stepped(later);
    const outdatedNode: Pair = { workflow: { before: later, row: last }, node: { before, row } };
    t.deepEqual(await state(1).together([outdatedNode]), ['differs']);
    const again = nodeStep(row, { ...noticed, id: 'b', nonce: 'twice' }, Date.now()).row;
    const outdatedWorkflow: Pair = { workflow: { before: workflow, row: later }, node: { before: row, row: again } };
    t.deepEqual(await state(1).together([outdatedWorkflow]), ['differs']);
    t.is((await state(0).workflows.get(workflow.id))?.version, later.version);
    t.is((await state(0).nodes.get(node.id))?.version, row.version);
  });

  test('a pair that is not saved spoils no other of its batch', async (t) => {
    const [one, two] = [await freeNode(), await freeNode()];
    const first = launchOn(one);
    await state(0).together([first]);
    t.deepEqual(await state(0).together([launchOn(one), launchOn(two), first]), ['differs', 2, 'differs']);
  });
}
