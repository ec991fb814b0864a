/** The address of the daemon in texts for nodes. */
import test from 'ava';
import { ended, launch } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';

test('api.base is the address at which the daemon listens for nodes, also on a port that the system assigned', async (t) => {
  const daemon = await startDaemonProcess(t);
  const when = '{{ api.base }}';
  const tasks = [{ label: 'a', taskName: 'Task.Evaluate.Condition', optionOverrides: { when, contains: 'nowhere' } }];
  await daemon.api('PUT', '/workflows/graphs', { friendlyName: 'X', injectableName: 'Graph.Where', tasks });
  const id = await launch(daemon, 'Graph.Where');
  await ended(daemon, id);
  const { error } = (await daemon.api('GET', `/workflows/${id}`)).body;
  const [, base] = /"(http:[^"]+)"/.exec(error.message) ?? [];
  const healthy = await fetch(new URL('/healthz', base), { headers: { connection: 'close' } });
  t.is(healthy.status, 200);
  t.is(base, `${new URL(base ?? '').origin}/api/current`);
  const notified = await fetch(`${base}/notification`, { method: 'POST', headers: { connection: 'close' } });
  t.is(notified.status, 201);
});
