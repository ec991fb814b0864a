/** Effects that run late, after a pause of a process or by a sweep on an old row, create nothing again. */
import test from 'ava';
import type { StartCommand } from '../../../../engine/durable/actors/messages.ts';
import { actorSpec, workflowSpec } from '../../../../engine/durable/live/specs.ts';
import { EffectRunner, type SavedStep } from '../../../../engine/durable/runtime/effect-runner.ts';
import { Rows } from '../../../../engine/durable/runtime/rows.ts';
import { Sender } from '../../../../engine/durable/runtime/sender.ts';
import type { NodeRow } from '../../../../engine/durable/step/node.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { everyGraph } from '../../../support/data/catalogue.ts';
import { documentLive } from '../../../support/engine/document-live.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const graph = everyGraph.find(({ name }) => name === 'Graph.noop-example') as (typeof everyGraph)[number];

const start: StartCommand = {
  id: 'w',
  graphName: graph.name,
  definitionHash: graph.hash,
  node: null,
  mailboxId: 'w',
  domain: 'default',
  operator: null,
  options: {},
  bindings: {},
  parent: null,
  encrypted: false,
  traceparent: '00-11111111111111111111111111111111-1111111111111111-00',
  createdAt: '2026-01-01T00:00:00.000Z',
};

test('a workflow that was removed after its end is not created again by a late create', async (t) => {
  const store = new MemoryStore();
  const workflows = new Rows(documentLive(await store.collection<WorkflowRow>(workflowSpec)), true);
  const nodes = new Rows(documentLive(await store.collection<NodeRow>(actorSpec)), true);
  const published: string[] = [];
  const saved: number[] = [];
  const quiet = { perform: async () => {}, busy: () => false, isOver: () => false, failed: () => {} };
  const publish = async (steps: readonly SavedStep<WorkflowRow>[]) =>
    void published.push(...steps.map(({ row }) => row.id));
  const workflowEffects = new EffectRunner<WorkflowRow>(workflows, { ...quiet, publish });
  const nodeEffects = new EffectRunner<NodeRow>(nodes, { ...quiet, publish: async () => {} });
  const send = new Sender({
    workflows,
    nodes,
    pairs: undefined,
    home: () => undefined,
    took: () => {},
    workflowEffects: () => workflowEffects,
    nodeEffects: () => nodeEffects,
    library: { pinnedGraph: async () => graph },
    reply: async () => {},
    saved: (row) => void saved.push(row.version),
    watch: (_, code) => code(),
    barred: { errorOf: () => undefined, forget: () => {} },
    versions: { confirm: async () => undefined, release: async () => [] },
  });
  const { row: claim } = await send.node('w', { type: 'launch', start });
  await send.startClaimed(start, claim);
  t.is((await workflows.load('w'))?.status, 'running');
  await send.node('w', { type: 'ended', workflow: 'w' });
  await workflows.remove('w');
  await workflowEffects.close();
  const before = published.length;
  await send.startClaimed(start, claim);
  t.is(await workflows.load('w'), undefined);
  t.is(published.length, before);
  t.is(saved.length, 1, 'a row that was not saved does not count as a step');
  await nodeEffects.close();
});
