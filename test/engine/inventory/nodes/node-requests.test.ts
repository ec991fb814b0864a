import test from 'ava';
import { existingIn } from '../../../../engine/inventory/nodes/node-requests.ts';
import { nodeSpec, type StoredNode } from '../../../../engine/inventory/nodes/stored-node.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const node = (id: string): StoredNode => ({
  id,
  type: 'compute',
  name: id,
  autoDiscover: false,
  sku: null,
  createdAt: '',
  updatedAt: '',
  identifiers: [],
  tags: [],
  catalogs: [],
  workflows: [],
});

test('nodes are found in any number, even more than a store returns in one answer', async (t) => {
  const stored = await new MemoryStore().collection<StoredNode>(nodeSpec);
  const ids = Array.from({ length: 1_200 }, (_, n) => `n${n}`);
  for (const id of ids) await stored.insert(node(id));
  const known = existingIn(stored);
  t.deepEqual([...(await known([...ids, 'none', 'n0']))].sort(), [...ids].sort());
  t.deepEqual([...(await known(['n1', 'n1']))], ['n1']);
  t.deepEqual([...(await known(['none']))], []);
  t.deepEqual([...(await known([]))], []);
});
