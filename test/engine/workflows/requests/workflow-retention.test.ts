/** Retention of workflows: those that ended before a time are removed, and nothing that is active or read by a parent. */
import test from 'ava';
import { openEngine } from '../../../support/engine/engine.ts';

/** Seconds, as days. */
const DAYS = 3 / 86_400;

test('workflows are removed after their time, with their history; active ones and fresh ones stay', async (t) => {
  const it = await openEngine({ workflowRetentionDays: DAYS });
  t.teardown(() => it.close());
  const waiting = await it.launch('Graph.Demo.InstallOs', {}, (await it.node()).id);
  const ended = await Promise.all(Array.from({ length: 5 }, async () => (await it.launch('Graph.noop-example')).id));
  for (const id of ended) await it.finished(id);
  await it.until(async () => (await Promise.all(ended.map((id) => it.engine.workflows.get(id)))).every((row) => !row));
  for (const id of ended) {
    const page = { skip: 0, limit: 10, filter: {} };
    t.deepEqual(await it.engine.workflows.history(id, page), { items: [], total: 0 });
  }
  t.is((await it.get(waiting.id)).status, 'running');
});

test('the certificate of a workflow that was removed stays', async (t) => {
  const it = await openEngine({ workflowRetentionDays: DAYS });
  t.teardown(() => it.close());
  const { id } = await it.launch('Graph.Fixture.Certify');
  await it.finished(id);
  await it.until(async () => (await it.engine.workflows.get(id)) === undefined);
  t.like(await it.engine.certificates.list({ skip: 0, limit: 10, filter: {} }), {
    items: [{ workflow: id }],
    total: 1,
  });
  t.truthy(await it.engine.certificates.of(id));
});

test('a child stays as long as its parent is active', async (t) => {
  const it = await openEngine({ workflowRetentionDays: DAYS });
  t.teardown(() => it.close());
  await it.engine.library.putGraph({
    friendlyName: 'Parent',
    injectableName: 'Graph.Test.Keeps',
    tasks: [
      { label: 'child', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.noop-example' } },
      { label: 'wait', taskName: 'Task.Wait.Notification', waitOn: { child: 'succeeded' } },
    ],
  });
  const { id } = await it.launch('Graph.Test.Keeps', {}, (await it.node()).id);
  await it.reached(id, 'wait', 'waiting');
  const child = childIn((await it.get(id)).tasks[0]?.output);
  // Another one that ends later is removed, so a pass has seen the child too.
  const { id: other } = await it.launch('Graph.noop-example');
  await it.finished(other);
  await it.until(async () => (await it.engine.workflows.get(other)) === undefined);
  t.is((await it.get(child)).status, 'succeeded');
  await it.engine.control.cancel(id);
  await it.until(async () => (await it.engine.workflows.get(child)) === undefined);
});

const childIn = (output: unknown): string => (output as { workflowId: string }).workflowId;
