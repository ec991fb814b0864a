/** The waves of a batch: in the background, by another process after a death, and beside a cancellation. */
import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { Reconciler } from '../../../../engine/platform/lib/reconciler.ts';
import type { WorkflowStatus } from '../../../../engine/vocabulary/states.ts';
import { BatchRequests } from '../../../../engine/workflows/batches/batch-requests.ts';
import { LAUNCHES } from '../../../../engine/workflows/batches/batch-waves.ts';
import { batchSpec, type StoredBatch } from '../../../../engine/workflows/batches/stored-batch.ts';
import { type Deferred, deferred } from '../../../support/ava/deferred.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const NODES = Array.from({ length: 4 * LAUNCHES }, (_, n) => `node-${n}`);

/** Daemons on one store; the launches after the first wave wait for `gate`. */
async function scene() {
  const stored = await new MemoryStore().collection<StoredBatch>(batchSpec);
  const launched = new Map<string, { node: string; status: WorkflowStatus }>();
  let updates = 0;
  const counting = Object.assign(Object.create(stored), {
    update: (...given: Parameters<typeof stored.update>) => {
      updates += 1;
      return stored.update(...given);
    },
  });
  const daemon = (gate: Deferred<void>) =>
    new BatchRequests({
      approvals: { admitBatch: async () => {} },
      stored: counting,
      records: {
        storedWorkflows: {
          pick: async (_: unknown, { id: { $in: ids } }: { id: { $in: string[] } }) =>
            ids.flatMap((id) => (launched.has(id) ? [{ id, ...launched.get(id) }] : [])),
        },
      } as never,
      launches: {
        launchOnce: async (id: string, { nodeId }: { nodeId: string }) => {
          if (launched.size >= LAUNCHES) await gate.promise;
          if (!launched.has(id)) launched.set(id, { node: nodeId, status: 'running' });
        },
      },
      control: {
        cancel: async (id: string) => {
          launched.set(id, { node: launched.get(id)?.node ?? '', status: 'cancelled' });
          return undefined;
        },
      },
      prepare: async (_, options) => options,
      existingIds: async (ids) => new Set(ids),
      cluster: { reconciler: (port) => new Reconciler({ ...port, everyMs: 10 }) },
      failed: (error) => {
        throw error;
      },
    });
  return { daemon, launched, updates: () => updates };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + WAIT_MS; !(await holds()); await pause(5))
    if (Date.now() > limit) throw new Error('it never holds');
}

const request = { name: 'Graph.Any', options: {}, nodes: NODES };

test('a large batch is answered after its first wave, and the others are made in the background', async (t) => {
  const { daemon, launched, updates } = await scene();
  const gate = deferred();
  const batches = daemon(gate);
  const { id, launched: first, waiting, status } = await batches.create(request);
  t.is(first.length, LAUNCHES);
  t.deepEqual(waiting, NODES.slice(LAUNCHES));
  t.is(status, 'running');
  gate.resolve();
  await until(async () => (await batches.get(id))?.status === 'finished');
  t.deepEqual([...launched.values()].map(({ node }) => node).sort(), NODES.toSorted());
  t.true(updates() < 10, `${updates()} writes of the batch`);
  await batches.close();
});

test('a batch whose process dies between its launches is continued by another one, and no node is launched twice', async (t) => {
  const { daemon, launched } = await scene();
  // Its launches never return.
  const { id } = await daemon(deferred()).create(request);
  const gate = deferred();
  gate.resolve();
  const other = daemon(gate);
  other.start();
  await until(async () => (await other.get(id))?.status === 'finished');
  t.is((await other.get(id))?.launched.length, NODES.length);
  t.deepEqual([...launched.values()].map(({ node }) => node).sort(), NODES.toSorted());
  await other.close();
});

test('launches that a cancellation by another process did not see are cancelled too', async (t) => {
  const { daemon, launched } = await scene();
  const gate = deferred();
  const batches = daemon(gate);
  const { id } = await batches.create(request);
  const other = daemon(deferred());
  await other.cancel(id);
  gate.resolve();
  await until(
    async () => launched.size === 2 * LAUNCHES && [...launched.values()].every((one) => one.status !== 'running'),
  );
  t.is((await batches.get(id))?.status, 'cancelled');
  await Promise.all([batches.close(), other.close()]);
});
