/** The check boxes of drives in the form of a launch, and the setting that they write. */
import test from 'ava';
import {
  drivesIn,
  erasedDrivesIn,
  eraseMethodsIn,
  type MethodChoice,
  methodsFor,
  settingOf,
  sharedDrives,
} from '../../api/console/data/erased-drives.ts';
import { eraseSettings } from '../../engine/hardware/erase/plan.ts';

const drives = drivesIn([
  { devName: 'sda', identifier: 0, linuxWwid: '/dev/disk/by-id/ata-a', protocol: 'ata', serial: 'S1', sizeBytes: 1e12 },
  { devName: 'nvme0n1', identifier: 1, esxiWwid: 'eui.1', protocol: 'nvme' },
  { devName: 'sdb', identifier: 2 },
  'nonsense',
]);
const methods = eraseMethodsIn(eraseSettings as never) as MethodChoice[];

test('a drive has the methods of its protocol, the usual one first, and none that erases nothing', (t) => {
  const [ata, nvme, unknown] = drives.map((drive) => new Set(methodsFor(drive, methods).map(({ tool }) => tool)));
  t.deepEqual([...(ata ?? [])], ['scrub', 'hdparm']);
  t.deepEqual([...(nvme ?? [])], ['scrub', 'nvme_format', 'nvme_sanitize']);
  t.is(unknown?.size, 6);
  t.is(methods[0]?.key, 'scrub nnsa');
  t.false(methods.some(({ key }) => key === 'sg_sanitize fail'));
});

test('what the boxes write is read back, with a name that never changes for each drive', (t) => {
  const [scrub, crypto] = ['scrub dod', 'nvme_sanitize crypto'].map((key) => methods.find((one) => one.key === key));
  const erased = new Map([
    ['/dev/disk/by-id/ata-a', scrub as MethodChoice],
    ['eui.1', crypto as MethodChoice],
    ['sdb', scrub as MethodChoice],
  ]);
  const setting = settingOf(erased);
  t.deepEqual(JSON.parse(setting), [
    { disks: ['/dev/disk/by-id/ata-a', 'sdb'], tool: 'scrub', arg: 'dod' },
    { disks: ['eui.1'], tool: 'nvme_sanitize', arg: 'crypto' },
  ]);
  t.deepEqual(new Map([...(erasedDrivesIn(setting, drives, methods) ?? [])].sort()), new Map([...erased].sort()));
  t.is(settingOf(new Map()), '');
});

test('a typed setting checks the boxes by any name of a drive; one that they cannot show leaves the text alone', (t) => {
  const read = (setting: string) => [...(erasedDrivesIn(setting, drives, methods)?.keys() ?? ['text'])];
  t.deepEqual(read('[{"disks":["/dev/sda",2]}]'), ['/dev/disk/by-id/ata-a', 'sdb']);
  t.deepEqual(read(''), []);
  t.deepEqual(read('[{"disks":["sdz"]}]'), ['text']);
  t.deepEqual(read('[{"disks":["sda"],"tool":"scrub","arg":"custom=5a"}]'), ['text']);
  t.deepEqual(read('{{ options.drives }}'), ['text']);
});

test('several nodes share the drives that have the same device name, with the methods that fit all of them', (t) => {
  const other = drivesIn([{ devName: 'sda', linuxWwid: 'w', protocol: 'scsi', model: 'ST4', sizeBytes: 1e12 }]);
  const [nvme, sda, sdb] = sharedDrives([drives, other]);
  t.like(sda, { key: 'sda', nodes: 2, bytes: 1e12, serial: '' });
  t.deepEqual([...new Set(methodsFor(sda as never, methods).map(({ tool }) => tool))], ['scrub']);
  t.like(nvme, { device: 'nvme0n1', nodes: 1, protocol: 'nvme' });
  t.is(sdb?.nodes, 1);
  t.deepEqual(JSON.parse(settingOf(new Map([['sda', methods[0] as MethodChoice]]))), [
    { disks: ['sda'], tool: 'scrub', arg: 'nnsa' },
  ]);
});
