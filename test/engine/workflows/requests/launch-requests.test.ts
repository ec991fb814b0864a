import test from 'ava';
import type { StartCommand } from '../../../../engine/durable/actors/messages.ts';
import { type NodeRow, newNodeRow } from '../../../../engine/durable/step/node.ts';
import { LaunchRequests } from '../../../../engine/workflows/requests/launch-requests.ts';

type Dependencies = ConstructorParameters<typeof LaunchRequests>[0];

const HOUR_MS = 3_600_000;

/** Launches of a process that has this row of the node in memory. */
function launchesKnowing(row: NodeRow | undefined) {
  const order: string[] = [];
  const records = {
    nodes: { knownRow: () => row },
    workflows: { seenRow: async (id: string) => ({ id }) },
  };
  const send = {
    async node(_: string, { start }: { start: StartCommand }) {
      // As the effects of the step do.
      setImmediate(() => order.push('first activity'));
      return { row: { workflow: start.id, retired: false }, settled: Promise.resolve(true) };
    },
  };
  const deps = {
    runtime: { records, send },
    nodes: { idOf: async () => 'read' },
    preparation: { prepare: async (launch: object) => launch },
    owners: { of: async () => ({}) },
    quota: { run: (_: unknown, claim: () => unknown) => claim() },
    restrictions: { check: async () => {} },
    approvals: { pass: async () => ({ giveBack: async () => {}, confirm: async () => {} }) },
    tracing: { launch: (_: object, run: (traceparent: string) => unknown) => run('') },
    reads: {
      shownRow: async (shown: object) => {
        order.push('answer');
        return shown;
      },
    },
  };
  return { order, launches: new LaunchRequests(deps as unknown as Dependencies) };
}

test('a node is not read whose row is in memory, unless the node may have been removed since', async (t) => {
  const row = newNodeRow('n', Date.now());
  const idOf = (known: NodeRow | undefined) => launchesKnowing(known).launches.nodeIdOf('n');
  t.is(await idOf(row), 'n');
  t.is(await idOf({ ...row, workflow: 'w' }), 'n');
  t.is(await idOf(undefined), 'read');
  t.is(await idOf({ ...row, retired: true }), 'read');
  t.is(await idOf(newNodeRow('n', Date.now() - 2 * HOUR_MS)), 'read');
  t.is(await idOf({ ...row, workflow: 'n' }), 'read', 'it is the actor of a workflow without a node');
});

test('the first activity of a launch starts before its answer is made', async (t) => {
  const { order, launches } = launchesKnowing(undefined);
  await launches.launch({ name: 'Graph.Test', options: {}, nodeId: 'n' });
  t.deepEqual(order, ['first activity', 'answer']);
});
