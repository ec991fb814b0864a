/** The built daemon on each supported version of Node.js. */
import { join } from 'node:path';
import { needing } from '../support/ava/needs.ts';
import { ended } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { folderOf, VERSIONS } from '../versions.mjs';

for (const [major, version] of Object.entries(VERSIONS)) {
  const folder = folderOf(major);
  const missing = folder === undefined ? 'node test/versions.mjs has not installed it' : undefined;
  needing(missing, 'versions').serial(`a daemon on Node.js ${version} starts, runs a workflow and stops`, async (t) => {
    const daemon = await startDaemonProcess(t, {
      node: join(folder ?? '', 'node'),
      config: { healthEndpoint: '127.0.0.1:0' },
    });
    t.is((await daemon.health('GET', '/healthz')).status, 200);
    const { body: node } = await daemon.api('POST', '/nodes', { type: 'compute', name: 'n' });
    const { body } = await daemon.api('POST', `/nodes/${node.id}/workflows?name=Graph.Demo.InstallOs`);
    for (const _ of ['installed', 'booted']) await daemon.southbound('POST', `/notification?nodeId=${node.id}`);
    t.is((await ended(daemon, body.id)).status, 'succeeded');
    t.is(await daemon.kill('SIGTERM'), 0);
  });
}
