/** Self-erasing drives: the commands to them, and the protection of their power in the meantime. */
import type { SanitizationRecord } from '../../engine/hardware/erase/record.ts';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import type { BayDrive } from '../support/bmcs/bay.ts';
import { eraseOpener } from '../support/bmcs/erasing.ts';
import { withFirmware } from '../support/bmcs/firmware.ts';

const openErasing = eraseOpener();

const missing = ['setsid', 'curl'].filter((name) => onPath(name) === undefined);
const real = needing(missing.length === 0 ? undefined : `${missing.join(', ')} not installed`);

const nvme = { VENDOR: '', TRAN: 'nvme', ROTA: '0' };
const scsi = { VENDOR: 'HGST', TRAN: 'sas', ROTA: '0' };
const drives: BayDrive[] = [
  { name: 'sda', wwn: '5000c500000000aa' },
  { name: 'sdb', wwn: '5000c500000000bb', facts: scsi },
  { name: 'sdc', wwn: '5000c500000000cc', facts: scsi },
  { name: 'nvme0n1', wwn: '5000c500000000dd', facts: nvme },
  { name: 'nvme1n1', wwn: '5000c500000000ee', facts: nvme },
];

real.serial('each tool is called once with its arguments, and its drive is verified and certified', async (t) => {
  const { it, bay, erase, agent } = await openErasing(t, drives);
  withFirmware(bay);
  const id = await erase([
    { disks: ['sda'], tool: 'hdparm', arg: 'secure-erase-enhanced' },
    { disks: ['sdb'], tool: 'sg_sanitize' },
    { disks: ['sdc'], tool: 'sg_format' },
    { disks: ['nvme0n1'], tool: 'nvme_format', arg: 'crypto' },
    { disks: ['nvme1n1'], tool: 'nvme_sanitize' },
  ]);
  agent();
  const row = await it.finished(id);
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.deepEqual(bay.lines().sort(), [
    `hdparm --user-master u --security-erase-enhanced nodewright ${bay.drive('sda')}`,
    `nvme format ${bay.drive('nvme0n1')} --ses=2 --force`,
    `nvme sanitize ${bay.drive('nvme1')} --sanact=0x02`,
    `sg_format --format --quick --cmplst=1 ${bay.drive('sdc')}`,
    `sg_sanitize --block --quick ${bay.drive('sdb')}`,
  ]);
  const found = (await it.engine.certificates.of(id))?.certificate.drives as SanitizationRecord[];
  t.deepEqual(
    found.map(({ devName, level, mediaType, toolVersion }) => [devName, level, mediaType, toolVersion]),
    [
      ['sda', 'Purge', 'SATA magnetic disk', 'hdparm v9.65'],
      ['sdb', 'Purge', 'SAS SSD', 'version: 1.53 20211025'],
      ['sdc', 'Clear', 'SAS SSD', 'version: 1.53 20211025'],
      ['nvme0n1', 'Purge', 'NVMe SSD', 'nvme version 2.4 (git 2.4)'],
      ['nvme1n1', 'Purge', 'NVMe SSD', 'nvme version 2.4 (git 2.4)'],
    ],
  );
});

real.serial('a frozen drive ends the task run before any drive is touched', async (t) => {
  const { it, bay, erase, agent } = await openErasing(t, drives);
  withFirmware(bay);
  bay.counted('scrub');
  bay.mark('frozen');
  const id = await erase([{ disks: ['sdb'] }, { disks: ['sda'], tool: 'hdparm' }]);
  agent();
  const row = await it.finished(id);
  t.is(row.error?.code, 'ERASE_REJECTED');
  t.regex(row.error?.message ?? '', /sda is frozen by its firmware/);
  t.deepEqual(bay.lines(), []);
});

/** A tool that completes the first of four passes, and half of the second. */
const halfway = `dots=................................................
if [ "$1" = -v ]; then echo 'scrub version 2.6.1'; exit; fi
printf 'scrub: using NNSA NAP-14.1-C patterns\\nscrub: random  |%s|\\nscrub: random  |........................' "$dots"
while [ -e "$bay/hold" ]; do sleep 0.05; done
exit 1
`;

real.serial('progress is reported in percent, as each tool or drive prints it', async (t) => {
  const { it, bay, erase, agent } = await openErasing(t, drives);
  withFirmware(bay);
  bay.program('scrub', halfway);
  bay.hold();
  const id = await erase([
    { disks: ['sda'] },
    { disks: ['sdb'], tool: 'sg_sanitize', arg: 'crypto' },
    { disks: ['nvme1n1'], tool: 'nvme_sanitize' },
  ]);
  agent();
  const told = () => JSON.stringify(it.of(id, 'progress.updated').map(({ data }) => data));
  await it.until(() => told().includes('0 of 3 drives are done: sda 37% sdb 42% nvme1n1 25%'));
  t.true(told().includes('"34%"'));
  bay.go();
  t.is((await it.finished(id)).error?.code, 'ERASE_FAILED');
});

real.serial('while firmware erases, power is denied to every graph; an override is recorded', async (t) => {
  const { it, bay, node, erase, agent } = await openErasing(t, drives);
  withFirmware(bay);
  bay.hold();
  const id = await erase([{ disks: ['sda'], tool: 'hdparm' }]);
  agent();
  await it.until(() => bay.lines().length === 1);
  await it.engine.control.cancel(id);
  const cancelled = await it.finished(id);
  const said = cancelled.tasks.find(({ label }) => label === 'drive-secure-erase')?.error?.message ?? '';
  t.regex(said, /sda: hdparm continues in the firmware of the drive and cannot be stopped/);
  t.is(bay.running.length, 1);
  for (const name of ['Graph.Reboot.Node', 'Graph.Reset.Node', 'Graph.PowerOff.Node', 'Graph.PowerOn.Node']) {
    const { error } = await it.finished((await it.launch(name, {}, node)).id);
    t.is(error?.code, 'NODE_INTERLOCKED', name);
    t.regex(error?.message ?? '', /sda \(hdparm\)/);
  }
  await it.engine.library.putGraph({
    friendlyName: 'Parent',
    injectableName: 'Graph.Test.Parent',
    tasks: [{ label: 'child', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.Reset.Node' } }],
  });
  const parent = await it.launch('Graph.Test.Parent', {}, node);
  t.is((await it.finished(parent.id)).status, 'failed');
  const interlock = { force: true, by: 'erika', why: 'the room is on fire' };
  const forced = await it.finished(
    (await it.launch('Graph.Reset.Node', { defaults: { interlock } }, node)).id,
    WAIT_MS,
  );
  t.is(forced.status, 'succeeded');
  t.like(forced.tasks[0]?.output, { overridden: { ...interlock } });
});

real.serial('a cancel before the firmware has begun stops everything, and no interlock remains', async (t) => {
  const { it, bay, node, erase, agent } = await openErasing(t, drives);
  withFirmware(bay);
  // The process that reads the samples waits.
  bay.program('dd', 'while [ -e "$bay/hold" ]; do sleep 0.05; done\n');
  bay.hold();
  const id = await erase([{ disks: ['sda'], tool: 'hdparm' }]);
  agent();
  await it.until(() => bay.running.length === 1);
  await it.engine.control.cancel(id);
  const row = await it.finished(id);
  const said = row.tasks.find(({ label }) => label === 'drive-secure-erase')?.error?.message;
  t.is(said, 'the task was cancelled; sda: hdparm had not started.');
  t.deepEqual(bay.running, []);
  t.deepEqual(bay.lines(), []);
  t.is((await it.finished((await it.launch('Graph.Reset.Node', {}, node)).id)).status, 'succeeded');
});

real.serial(
  'a graph that erases and switches power in parallel is denied the power until the erase is over',
  async (t) => {
    const { it, bay, node, agent } = await openErasing(t, drives);
    withFirmware(bay);
    bay.hold();
    await it.engine.library.putGraph({
      friendlyName: 'Both',
      injectableName: 'Graph.Test.Both',
      tasks: [
        { label: 'erase', taskName: 'Task.Drive.SecureErase' },
        { label: 'go', taskName: 'Task.Wait.Notification' },
        { label: 'reset', taskName: 'Task.Obm.Node.Reset', waitOn: { go: 'succeeded' }, ignoreFailure: true },
        { label: 'reset-later', taskName: 'Task.Obm.Node.Reset', waitOn: { erase: 'succeeded' } },
      ],
    });
    const eraseSettings = [{ disks: ['sda'], tool: 'hdparm' }];
    const { id } = await it.launch('Graph.Test.Both', { erase: { eraseSettings } }, node);
    agent();
    await it.until(() => bay.lines().length === 1);
    await it.engine.notifications.notify({}, node);
    await it.until(async () => (await it.states(id)).reset === 'failed');
    bay.go();
    const row = await it.finished(id);
    t.is(row.tasks.find(({ label }) => label === 'reset')?.error?.code, 'NODE_INTERLOCKED');
    t.is(row.status, 'succeeded');
  },
);
