/** A discovery where keys are required: the daemon dies during it, the machine boots again, and attackers interfere. */
import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { needing } from '../support/ava/needs.ts';
import { pathWithout, startAgent } from '../support/bmcs/agent.ts';
import { withTables } from '../support/bmcs/smbios.ts';
import { ended } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { keyIn, nodeIn, senderFrom } from '../support/servers/sender.ts';
import { freePort } from '../support/servers/server.ts';

const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
const tools = ['dmidecode', 'lsblk', 'curl'];
const missing = tools.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`], { env }).status !== 0);

const ROGUE = '127.0.0.66';

needing(missing.length === 0 ? undefined : `${missing.join(', ')} not installed`).serial(
  'a discovery with keys outlives the daemon and the machine, and the key of its boot opens it to no other sender',
  async (t) => {
    const port = await freePort();
    const daemon = await startDaemonProcess(t, { port, config: { southboundKeys: 'require' } });
    const { southbound, api } = daemon;
    const boot = async () => (await southbound('GET', '/profiles?macs=02:dd:00:00:00:02')).body as string;
    const script = await boot();
    const [node, key = ''] = [nodeIn(script), keyIn(script)];
    const path = withTables(t, pathWithout(t, 'lshw', 'ipmitool'));
    const first = startAgent(t, port, node, { key, env: { PATH: path } });
    const has = async (source: string) => (await api('GET', `/nodes/${node}/catalogs/${source}`)).status === 200;
    while (!(await has('dmi'))) await setTimeout(20);
    await daemon.kill('SIGKILL');
    await first.kill();
    await daemon.start();
    t.is(keyIn(await boot()), key, 'the same boot has the same key, also from the next daemon');
    const rogue = senderFrom(t, port, ROGUE);
    for (const request of [
      {},
      { headers: { 'x-nodewright-key': key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) } },
    ]) {
      t.is((await rogue('GET', `/api/current/tasks/${node}`, request)).status, 403);
    }
    startAgent(t, port, node, { key, env: { PATH: path } });
    const workflows = (await api('GET', `/nodes/${node}/workflows`)).body as { id: string }[];
    t.is(workflows.length, 1);
    t.is((await ended(daemon, workflows[0]?.id as string)).status, 'succeeded');
    t.is((await api('GET', `/nodes/${node}/catalogs/dmi`)).body.knownBy, 'key');
    t.false(
      daemon.log.some((line) => line.includes(key.split('.')[1] as string)),
      'the log has no key',
    );
  },
);
