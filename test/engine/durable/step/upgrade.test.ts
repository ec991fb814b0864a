/** Rows that an earlier version stored: a workflow that waits for its node, with a notification queued for its second wait. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { actorSpec, workflowSpec } from '../../../../engine/durable/live/specs.ts';
import type { NodeRow } from '../../../../engine/durable/step/node.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { upgradedNode, upgradedWorkflow } from '../../../../engine/durable/step/upgrade.ts';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { openEngine } from '../../../support/engine/engine.ts';

const text = readFileSync(new URL('earlier-rows.json', import.meta.url), 'utf8');

/** Their times are moved to now: the waits in them have time limits. */
function earlier(): { workflow: WorkflowRow; actor: NodeRow } {
  const { workflow } = JSON.parse(text) as { workflow: WorkflowRow };
  const age = Date.now() - Date.parse(workflow.createdAt);
  return JSON.parse(text, (_, value) => {
    if (typeof value === 'number' && value > EPOCH_MS) return value + age;
    return typeof value === 'string' && ISO_TIME.test(value) ? new Date(Date.parse(value) + age).toISOString() : value;
  });
}

/** Larger numbers are times in milliseconds. */
const EPOCH_MS = 1_700_000_000_000;
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

test('a workflow of an earlier version continues with its waits and its queued notifications', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { definitionHash } = await it.launch('Graph.Demo.InstallOs');
  await it.engine.close();
  const { workflow, actor } = earlier();
  const store = await openEmbeddedStore({ dataDir: it.dataDir });
  await (await store.collection<WorkflowRow>(workflowSpec)).insert({ ...workflow, definitionHash });
  await (await store.collection<NodeRow>(actorSpec)).insert(actor);
  await store.close();
  await it.open();
  t.deepEqual(await it.states(workflow.id), { 'wait-os-installed': 'waiting', 'wait-os-booted': 'pending' });
  const again = await it.engine.notifications.notify({ disk: 'sdb' }, actor.id, { nonce: 'n1' });
  t.deepEqual(again, { isRepeat: true, answer: { disk: 'sda' } }, 'its nonces are known');
  await it.engine.notifications.notify({ ip: '10.1.1.7' }, actor.id);
  const { status, tasks } = await it.finished(workflow.id);
  t.is(status, 'succeeded');
  t.deepEqual(
    tasks.map(({ output }) => output),
    [{ ip: '10.1.1.7' }, { disk: 'sda' }],
  );
});

test('a row of this version is not changed', (t) => {
  const { workflow, actor } = earlier();
  const [row, node] = [upgradedWorkflow(workflow), upgradedNode(actor)];
  t.is(upgradedWorkflow(row), row);
  t.is(upgradedNode(node), node);
});

test('pending effects and the messages in them are upgraded too', (t) => {
  const { workflow, actor } = earlier();
  const message = { type: 'work.done', work: 'w1', output: { work: 'kept' }, lane: 'l', mail: 'm' };
  const seed = { id: 'W', target: 'n', sealed: false, parent: { workflow: 'P', work: 'w2' }, options: { work: 1 } };
  const effects = [
    { kind: 'offer', work: 'w1' },
    { kind: 'tell-workflow', workflow: 'W', message },
    { kind: 'tell-node', node: 'n', message: { type: 'await', waiter: 'W/w1' } },
    { kind: 'create', seed },
  ];
  const todo = [{ version: 1, at: '', last: 0, effects, lines: [], events: [] }];
  const expected = [
    { kind: 'notify-agent', operation: 'w1' },
    {
      kind: 'send-to-workflow',
      workflow: 'W',
      message: { type: 'work.done', operation: 'w1', output: { work: 'kept' }, chain: 'l', notification: 'm' },
    },
    { kind: 'send-to-node', node: 'n', message: { type: 'await', receiver: 'W/w1' } },
    {
      kind: 'create',
      start: {
        id: 'W',
        mailboxId: 'n',
        encrypted: false,
        parent: { workflow: 'P', operation: 'w2' },
        options: { work: 1 },
      },
    },
  ];
  for (const row of [
    upgradedWorkflow({ ...workflow, todo } as unknown as WorkflowRow),
    upgradedNode({ ...actor, todo } as unknown as NodeRow),
  ]) {
    t.deepEqual(row.pendingEffects[0]?.effects as unknown, expected);
  }
});
