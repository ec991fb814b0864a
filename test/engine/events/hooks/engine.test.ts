/** The engine delivers its events to web hooks: the right ones, and all of them across a restart of the engine. */
import test from 'ava';
import { newDataDir, TestEngine } from '../../../support/engine/engine.ts';
import { startReceiver } from '../../../support/servers/receiver.ts';

test('every event of nodes, graphs and heartbeats is posted, but no notification; queued events outlive the engine', async (t) => {
  const dataDir = await newDataDir();
  const open = () => new TestEngine(dataDir, { heartbeatIntervalSec: 0.5 }).open();
  const first = await open();
  const receiver = await startReceiver(t);
  const { id: hook } = await first.engine.hooks.create({ url: receiver.url });
  await first.engine.hooks.create({ url: `${receiver.url}none`, filters: [{ type: '^none$' }] });
  const node = await first.node();
  const { id } = await first.launch('Graph.Demo.InstallOs', {}, node.id);
  await first.engine.notifications.notify({ disk: 'sda' }, node.id);
  const seen = (type: string, action: string, typeId: string) =>
    receiver.posted.all.filter(
      ({ event }) => event.type === type && event.action === action && event.typeId === typeId,
    );
  await receiver.posted.until(
    (all) => seen('graph', 'started', id).length > 0 && all.some(({ event }) => event.type === 'heartbeat'),
  );
  t.is(seen('node', 'added', node.id).length, 1);
  t.regex(await first.engine.metrics(), /nodewright_hook_deliveries_total\{result="delivered"\} [1-9]/);

  await receiver.stop();
  await first.engine.notifications.notify({ ip: '10.1.1.7' }, node.id);
  t.is((await first.finished(id)).status, 'succeeded');
  await first.engine.close();
  await receiver.again();
  const second = await open();
  t.teardown(() => second.engine.close());
  await receiver.posted.until(() => seen('graph', 'finished', id).length > 0);
  await second.until(async () => {
    const waiting = { skip: 0, limit: 1, filter: { state: 'waiting', type: 'graph' } };
    return (await second.engine.hooks.deliveries(hook, waiting)).total === 0;
  });
  t.is(new Set(receiver.posted.all.map(({ event }) => event.id)).size, receiver.posted.all.length, 'each once');
  const told = [...first.events, ...second.events].filter(({ key }) => /^(graph|node)\./.test(key));
  const posted = new Set(receiver.posted.all.map(({ event }) => event.id));
  t.deepEqual(
    told.filter(({ id }) => !posted.has(id)),
    [],
  );
  t.true(receiver.posted.all.every(({ event, path }) => event.version === '1.0' && path === '/'));
});
