import test from 'ava';
import { Maintenance } from '../../../engine/assembly/maintenance.ts';
import { actorSpec } from '../../../engine/durable/live/specs.ts';
import { Rows } from '../../../engine/durable/runtime/rows.ts';
import { type NodeRow, newNodeRow, nodeStep } from '../../../engine/durable/step/node.ts';
import { singleNodeCluster } from '../../../engine/platform/cluster/cluster.ts';
import { documentLive } from '../../support/engine/document-live.ts';
import { MemoryStore } from '../../support/engine/memory-store.ts';

const DAY_MS = 86_400_000;

test('actors of nodes that were removed a day ago are deleted, and no others', async (t) => {
  const store = new MemoryStore();
  const nodes = await store.collection<NodeRow>(actorSpec);
  const long = Date.now() - 2 * DAY_MS;
  const retired = (id: string, at: number) => nodeStep(newNodeRow(id, at), { type: 'retire' }, at).row;
  for (const row of [retired('old', long), retired('new', Date.now()), newNodeRow('idle', long)])
    await nodes.insert(row);
  const upkeep = new Maintenance(
    { sweep: async () => {} },
    { prune: async () => {}, sweep: async () => {} },
    {
      storedNodes: nodes,
      nodes: new Rows(documentLive(nodes), true),
    },
    singleNodeCluster('one'),
    (error) => t.fail(String(error)),
  );
  await upkeep.run();
  const left = await nodes.find({});
  t.deepEqual(
    left.map((row) => [row.id, row.retired]),
    [
      ['idle', false],
      ['new', true],
    ],
  );
});
