/** This machine as a node: the daemon's own agent runs the real tools, and a SKU matches on the catalogs. */
import { spawnSync } from 'node:child_process';
import { needing } from '../support/ava/needs.ts';
import { startAgent } from '../support/bmcs/agent.ts';
import { withTables } from '../support/bmcs/smbios.ts';
import { openEngine } from '../support/engine/engine.ts';
import { serve, southbound } from '../support/servers/api.ts';

/** Contains dmidecode and lshw, too. */
const SEARCH_PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
const tools = ['dmidecode', 'lshw', 'lsblk', 'curl'];
const missing = tools.filter(
  (name) => spawnSync('sh', ['-c', `command -v ${name}`], { env: { PATH: SEARCH_PATH } }).status !== 0,
);

needing(missing.length === 0 ? undefined : `${missing.join(', ')} not installed`).serial(
  'a machine that requests its profile is cataloged by the real agent with the real tools, and gets its SKU',
  async (t) => {
    const it = await openEngine();
    t.teardown(() => it.close());
    const { send, port } = await serve(t, southbound, it.engine);
    const sku = await it.engine.skus.create({
      name: 'this machine',
      rules: [
        { path: 'dmi.System Information.Manufacturer', equals: 'Example Computers' },
        { path: 'dmi.System Information.Product Name', regex: '^D-\\d$' },
        { path: 'lsblk.blockdevices' },
        { path: 'lshw.class', equals: 'system' },
        { path: 'ohai.kernel.name', equals: 'Linux' },
        { path: 'ohai.cpu.total', min: 1 },
        { path: 'driveId' },
      ],
      discoveryGraphName: 'Graph.noop-example',
    });
    const { body } = await send('GET', '/api/current/profiles?macs=02:dd:00:00:00:01');
    const node = /nodewright\.node=(\S+)/.exec(body)?.[1] as string;
    const { id } = (await it.engine.workflows.activeOn(node)) as { id: string };
    const agent = startAgent(t, port, node, { env: { PATH: withTables(t, SEARCH_PATH) } });
    for (const label of ['collect', 'catalog-dmi', 'catalog-lsblk', 'catalog-lshw', 'catalog-drive-id']) {
      await it.reached(id, label, 'succeeded');
    }
    t.is((await it.finished(id)).status, 'succeeded');
    t.is((await it.engine.nodes.find(node))?.sku, sku.id);
    t.is(it.of(node, 'discovered').length, 1);
    t.deepEqual(agent.said, []);
  },
);
