/** Servers of the metal-operator are parked, run a graph, and are unparked; outages and lost versions lose nothing. */
import test from 'ava';
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { ironcoreServerOf } from '../../support/servers/fake-operators.ts';
import { kubernetesScene, WAITING_GRAPH } from './scene.ts';

const OPERATION = 'metal.ironcore.dev/operation';
const noopRequest = { 'nodewright/graph': 'Graph.noop-example' };

test('a server that asks is parked, runs its graph and is unparked; one with a claim, or with another operation, is left alone', async (t) => {
  const scene = await kubernetesScene(t, 'metal.ironcore.dev');
  const { fake } = scene;
  for (const n of [1, 2, 3]) await scene.addNode(`n${n}`, `02:00:00:00:0${n}:01`);
  const serverClaimRef = { name: 'c1', namespace: 'default' };
  fake.put(ironcoreServerOf('s1', '02:00:00:00:01:01', { annotations: noopRequest }));
  fake.put(ironcoreServerOf('s2', '02:00:00:00:02:01', { annotations: noopRequest, spec: { serverClaimRef } }));
  fake.put(ironcoreServerOf('s3', '02:00:00:00:03:01', { annotations: { ...noopRequest, [OPERATION]: 'ignore' } }));
  const rows = await scene.run();
  t.deepEqual(
    rows.map(({ server, state }) => [server, state]),
    [
      ['s1', 'succeeded'],
      ['s2', 'skipped'],
      ['s3', 'skipped'],
    ],
  );
  t.regex(rows[1]?.details ?? '', /the claim default\/c1 has it; the annotation nodewright\/in-use: interrupt/);
  t.is(rows[2]?.details, 'the operation ignore is in progress');
  const states = fake.written.all.flatMap(({ metadata, status }) =>
    objectIn(metadata).name === 's1' ? [objectIn(status).state] : [],
  );
  t.true(states.includes('Parked'));
  t.is(states.at(-1), 'Available');
  t.false(Object.keys(fake.annotations('s1')).some((name) => name.startsWith('metal.ironcore.dev/')));
  fake.change('s2', { metadata: { annotations: { 'nodewright/in-use': 'interrupt' } } });
  await scene.run();
  t.like(fake.get('s2').status, { state: 'Reserved' });
  t.is(fake.annotations('s2')['nodewright/state'], 'succeeded');
});

test('a watch takes a server that asks later, and continues after an outage and a lost version (410)', async (t) => {
  const scene = await kubernetesScene(t, 'metal.ironcore.dev');
  const { fake } = scene;
  await scene.addNode('n1', '02:00:00:00:01:01');
  fake.put(ironcoreServerOf('s1', '02:00:00:00:01:01'));
  const watched = scene.watch();
  const isWatching = () => fake.requests.some((request) => request.includes('watch=true'));
  await scene.it.until(isWatching);
  // The change is in no watch: they have ended, and the version at which a new one would begin is gone.
  const lists = () => fake.requests.filter((request) => request.includes('limit=')).length;
  const before = lists();
  fake.behave = (_, response) => {
    response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
    return true;
  };
  fake.endWatches();
  await scene.it.until(() => watched.notes.some((note) => note.includes('KUBERNETES_UNAVAILABLE')));
  fake.change('s1', { metadata: { annotations: { 'nodewright/graph': WAITING_GRAPH } } });
  fake.compact();
  fake.behave = undefined;
  await watched.rows.until((rows) => rows.some(({ state }) => state === 'running'));
  t.true(lists() > before, 'it has listed again');
  await scene.cluster.client.post('/workflows/:id/notification', {
    params: { id: (await scene.workflows())[0]?.id ?? '' },
    body: {},
  });
  await watched.rows.until((rows) => rows.some(({ state }) => state === 'succeeded'));
  await watched.stop();
  t.is((await scene.workflows()).length, 1);
});
