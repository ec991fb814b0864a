import test from 'ava';
import type { NodeRecord } from '../../../../engine/api-port/index.ts';
import { OwnerChanges } from '../../../../engine/inventory/teams/owner-changes.ts';

type Holder = { workflow: string; owner: string | null } | null;

/** A node of the team a. @param holders what holds it at each mark, in order; then nothing */
function nodeOf(holders: Holder[]) {
  const node = { owner: 'a' as string | null };
  let marks = 0;
  const nodes = {
    ownerOf: async () => ({ id: 'n', owner: node.owner }),
    async setOwner(_: string, owner: string | null, before: string | null) {
      if (node.owner !== before) return undefined;
      node.owner = owner;
      return {} as NodeRecord;
    },
  };
  const mark = async () => {
    marks += 1;
    return holders.shift() ?? null;
  };
  return { node, nodes, changes: new OwnerChanges(nodes, mark), marks: () => marks };
}

test('a free node changes hands, and is marked after the owner is written', async (t) => {
  const { node, changes, marks } = nodeOf([]);
  t.true(await changes.change('n', 'b'));
  t.is(node.owner, 'b');
  t.is(marks(), 2);
});

test('a busy node keeps its owner, also if the workflow began during the change', async (t) => {
  const holder = { workflow: 'w', owner: 'a' };
  for (const holders of [[holder], [null, holder]]) {
    const { node, changes } = nodeOf(holders);
    await t.throwsAsync(changes.change('n', 'b'), { code: 'WORKFLOW_ACTIVE', message: /workflow w/ });
    t.is(node.owner, 'a');
  }
});

test('a launch that has read the new owner already may hold the node', async (t) => {
  const { node, changes } = nodeOf([null, { workflow: 'w', owner: 'b' }]);
  t.true(await changes.change('n', 'b'));
  t.is(node.owner, 'b');
});

test('after a death between the write and the mark, a repetition marks the node, and waits for the workflow before', async (t) => {
  const { node, nodes, changes } = nodeOf([null]);
  const dying = new OwnerChanges(nodes, async () => {
    if (node.owner === 'b') throw new Error('killed');
    return null;
  });
  await t.throwsAsync(dying.change('n', 'b'), { message: 'killed' });
  t.is(node.owner, 'b');
  const repeated = nodeOf([{ workflow: 'w', owner: 'a' }]);
  repeated.node.owner = 'b';
  await t.throwsAsync(repeated.changes.change('n', 'b'), { code: 'WORKFLOW_ACTIVE' });
  t.is(repeated.node.owner, 'b');
  t.true(await repeated.changes.change('n', 'b'));
  t.is(repeated.marks(), 2);
  t.true(await changes.change('n', 'b'));
});

test('a node that another request changed at the same time is left as it is', async (t) => {
  const { node, nodes } = nodeOf([]);
  const changes = new OwnerChanges(nodes, async () => {
    node.owner = 'c';
    return null;
  });
  await t.throwsAsync(changes.change('n', 'b'), { code: 'CONFLICT' });
  t.is(node.owner, 'c');
});
