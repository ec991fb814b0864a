/** A batch whose daemon is killed while it launches. */
import test from 'ava';
import { seen } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';

const NODE_COUNT = 300;
const AT_ONCE = 50;

interface Entry {
  node: string;
  workflow: string;
}

test('a batch whose daemon is killed between its launches is continued: each node has one workflow of it', async (t) => {
  const daemon = await startDaemonProcess(t);
  const { api } = daemon;
  const nodes: string[] = [];
  while (nodes.length < NODE_COUNT) {
    const made = Array.from({ length: AT_ONCE }, () => api('POST', '/nodes', { type: 'compute', name: 'n' }));
    nodes.push(...(await Promise.all(made)).map(({ body }) => body.id));
  }
  const { status, body: first } = await api('POST', '/nodes/workflows', { name: 'Graph.Demo.InstallOs', nodes });
  t.is(status, 201);
  t.true(first.waiting.length > 0, 'most are launched after the answer');
  const batchOf = async () => (await api('GET', `/batches/${first.id}`)).body;
  for (const share of [1, 2]) {
    await seen(async () => (await batchOf()).launched.length >= (share * NODE_COUNT) / 3);
    await daemon.kill('SIGKILL');
    await daemon.start();
  }
  const batch = await seen(async () => {
    const now = await batchOf();
    return now.status === 'finished' && now;
  });
  t.deepEqual(batch.rejected, []);
  t.deepEqual(batch.launched.map(({ node }: Entry) => node).sort(), nodes.toSorted());
  const { body: rows } = await api('GET', '/workflows?$top=1000&fields=id,node,status');
  const told = batch.launched.map(({ node, workflow }: Entry) => `${node} ${workflow} running`);
  const found = (rows as { id: string; node: string; status: string }[]).map(
    (row) => `${row.node} ${row.id} ${row.status}`,
  );
  t.deepEqual(found.sort(), told.sort());
});
