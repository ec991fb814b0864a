/** The answers of a daemon before it is ready. */
import test from 'ava';
import { folder } from '../support/ava/folder.ts';
import { atOnce, launchOn, newNode, putGraphs } from '../support/data/hostile-graphs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { ended } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';

test('a daemon listens while it tries its definitions, and reports nothing false about them', async (t) => {
  const graphs = folder(t);
  const daemon = await startDaemonProcess(t, { config: { ...folders, graphs: [...folders.graphs, graphs] } });
  const node = await newNode(daemon);
  t.is(await daemon.kill('SIGTERM'), 0);
  putGraphs(graphs, {
    'endless.ts': `${atOnce('Graph.Test.Endless', 'return true')}\nfor (;;) {}`,
    'good.ts': atOnce('Graph.Test.Good', 'return true'),
  });

  await daemon.listens();
  t.is((await daemon.root('GET', '/healthz')).status, 200);
  const readiness = daemon.root('GET', '/readyz');
  t.is((await daemon.api('GET', `/nodes/${node}`)).status, 200);
  const asked = await Promise.all([
    daemon.api('GET', '/workflows/graphs'),
    daemon.api('GET', '/workflows/graphs/Graph.Test.Good'),
    daemon.api('GET', '/workflows/tasks/Task.noop'),
    daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Test.Good`),
    daemon.api('PUT', '/workflows/graphs', {
      friendlyName: 'x',
      injectableName: 'Graph.X',
      tasks: [{ label: 'a', taskName: 'Task.noop' }],
    }),
  ]);
  for (const { status, headers, body } of asked) {
    t.is(status, 503, JSON.stringify(body));
    t.true(Number(headers.get('retry-after')) > 0);
    t.regex(body.message, /still being loaded/);
  }
  const unready = await readiness;
  t.is(unready.status, 503);
  t.regex(unready.body.message, /not ready yet: it loads the definitions/);

  await daemon.becomes('ready');
  t.is((await daemon.root('GET', '/readyz')).status, 200);
  const { body } = await daemon.api('GET', '/workflows/graphs?errors=true');
  const errors = body as unknown as { file: string; message: string }[];
  t.deepEqual(
    errors.map(({ file }) => file.split('/').at(-1)),
    ['endless.ts'],
  );
  t.regex(errors[0]?.message ?? '', /still loading/);
  t.is((await ended(daemon, await launchOn(daemon, node, 'Graph.Test.Good'))).status, 'succeeded');
});

test('a daemon that has printed `listening` answers /readyz with 200', async (t) => {
  const daemon = await startDaemonProcess(t, { config: folders });
  t.is(await daemon.kill('SIGTERM'), 0);
  await daemon.listens();
  const { status, body } = await daemon.root('GET', '/readyz');
  t.deepEqual([status, body], [200, { status: 'ready' }]);
});

test('a daemon that is stopped while it starts exits cleanly', async (t) => {
  const graphs = folder(t);
  const daemon = await startDaemonProcess(t, { config: { ...folders, graphs: [...folders.graphs, graphs] } });
  await daemon.kill('SIGTERM');
  putGraphs(graphs, { 'endless.ts': 'for (;;) {}' });
  await daemon.listens();
  t.is(await daemon.kill('SIGTERM'), 0);
});
