import test from 'ava';
import type { NodeMessage } from '../../../../engine/durable/actors/messages.ts';
import { actorSpec, workflowSpec } from '../../../../engine/durable/live/specs.ts';
import type { Sender } from '../../../../engine/durable/runtime/sender.ts';
import { type NodeRow, newNodeRow } from '../../../../engine/durable/step/node.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { Outbox, outboxSpec, type WaitingEvent } from '../../../../engine/events/broker/outbox.ts';
import { singleNodeCluster } from '../../../../engine/platform/cluster/cluster.ts';
import { Vault } from '../../../../engine/platform/secrets/vault.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import {
  type Broadcast,
  broadcastSpec,
  NotificationRequests,
} from '../../../../engine/workflows/requests/notification-requests.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

/** Nodes with a workflow each; `reject` gives the answer of a node instead of an acceptance. */
async function opened(reject: (node: string, time: number) => Error | undefined, ids = ['a', 'b', 'c']) {
  const store = new MemoryStore();
  const nodes = await store.collection<NodeRow>(actorSpec);
  for (const id of ids) await nodes.insert({ ...newNodeRow(id, 0), workflow: `of-${id}` });
  const broadcasts = await store.collection<Broadcast>(broadcastSpec);
  const outcome: string[] = [];
  const gone = deferred();
  const send = {
    async node(id: string, { type }: NodeMessage) {
      const error = reject(id, outcome.filter((other) => other === `${type} ${id}`).length);
      outcome.push(`${type} ${id}`);
      if (error) throw error;
    },
  };
  const remove = broadcasts.remove.bind(broadcasts);
  broadcasts.remove = async (filter) => {
    const count = await remove(filter);
    gone.resolve();
    return count;
  };
  const storedWorkflows = await store.collection<WorkflowRow>(workflowSpec);
  const requests = new NotificationRequests(
    { send: send as unknown as Sender, records: { storedNodes: nodes, storedWorkflows } },
    new Outbox(await store.collection<WaitingEvent>(outboxSpec), undefined, singleNodeCluster('test'), () => {}),
    new Vault(['x'.repeat(40)]),
    broadcasts,
    5,
    () => {},
  );
  return { requests, broadcasts, outcome, gone: gone.promise };
}

test('a broadcast is sent again to the nodes that it missed while the store was away', async (t) => {
  const away = new NodewrightError('UNAVAILABLE', 'away');
  const { requests, outcome, gone } = await opened((node, time) => (node === 'b' && time === 0 ? away : undefined));
  await requests.notify({ go: true });
  await gone;
  await requests.close();
  t.is(outcome.filter((one) => one === 'notify b').length, 2);
});

test('an outage of the store during a broadcast sends it twice to no node', async (t) => {
  const ids = Array.from({ length: 1_000 }, (_, n) => `node-${String(n).padStart(4, '0')}`);
  const away = new NodewrightError('UNAVAILABLE', 'away');
  const isAway = (node: string, time: number) => node >= 'node-0450' && node < 'node-0800' && time === 0;
  const { requests, outcome, gone } = await opened((node, time) => (isAway(node, time) ? away : undefined), ids);
  await requests.notify({ go: true });
  await gone;
  await requests.close();
  const times = ids.map((id) => outcome.filter((one) => one === `notify ${id}`).length);
  t.deepEqual(
    times,
    ids.map((id) => (isAway(id, 0) ? 2 : 1)),
  );
});

test('a broadcast that did not reach all nodes is stored for the next start', async (t) => {
  const { requests, broadcasts } = await opened(() => new NodewrightError('UNAVAILABLE', 'away'));
  await requests.notify({ go: true });
  await requests.close();
  t.is((await broadcasts.find({})).length, 1);
});

test('a node with a full mailbox does not delay a broadcast', async (t) => {
  const full = new NodewrightError('MAILBOX_FULL', 'full');
  const { requests, outcome, gone } = await opened((node) => (node === 'a' ? full : undefined));
  await requests.notify({ go: true });
  await gone;
  await requests.close();
  t.deepEqual(outcome, ['notify a', 'notify b', 'notify c']);
});

test('the number of unfinished broadcasts is limited; one more is rejected and not stored', async (t) => {
  let isAway = true;
  const away = new NodewrightError('UNAVAILABLE', 'away');
  const { requests, broadcasts, outcome } = await opened(() => (isAway ? away : undefined));
  const all = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => requests.notify({ n })));
  t.is(all.filter(({ status }) => status === 'fulfilled').length, 5);
  const error = await t.throwsAsync(requests.notify({ n: 20 }));
  t.like(error, { code: 'TOO_MANY_REQUESTS' });
  t.is((await broadcasts.find({})).length, 5);
  isAway = false;
  while ((await broadcasts.count({})) > 0) await new Promise(setImmediate);
  await t.notThrowsAsync(requests.notify({ n: 21 }));
  await requests.close();
  t.true(outcome.includes('notify a'));
});
