/** Catalogs of neighbors, interfaces, PCI devices and event logs, made by the scripts of collectors of what tools print. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { initialTransition } from 'xstate';
import type { Command } from '../../engine/define/index.ts';
import { catalogOf } from '../../engine/inventory/agents/output-formats.ts';
import ipmi from '../../tasks/catalog-ipmi.ts';
import network from '../../tasks/catalog-network.ts';
import pci from '../../tasks/catalog-pci.ts';
import { folder } from '../support/ava/folder.ts';
import type { Scope } from '../support/ava/scope.ts';

const commands = [ipmi, network, pci].flatMap(({ machine }) => {
  const [{ context }] = initialTransition(machine, { options: { timeoutSec: 60 }, nodeId: 'n', workflowId: 'w' });
  return (context as { commands: Command[] }).commands;
});

/** Returns the catalog of a source where the tools print these texts. */
function catalogFrom(t: Scope, source: string, tools: Readonly<Record<string, string>>, sys = '/sys'): unknown {
  const bin = folder(t);
  for (const [tool, printed] of Object.entries(tools)) {
    writeFileSync(join(bin, `${tool}.txt`), printed);
    writeFileSync(join(bin, tool), `#!/bin/sh\ncat '${bin}/${tool}.txt'\n`, { mode: 0o755 });
  }
  const { command, catalog } = commands.find((each) => each.catalog?.source === source) as Command;
  const env = { NODEWRIGHT_SYS: sys, PATH: `${bin}:${process.env.PATH ?? ''}` };
  const output = execFileSync('sh', ['-c', command], { env, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return catalogOf(catalog?.format ?? 'raw', output);
}

// Printed by lldpd 1.0.16 for a neighbor whose description has two lines.
const neighbor = `lldp.eno1.via=LLDP
lldp.eno1.rid=1
lldp.eno1.age=0 day, 00:00:08
lldp.eno1.chassis.mac=42:64:f4:97:b9:5f
lldp.eno1.chassis.name=leaf-07
lldp.eno1.chassis.descr=Switch OS 4.2 second line of the description
lldp.eno1.chassis.mgmt-ip=10.9.9.9
lldp.eno1.chassis.Bridge.enabled=on
lldp.eno1.port.ifname=Ethernet12
lldp.eno1.port.ttl=120
`;

test('lldp has the switch and the port of each interface, as RackHD has them', (t) => {
  t.deepEqual(catalogFrom(t, 'lldp', { lldpcli: neighbor }), {
    eno1: {
      via: 'LLDP',
      rid: '1',
      age: '0 day, 00:00:08',
      chassis: {
        mac: '42:64:f4:97:b9:5f',
        name: 'leaf-07',
        descr: 'Switch OS 4.2 second line of the description',
        'mgmt-ip': '10.9.9.9',
        Bridge: { enabled: 'on' },
      },
      port: { ifname: 'Ethernet12', ttl: '120' },
    },
  });
});

test('of two neighbors on an interface the first counts, and a value above others does not replace them', (t) => {
  const second = neighbor.replaceAll('rid=1', 'rid=2').replaceAll('leaf-07', 'a phone');
  const vlan = 'lldp.eno2.via=LLDP\nlldp.eno2.vlan.vlan-id=100\nlldp.eno2.vlan=storage\nlldp.eno2.vlan.vlan-id=200\n';
  t.like(catalogFrom(t, 'lldp', { lldpcli: neighbor + second + vlan }), {
    eno1: { rid: '1', chassis: { name: 'leaf-07' } },
    eno2: { vlan: { 'vlan-id': '100', value: 'storage' } },
  });
});

test('a hostile neighbor can neither add a path nor make a catalog without end', (t) => {
  const hostile = [
    'lldp.eno1.chassis.a b=x',
    'lldp.eno1.__proto__=x',
    'lldp..=x',
    'eno3.via=x',
    'lldp.eno1.x=lldp.eno2.via=y',
  ];
  const long = Array.from({ length: 100_000 }, (_, n) => `lldp.eno1.chassis.tlv${n}=x`);
  const data = catalogFrom(t, 'lldp', { lldpcli: `${neighbor}${[...hostile, ...long].join('\n')}\n` });
  const { eno1, ...others } = data as Record<string, { chassis: object; x: string }>;
  t.deepEqual(others, {});
  t.is(eno1?.x, 'lldp.eno2.via=y');
  t.true(Object.keys(eno1?.chassis ?? {}).length < 4_000);
  t.is(Object.getPrototypeOf({}).via, undefined);
});

const devices = `Slot:	00:00.0
Class:	Host bridge [0600]
Vendor:	Intel Corporation [8086]
Device:	Device [0d57]
ProgIf:	00

Slot:	3b:00.0
Class:	3D controller [0302]
Vendor:	NVIDIA Corporation [10de]
Device:	GA100 [A100 PCIe 80GB] [20b5]
SVendor:	NVIDIA Corporation [10de]
Rev:	a1

Slot:	03:00.0
Class:	VGA compatible controller [0300]
Vendor:	ASPEED Technology, Inc. [1a03]
Device:	ASPEED Graphics Family [2000]

`;

test('lspci is the list of devices; gpu has those that display or compute, and what their driver says', (t) => {
  const list = catalogFrom(t, 'lspci', { lspci: devices });
  t.like(list, [{ Slot: '00:00.0', Device: 'Device [0d57]' }, { Slot: '3b:00.0', Rev: 'a1' }, { Slot: '03:00.0' }]);
  const smi = '00000000:3B:00.0, NVIDIA A100 80GB PCIe, 1322021000123, GPU-1f, 92.00.68.00.01, 550.54.15, 81920\n';
  t.deepEqual(catalogFrom(t, 'gpu', { lspci: devices, 'nvidia-smi': smi }), {
    devices: [(list as object[])[1], (list as object[])[2]],
    nvidia: [
      {
        busId: '00000000:3B:00.0',
        name: 'NVIDIA A100 80GB PCIe',
        serial: '1322021000123',
        uuid: 'GPU-1f',
        vbiosVersion: '92.00.68.00.01',
        driverVersion: '550.54.15',
        memoryMib: '81920',
      },
    ],
  });
  t.deepEqual(catalogFrom(t, 'gpu', { lspci: devices.slice(0, 100) }), { devices: [] });
  t.throws(() => catalogFrom(t, 'lspci', { lspci: 'other text\n' }), { message: /empty/ });
});

test('ethtool has driver, firmware and MAC of each card, and no bridges', (t) => {
  const sys = folder(t);
  for (const [name, mac] of [
    ['eno1.100', '02:00:00:00:00:01'],
    ['br0', '02:00:00:00:00:02'],
  ] as const) {
    mkdirSync(join(sys, 'class/net', name, name === 'br0' ? 'brif' : 'device'), { recursive: true });
    writeFileSync(join(sys, 'class/net', name, 'address'), `${mac}\n`);
  }
  const ethtool = 'driver: mlx5_core\nversion: 6.1\nfirmware-version: 22.38 (MT_359)\nsupports-test: yes\n';
  t.deepEqual(catalogFrom(t, 'ethtool', { ethtool }, sys), {
    eno1_100: { driver: 'mlx5_core', version: '6.1', 'firmware-version': '22.38 (MT_359)', mac: '02:00:00:00:00:01' },
  });
});

test('ipmi-sel has the newest entries of the log by number, and an empty log is a list without entries', (t) => {
  const entry = (n: number) =>
    `${n.toString(16)},11/26/2026,10:11:12,Temperature CPU1,Upper Critical going high,Asserted`;
  t.deepEqual(catalogFrom(t, 'ipmi-sel', { ipmitool: `${entry(10)}\n${entry(11)}\nnonsense\n` }), {
    a: ['11/26/2026', '10:11:12', 'Temperature CPU1', 'Upper Critical going high', 'Asserted'],
    b: ['11/26/2026', '10:11:12', 'Temperature CPU1', 'Upper Critical going high', 'Asserted'],
  });
  t.deepEqual(catalogFrom(t, 'ipmi-sel', { ipmitool: 'SEL has no entries\n' }), []);
  const full = Array.from({ length: 5_000 }, (_, n) => entry(n + 1)).join('\n');
  t.is(Object.keys(catalogFrom(t, 'ipmi-sel', { ipmitool: full }) as object).length, 1_000);
});
