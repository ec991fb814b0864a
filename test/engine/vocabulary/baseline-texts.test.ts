/** Texts about baselines: names of differences, and which machines boot the microkernel. */
import test from 'ava';
import { deviceName, differenceName, microkernelText } from '../../../engine/vocabulary/baseline-texts.ts';

const drive = { kind: 'nvme', name: 'Flash 1*' };
const board = { kind: 'package', name: '2.0.bin' };
const bios = { kind: 'firmware', name: 'BIOS' };

test('what is updated in band has its kind in words', (t) => {
  t.is(differenceName(drive), 'NVMe drive Flash 1*');
  t.is(differenceName(board), 'package 2.0.bin');
  t.is(differenceName(bios), 'BIOS');
  t.is(deviceName({ kind: 'package', model: 'R1', file: 'bios/2.0.bin' }), '2.0.bin');
  t.is(deviceName({ kind: 'sas', model: 'Disk 9', file: 'disks/9.bin' }), 'Disk 9');
});

test('machines boot the microkernel for devices that differ or are not known, not for what the BMC changes', (t) => {
  const machine = (differences: object[], ...lacks: string[]) => ({ differences, lacks }) as never;
  t.is(microkernelText([]), undefined);
  t.is(microkernelText([machine([bios]), machine([], 'redfish-bios')]), undefined);
  t.is(
    microkernelText([machine([bios, drive]), machine([drive, board]), machine([bios])]),
    '2 of 3 nodes boot the microkernel for an update in band: NVMe drive Flash 1*, package 2.0.bin',
  );
  t.is(
    microkernelText([machine([], 'smart')]),
    '1 of 1 node boots the microkernel for an update in band: devices that are not known',
  );
});
