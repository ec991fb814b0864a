/** The names of drives in a plan: model, serial number and size, by whatever catalogs a node has. */
import test from 'ava';
import { driveCatalogs, namedDrive } from '../../../engine/hardware/erase/named-drive.ts';

type Sources = Partial<Record<'driveId' | 'lsblk' | 'smart', unknown>>;

const named = async (devName: string, sources: Sources) =>
  namedDrive({ devName, wwid: '' }, await driveCatalogs(async (source) => sources[source as keyof Sources]));

const driveId = [{ devName: 'sda', esxiWwid: 'naa.5000c5008f0641fb' }];
const facts = { model: 'ST1', serial: 'Z1', size: 4_000 };
const shown = { name: 'sda', wwid: null, model: 'ST1', serial: 'Z1', sizeBytes: 4_000 };

test('the driveId catalog counts first, then lsblk, then smart; what no catalog has is null', async (t) => {
  const smart = [
    {
      'OS Device Name': '/dev/sda',
      SMART: {
        Identity: { 'Device Model': 'S', 'Serial Number': 'S3', 'User Capacity': '480,103,981,056 bytes [480 GB]' },
      },
    },
  ];
  t.deepEqual(await named('sda', {}), { name: 'sda', wwid: null, model: null, serial: null, sizeBytes: null });
  t.deepEqual(await named('sda', { smart }), { ...shown, model: 'S', serial: 'S3', sizeBytes: 480_103_981_056 });
  const lsblk = { blockdevices: [{ name: 'sda', ...facts, size: '4000' }] };
  t.deepEqual(await named('sda', { smart, lsblk }), shown);
  const own = [{ ...driveId[0], serial: ' D1 ', sizeBytes: 5_000 }];
  t.deepEqual(await named('sda', { smart, lsblk, driveId: own }), { ...shown, serial: 'D1', sizeBytes: 5_000 });
});

test('a drive that has got another name since is found by its WWN, and never under its old name', async (t) => {
  const other = { name: 'sda', wwn: '0x5000c500000000ff', model: 'Other', serial: 'O', size: 1 };
  const same = { name: 'sdb', wwn: '0x5000c5008f0641fb', ...facts };
  t.deepEqual(await named('sda', { driveId, lsblk: { blockdevices: [other, same] } }), shown);
  t.is((await named('sda', { driveId, lsblk: { blockdevices: [other] } })).serial, null);
});

test('the first half of a long WWN identifies nothing: volumes of one controller share it', async (t) => {
  const volume = [{ devName: 'sda', esxiWwid: 'naa.6001636001940a481ddebecb45264d4a' }];
  const half = { wwn: '0x6001636001940a48', ...facts };
  t.is((await named('sda', { driveId: volume, lsblk: { blockdevices: [{ name: 'sdb', ...half }] } })).serial, null);
  t.deepEqual(await named('sda', { driveId: volume, lsblk: { blockdevices: [{ name: 'sda', ...half }] } }), shown);
});

test('catalogs of any shape are harmless', async (t) => {
  for (const odd of [null, 1, 'x', [], {}, [null, 3, { SMART: 1 }], { blockdevices: 'none' }])
    t.is((await named('sda', { driveId: odd, lsblk: odd, smart: odd })).serial, null);
});
