import test from 'ava';
import { type DiskNames, installDisk } from '../../../../engine/hardware/install/install-disk.ts';

const sda = { devName: 'sda', identifier: 0, linuxWwid: '/dev/disk/by-id/wwn-0x5', esxiWwid: 'naa.5' };
const dom = { devName: 'sdb', identifier: 1, linuxWwid: '', esxiWwid: 't10.ATA____DOM' };

for (const [given, catalog, names, expected] of [
  [undefined, undefined, 'linux', { linux: '/dev/sda', esxi: null }],
  [undefined, [sda], 'linux', { linux: sda.linuxWwid, esxi: 'naa.5' }],
  [undefined, [sda, dom], 'linux', { linux: '/dev/sdb', esxi: dom.esxiWwid }],
  [0, [sda, dom], 'esxi', { linux: sda.linuxWwid, esxi: 'naa.5' }],
  ['sdb', { 0: sda, 1: dom }, 'linux', { linux: '/dev/sdb', esxi: dom.esxiWwid }],
  ['naa.5', [sda], 'esxi', { linux: sda.linuxWwid, esxi: 'naa.5' }],
  ['/dev/nvme0n1', undefined, 'linux', { linux: '/dev/nvme0n1', esxi: null }],
] as const) {
  test(`${given} of ${JSON.stringify(catalog)} is ${expected.linux} (${names})`, (t) => {
    t.deepEqual(installDisk(given, catalog, names), expected);
  });
}

for (const [given, catalog, names, message] of [
  [7, [sda], 'linux', /^installDisk: 7 names 0 drives/],
  ['sda', [sda, { ...dom, devName: 'sda' }], 'linux', /names 2 drives/],
  ['sdz', [sda], 'linux', /sdz names 0 drives/],
  ['/dev/../etc', undefined, 'linux', /names 0 drives/],
  ['/dev/sdb', [sda], 'esxi', /has no name of ESXi/],
] as [string | number, unknown, DiskNames, RegExp][]) {
  test(`${given} is rejected for ${names}: ${message}`, (t) => {
    t.throws(() => installDisk(given, catalog, names), { code: 'INSTALL_REJECTED', message });
  });
}

test('a wwid in a catalog cannot become a path of another kind', (t) => {
  const hostile = { ...sda, linuxWwid: "/dev/x'; reboot #", esxiWwid: 'a --disk=b' };
  t.deepEqual(installDisk(undefined, [hostile], 'linux'), { linux: '/dev/sda', esxi: null }, 'it is not selected');
});
