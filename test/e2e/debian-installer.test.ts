/** Debian's own installer on a machine: it boots by the daemon's profile, fetches the answers of its node, and runs them. */
import { existsSync, readFileSync } from 'node:fs';
import { needing } from '../support/ava/needs.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { HOST, noMachine, openMachine } from '../support/bmcs/machine.ts';
import { seen } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { freePort } from '../support/servers/server.ts';
import { startSource } from '../support/servers/source.ts';

/** Debian's package debian-installer-12-netboot-amd64. */
const netboot = '/usr/lib/debian-installer/images/12/amd64/text/debian-installer/amd64';
const absent = existsSync(`${netboot}/linux`) ? undefined : 'debian-installer-12-netboot-amd64 is not installed';
const test = needing(noMachine ?? absent, 'machine');

test.serial('the netboot installer of Debian fetches the answers of its node, and runs them', async (t) => {
  const port = await freePort();
  const config = { servicePublicIp: HOST, southboundKeys: 'require' as const };
  const daemon = await startDaemonProcess(t, { port, config });
  // The installer also reads a URL that DHCP names, and rejects an iPXE script.
  const machine = await openMachine(t, port, { tftp: true });
  const files = ['linux', 'initrd.gz'].map((name) => [`/d-i/${name}`, readFileSync(`${netboot}/${name}`)] as const);
  const source = await startSource(Object.fromEntries(files));
  t.teardown(() => source.close());

  // The included answers, and a command that d-i runs as soon as it has read them: its callback is the evidence.
  const own = readFileSync('engine/inventory/files/templates/debian-preseed', 'utf8');
  const evidence = "d-i preseed/early_command string wget -q -O /dev/null '<%- task.callback %>&by=debian-installer'\n";
  await daemon.api('PUT', '/templates/library/debian-preseed', Buffer.from(`${own}${evidence}`));
  const { body: node } = await daemon.api('POST', '/nodes', { type: 'compute', name: 'n', identifiers: [machine.mac] });
  await daemon.api('PUT', `/nodes/${node.id}/obm`, { service: 'ipmi-obm-service', config: machine.bmc.config });
  const options = {
    'install-debian': {
      repo: source.url.replace('127.0.0.1', HOST),
      baseUrl: 'd-i',
      hostname: 'installed',
      rootPassword: 'r00t-pa55',
      kargs: { DEBIAN_FRONTEND: 'text' },
    },
  };
  const { status, body } = await daemon.api('POST', `/nodes/${node.id}/workflows?name=Graph.InstallDebian`, {
    options,
  });
  t.is(status, 201, JSON.stringify(body));
  const task = await seen(async () => {
    const { tasks } = (await daemon.api('GET', `/workflows/${body.id}`)).body;
    return tasks.find(
      ({ label, state }: Record<string, string>) => label === 'install-debian' && state === 'succeeded',
    );
  }, 3 * WAIT_MS);
  t.like(task.output.report, { by: 'debian-installer' });
});
