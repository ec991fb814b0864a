/** A daemon whose root is read-only, as in its container: it writes to its data directory only. */
import { spawnSync } from 'node:child_process';
import { needing } from '../support/ava/needs.ts';
import { ended, launch } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';

const isRoot = process.getuid?.() === 0;
const unshare = ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), '--mount'];
/** A small disk for the data, and nothing else that can be written. */
const readOnly = 'mount -t tmpfs none /mnt && mount -o remount,ro,bind /';
const enter = [...unshare, 'sh', '-c', `${readOnly} && exec "$0" "$@"`];
const [program = '', ...args] = enter;
const missing =
  spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status === 0
    ? undefined
    : 'the root cannot be made read-only here, not even in a separate namespace';

needing(missing, 'mount').serial('a daemon on a read-only root takes definitions, and runs workflows', async (t) => {
  const daemon = await startDaemonProcess(t, { enter, config: { dataDir: '/mnt/data' } });
  const graph = { friendlyName: 'x', injectableName: 'Graph.ReadOnly', tasks: [{ label: 'a', taskName: 'Task.noop' }] };
  t.is((await daemon.api('PUT', '/workflows/graphs', graph)).status, 201);
  t.is((await daemon.api('PUT', '/templates/library/x', Buffer.from('<%= 1 + 1 %>'))).status, 201);
  for (const name of ['Graph.ReadOnly', 'Graph.noop-example']) {
    t.is((await ended(daemon, await launch(daemon, name))).status, 'succeeded');
  }
  t.is((await daemon.southbound('GET', '/templates/x')).body, '2');
});
