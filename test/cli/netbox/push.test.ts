/** A push writes what differs into NetBox; a watch does so when something changes. */
import test from 'ava';
import { pull, push } from '../../../api/cli/netbox/sync-netbox.ts';
import { watchNetBox } from '../../../api/cli/netbox/watch-netbox.ts';
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { deferred } from '../../support/ava/deferred.ts';
import { type NetBoxScene, netBoxScene, pullRequest, pushRequest, twoServers } from './scene.ts';

const fieldsOf = ({ fake }: NetBoxScene, id: number) => objectIn(fake.devices.get(id)?.custom_fields);

const patches = ({ fake }: NetBoxScene) => fake.writes.all.filter(({ request }) => request.startsWith('PATCH'));

const noop = async ({ it, nodeCalled }: NetBoxScene, name: string): Promise<string> => {
  const { id } = await it.launch('Graph.noop-example', {}, (await nodeCalled(name)).id);
  await it.finished(id);
  return id;
};

test('state, health and the last workflow are in the custom fields, only changed values are sent, and each end is in the journal once', async (t) => {
  const scene = await netBoxScene(t);
  scene.fake.add(...twoServers);
  await pull(scene.sides, pullRequest);
  const workflow = await noop(scene, 'srv-01');
  await scene.it.engine.holds.add((await scene.nodeCalled('srv-02')).id, { kind: 'repair', reason: 'fan' }, 'op');
  await push(scene.sides, pushRequest);
  t.like(fieldsOf(scene, 1), {
    nodewright_state: 'free',
    nodewright_health: 'unknown',
    nodewright_workflow: 'Graph.noop-example',
    nodewright_workflow_status: 'succeeded',
    nodewright_workflow_url: `https://nw.example/ui/workflows/${workflow}`,
  });
  t.like(fieldsOf(scene, 2), { nodewright_state: 'held', nodewright_workflow: null });
  t.is(patches(scene).length, 2);
  t.deepEqual(
    scene.fake.journal.map(({ kind, assigned_object_id: device }) => [kind, device]),
    [['success', 1]],
  );
  const again = await push(scene.sides, pushRequest);
  t.deepEqual(
    again.map(({ action }) => action),
    ['none', 'none'],
  );
  t.is(patches(scene).length, 2);
  t.is(scene.fake.journal.length, 1);
  await scene.it.engine.health.put((await scene.nodeCalled('srv-01')).id, 'dcim', { state: 'warning' });
  await push(scene.sides, pushRequest);
  t.deepEqual(patches(scene).at(-1)?.body, { custom_fields: { nodewright_health: 'warning' } });
});

test('a push lists nodes by name, in whichever order they were created', async (t) => {
  const scene = await netBoxScene(t);
  const names = ['n-10', 'n-2', 'n-1'];
  for (const [n, name] of names.entries()) {
    scene.fake.add({ id: n + 1, name, macs: [`02:00:00:00:03:0${n}`] });
    await pull(scene.sides, pullRequest);
  }
  const rows = await push(scene.sides, pushRequest);
  t.deepEqual(
    rows.map(({ name }) => name),
    names.toReversed(),
  );
});

test('a device that is gone is skipped, and missing custom fields are an error that says how they are created', async (t) => {
  const scene = await netBoxScene(t);
  scene.fake.add(...twoServers);
  await pull(scene.sides, pullRequest);
  scene.fake.devices.delete(1);
  const rows = await push(scene.sides, pushRequest);
  t.deepEqual(rows.map(({ action, remarks }) => [action, ...remarks]).sort(), [
    ['change'],
    ['skip', 'NetBox has no device 1'],
  ]);
  const error = await t.throwsAsync(push(scene.sides, { ...pushRequest, prefix: 'other_' }));
  t.regex(error?.message ?? '', /lack the custom fields other_state, .*nw netbox setup creates them \(NETBOX_FIELDS\)/);
});

test('a watch pulls, pushes when a workflow ends, and after an outage of NetBox pushes what has ended in the meantime', async (t) => {
  const scene = await netBoxScene(t);
  const { fake, sides, stop } = scene;
  fake.add(...twoServers);
  const notes: string[] = [];
  const pulling = { ...pullRequest, everyMs: 3_600_000 };
  const watched = watchNetBox(sides, {
    push: pushRequest,
    pull: pulling,
    show: () => {},
    note: (text) => notes.push(text),
  });
  await fake.writes.until(() => fieldsOf(scene, 2).nodewright_state === 'free');
  const first = await noop(scene, 'srv-01');
  await fake.writes.until(() => String(fieldsOf(scene, 1).nodewright_workflow_url).endsWith(first));
  let refused = 0;
  const { promise, resolve } = deferred();
  fake.behave = (_, response) => {
    refused += 1;
    response.writeHead(502, { 'retry-after': '0' }).end('bad gateway');
    if (refused === 8) resolve();
    return true;
  };
  const ended = [await noop(scene, 'srv-01'), await noop(scene, 'srv-01'), await noop(scene, 'srv-02')];
  await promise;
  fake.behave = undefined;
  await fake.writes.until(() =>
    [first, ...ended].every((id) => fake.journal.some(({ comments }) => String(comments).includes(id))),
  );
  t.true(String(fieldsOf(scene, 2).nodewright_workflow_url).endsWith(ended[2] ?? ''));
  t.is(fake.journal.length, 4, 'each has one entry');
  t.regex(notes[0] ?? '', /^tries again: NetBox at .* answers 502 \(NETBOX_UNAVAILABLE\)$/);
  stop.abort();
  await watched;
});
