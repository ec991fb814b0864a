/** How the firmware of devices differs by the catalogs of a node: of drives as smartctl prints them, and of packages. */
import test from 'ava';
import { deviceDrift, deviceSources } from '../../../../engine/hardware/firmware/device-drift.ts';
import type { DeviceUpdate } from '../../../../engine/hardware/firmware/device-updates.ts';

const updateOf = (more: Partial<DeviceUpdate>): DeviceUpdate => ({
  kind: 'nvme',
  model: 'ACME Flash 3*',
  version: 'F2',
  file: 'drives/f2.bin',
  sha256: 'a'.repeat(64),
  ...more,
});
const packageOf = (command: string): DeviceUpdate =>
  updateOf({ kind: 'package', model: 'Server R1', file: 'bios/2.0.bin', package: { versionCommand: command } });

const drive = (protocol: string, facts: object) => ({ device: { protocol }, ...facts });
const nvme = (version: string, model = 'ACME Flash 3200') =>
  drive('NVMe', { model_name: model, firmware_version: version });

const drift = (updates: DeviceUpdate[], catalogs: Record<string, unknown>) =>
  deviceDrift(updates, (source) => catalogs[source]);

test('drives of each kind are compared by their kind and model; those of other models are no difference', (t) => {
  const smart = {
    nvme0n1: nvme('F2'),
    nvme1n1: nvme('F1'),
    nvme2n1: nvme('F1', 'ACME Flash 4'),
    sda: drive('ATA', { model_name: 'Disk 4', firmware_version: 'F1' }),
    sdb: drive('SCSI', { scsi_vendor: 'ACME', scsi_product: 'SAS 9', scsi_revision: 'F1' }),
    sdc: drive('SCSI', { vendor: 'ACME', product: 'SAS 8', revision: 'F2' }),
    sdd: { smartctl: { exit_status: 2 } },
  };
  const updates = [
    updateOf({}),
    updateOf({ kind: 'sata', model: 'Disk 4' }),
    updateOf({ kind: 'sas', model: 'SAS 9' }),
    updateOf({ kind: 'sas', model: 'SAS 8' }),
    updateOf({ kind: 'sas', model: 'Disk 4' }),
  ];
  const difference = (kind: string, name: string) => ({ kind, name, expected: 'F2', found: 'F1' });
  t.deepEqual(drift(updates, { smart }) as object, {
    differences: [difference('nvme', 'ACME Flash 3*'), difference('sata', 'Disk 4'), difference('sas', 'SAS 9')],
    lacks: [],
  });
  t.like(drift([updateOf({})], { smart: { nvme0n1: nvme('') } }), { differences: { 0: { found: null } } });
});

test('without a catalog, and by one of another form, it is not known what differs', (t) => {
  t.deepEqual(deviceSources([updateOf({}), updateOf({ kind: 'sas' }), packageOf('a')]), ['smart', 'firmware-packages']);
  const unknown = { differences: [], lacks: ['smart'] };
  t.deepEqual(drift([updateOf({})], {}), unknown);
  // As agents of RackHD print it.
  t.deepEqual(drift([updateOf({})], { smart: [{ 'OS Device Name': '/dev/nvme0n1' }] }), unknown);
  const entries = [{ product: 'Server R1', versionCommand: 'a', version: 'F1' }];
  t.deepEqual(drift([packageOf('b')], { 'firmware-packages': entries }), {
    differences: [],
    lacks: ['firmware-packages'],
  });
});

test('a package differs by what its command printed on a machine of its product', (t) => {
  const found = (entry: object) =>
    drift([packageOf('a')], { 'firmware-packages': [{ product: 'Server R1', versionCommand: 'a', ...entry }] });
  t.deepEqual(found({ version: 'F1' }), {
    differences: [{ kind: 'package', name: '2.0.bin', expected: 'F2', found: 'F1' }],
    lacks: [],
  });
  const same = { differences: [], lacks: [] };
  t.deepEqual(found({ version: 'F2' }), same);
  t.deepEqual(found({ version: '' }), same, 'it has no such device');
  t.deepEqual(found({ version: 'F1', product: 'Server R2' }), same);
});
