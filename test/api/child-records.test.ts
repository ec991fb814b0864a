/** The records of workflows that have children, and of those that are paused, on the real engine. */
import test from 'ava';
import { API_PATH } from '../support/data/api-paths.ts';
import { openEngine } from '../support/engine/engine.ts';
import { INSTALL } from '../support/engine/notifying.ts';
import { northbound, serve } from '../support/servers/api.ts';

test('the record of a child names its parent, lists find all below a workflow by its id, and a pause has its user', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const run = (graphName: string) => ({
    friendlyName: 'Parent',
    tasks: [{ label: 'below', taskName: 'Task.Graph.Run', optionOverrides: { graphName } }],
  });
  await it.engine.library.putGraph({ ...run(INSTALL), injectableName: 'Graph.Test.Middle' });
  await it.engine.library.putGraph({ ...run('Graph.Test.Middle'), injectableName: 'Graph.Test.Top' });
  const { send, as } = await serve(t, northbound, it.engine);
  const token = await as('Operator', 'otto');
  const { id: node } = await it.node();
  const { id } = await it.launch('Graph.Test.Top', {}, node);
  const below = async () => (await send('GET', `${API_PATH}/workflows?root=${id}&sort=createdAt`, { token })).body;
  await it.until(async () => (await below()).length === 2);
  const [middle, leaf] = await below();
  t.like(middle, { injectableName: 'Graph.Test.Middle', parent: id, root: id });
  t.like(leaf, { injectableName: INSTALL, parent: middle.id, root: id });
  const top = async () => (await send('GET', `${API_PATH}/workflows/${id}`, { token })).body;
  t.like(await top(), { parent: null, root: null, paused: null });
  t.true(
    (await send('GET', `${API_PATH}/workflows?root=null`, { token })).body.some((one: { id: string }) => one.id === id),
  );
  const other = await send('POST', `${API_PATH}/workflows?name=Graph.noop-example`, { token });
  for (const name of ['launchedBy', 'by']) {
    const of = async (user: string) => {
      const { body } = await send('GET', `${API_PATH}/workflows?${name}=${user}&sort=createdAt`, { token });
      return body.map((one: { id: string }) => one.id);
    };
    t.deepEqual(await of('otto'), [other.body.id], 'those below a workflow have another launcher');
    t.deepEqual(await of('parent'), [middle.id, leaf.id]);
    t.deepEqual(await of('null'), [id]);
    t.deepEqual(await of('nobody'), []);
  }
  const act = (command: string) => send('PUT', `${API_PATH}/workflows/${id}/action`, { token, body: { command } });
  t.is((await act('pause')).body.paused.by, 'otto');
  t.regex((await top()).paused.at, /^\d{4}-/);
  t.is((await act('resume')).body.paused, null);
  await act('cancel');
  await it.finished(id);
});
