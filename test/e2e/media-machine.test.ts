/** A machine without DHCP, from the address of its BMC to its catalogs: by virtual media, with BIOS and with UEFI. */
import { existsSync, readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import { needing } from '../support/ava/needs.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { HOST, OVMF } from '../support/bmcs/machine.ts';
import { ISO, noMediaMachine, openMediaMachine } from '../support/bmcs/media-machine.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { freePort } from '../support/servers/server.ts';

const test = needing(noMediaMachine, 'machine');
const uefi = needing(
  noMediaMachine ?? (existsSync(OVMF[0]) ? undefined : `${OVMF[0]} is missing (Debian: ovmf)`),
  'machine',
);

const ADDRESS = '10.0.2.77';
/** Ports of servers and clients of DHCP, version 4 and 6. */
const DHCP = [67, 68, 546, 547];

async function discovered(t: ExecutionContext, isUefi: boolean): Promise<void> {
  const port = await freePort();
  const daemon = await startDaemonProcess(t, { port, config: { servicePublicIp: HOST, southboundKeys: 'require' } });
  await daemon.api('PUT', '/files/common%2Fmicrokernel.iso', readFileSync(ISO));
  const machine = await openMediaMachine(t, { uefi: isUefi });
  const node = (await daemon.api('POST', '/nodes', { name: 'm1', type: 'compute', identifiers: [machine.mac] })).body
    .id;
  const network = { mac: machine.mac.toUpperCase(), address: `${ADDRESS}/24`, gateway: HOST };
  const config = { ...machine.bmc.config, bootFrom: 'virtual-media', network };
  const obm = await daemon.api('PUT', `/nodes/${node}/obm`, { service: 'redfish-obm-service', config });
  t.is(obm.status, 201, JSON.stringify(obm.body));

  const launched = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Reboot.Discovery`, {});
  t.is(launched.status, 201, JSON.stringify(launched.body));
  // Its second half: the machine is on, and boots.
  await machine.media.done.until((done) => done.length > 0);
  await daemon.kill('SIGKILL');
  await daemon.start();
  const row = await ended(daemon, launched.body.id, 2 * WAIT_MS);
  await machine.settled();
  t.is(row.status, 'succeeded', `${JSON.stringify(row.tasks)} ${machine.console.slice(-2_000)}`);

  const { data, knownBy } = (await daemon.api('GET', `/nodes/${node}/catalogs/dmi`)).body;
  t.is(data['System Information']['Serial Number'], 'SN-2');
  t.is(knownBy, 'key');
  const packets = machine.frames.filter((frame) => frame.readUInt16BE(12) === 0x0800);
  t.true(packets.some((packet) => packet.subarray(26, 30).join('.') === ADDRESS));
  const asked = packets.filter((packet) => packet[23] === 17 && DHCP.includes(packet.readUInt16BE(36)));
  t.deepEqual(asked, [], 'the machine asks no DHCP server');

  const [inserted = ''] = machine.media.done.all;
  const [, url = ''] = /^insert (\S+)$/.exec(inserted) ?? [];
  await seen(async () => machine.media.done.all.at(-1) === 'eject');
  t.deepEqual(machine.media.done.all, [inserted, 'eject'], 'once, in spite of the death of the daemon');
  t.is((await fetch(url.replace(HOST, '127.0.0.1'))).status, 404, 'its workflow has ended');
  const [, secret = 'none'] = /(nwimg\.[^/]*)/.exec(url) ?? [];
  const texts = [...daemon.log, JSON.stringify((await daemon.api('GET', `/workflows/${launched.body.id}`)).body)];
  t.false(texts.some((text) => text.includes(secret)));
}

test.serial('a machine with BIOS boots the microkernel of its BMC, and is discovered without DHCP', (t) =>
  discovered(t, false),
);

uefi.serial('the same with UEFI', (t) => discovered(t, true));
