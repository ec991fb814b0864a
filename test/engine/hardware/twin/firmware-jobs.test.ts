/** Firmware in band on a machine of a twin: its answers are those of the scripts, and each update is begun once. */
import test from 'ava';
import { deviceLookIn, type TargetDevice, targetsIn } from '../../../../engine/hardware/firmware/device-look.ts';
import type { DeviceUpdate } from '../../../../engine/hardware/firmware/device-updates.ts';
import { deviceLook, updateCommand, wantedUpdate } from '../../../../engine/hardware/firmware/update-commands.ts';
import { answerCommand } from '../../../../engine/hardware/twin/commands/answer-command.ts';
import type { TimedFault } from '../../../../engine/hardware/twin/faults/fault.ts';
import { readFaults } from '../../../../engine/hardware/twin/faults/read-faults.ts';
import { offlineTwin, runOn } from '../../../support/twin/offline-twin.ts';

/** The timers of a twin do not keep its process alive. */
const heartbeat = setInterval(() => {}, 1_000);
test.after.always(() => clearInterval(heartbeat));

const sha256 = 'a'.repeat(64);
const drive: DeviceUpdate = { kind: 'nvme', model: 'Flash 1*', version: 'F2', file: 'f/F2.bin', sha256 };
const bios: DeviceUpdate = {
  kind: 'package',
  model: 'PowerEdge R650',
  version: '1.15.2',
  file: 'BIOS_1.15.2.BIN',
  sha256,
  package: { versionCommand: 'dmidecode -s bios-version' },
};

function scene({ status = 200, faults = [] as readonly TimedFault[] } = {}) {
  const twin = offlineTwin({ faults, answer: () => ({ status, text: '', length: 8 }) });
  const first = runOn(twin, '');
  const run = async (command: string, more = {}) =>
    (
      await answerCommand({
        ...first,
        image: { kernel: 'k', cmdline: 'nodewright.api=http://d/api/current' },
        command,
        ...more,
      })
    ).stdout;
  const targets = async (updates: DeviceUpdate[]) =>
    targetsIn(deviceLookIn(await run(deviceLook(updates).command), updates), { updates });
  const update = (id: string, one: DeviceUpdate, target: TargetDevice, boot = twin.machine.state.bootId) =>
    run(updateCommand({ run: id, wanted: wantedUpdate(one, target, boot) }).command);
  return { ...twin, run, targets, update };
}

test('a drive and a package are found by their models, updated once, and not in another boot', async (t) => {
  const { machine, ledger, asked, targets, update } = scene();
  const [flash, board] = (await targets([drive, bios])) as [TargetDevice, TargetDevice];
  t.like(flash, { at: 0, device: 'nvme0n1', serial: 'SN-NVME0N1', version: 'F1' });
  t.like(board, { at: 1, device: 'BIOS_1.15.2.BIN', model: 'PowerEdge R650', version: '1.13.2' });
  t.is(await update('w-0', drive, flash), 'after F2\nstate ended\ncode 0\nsaid done\n');
  t.is(await update('w-0', drive, flash), 'after F2\nstate ended\ncode 0\nsaid done\n');
  t.is(
    await update('w-1', bios, board),
    'after 1.13.2\nstate ended\ncode 2\nsaid done\n',
    'the next restart brings it',
  );
  t.is((await targets([drive]))[0]?.version, 'F2');
  t.is(machine.state.bmc.stagedBios, '1.15.2');
  t.is(await update('w-2', drive, flash, 'another'), 'state lost\n');
  t.is(await update('w-3', drive, { ...flash, serial: 'X' }), 'state changed\n');
  t.deepEqual(
    asked.map(({ method, url }) => `${method} ${url}`),
    ['HEAD http://d/f/F2.bin', 'HEAD http://d/BIOS_1.15.2.BIN'],
  );
  t.deepEqual(ledger, [
    'nvme0n1 nvme F2.bin: begun',
    'nvme0n1 nvme F2.bin: done',
    'package BIOS_1.15.2.BIN: begun',
    'package BIOS_1.15.2.BIN: done',
  ]);
});

test('a file that the daemon does not have, a fault, and a cancel leave what the scripts say', async (t) => {
  const missing = scene({ status: 404 });
  const [target] = (await missing.targets([drive])) as [TargetDevice];
  t.is(await missing.update('w-0', drive, target), 'state unavailable\n');
  t.deepEqual(missing.ledger, []);
  const { timed } = readFaults(`at 0 s: drive r01s01/nvme0n1 update fails
    at 0 s: bmc r01s01 update fails
    at 0 s: bmc r01s01 download breaks`);
  const failing = scene({ faults: timed });
  t.regex(await failing.update('w-0', drive, target), /^after F1\nstate ended\ncode 1\nsaid Invalid Firmware Image/);
  t.deepEqual(failing.ledger, ['nvme0n1 nvme F2.bin: begun', 'nvme0n1 nvme F2.bin: failed']);
  t.is(failing.asked.length, 2, 'the download that broke was begun again');
  t.regex(await failing.update('w-1', drive, target), /^after F2\n/, 'it was the fault of one update');
  const [board] = (await failing.targets([bios])) as [TargetDevice];
  const before = failing.ledger.length;
  t.regex(await failing.update('w-3', bios, board), /^after 1\.13\.2\nstate ended\ncode 1\nsaid Invalid/);
  t.is(failing.machine.state.bmc.stagedBios, undefined);
  t.deepEqual(failing.ledger.slice(before), ['package BIOS_1.15.2.BIN: begun', 'package BIOS_1.15.2.BIN: failed']);
  const { command } = updateCommand({ run: 'w-2', wanted: wantedUpdate(drive, target, failing.machine.state.bootId) });
  t.regex(await failing.run(command, { isCancelled: () => true }), /No firmware was written/);
});
