/** Graph.Drive.SecureErase with the real agent and the real scrub, on files instead of drives. */
import { join } from 'node:path';
import type { SanitizationRecord } from '../../engine/hardware/erase/record.ts';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { pathWithout, startAgent } from '../support/bmcs/agent.ts';
import type { BayDrive } from '../support/bmcs/bay.ts';
import { eraseOpener } from '../support/bmcs/erasing.ts';

const openErasing = eraseOpener();

const missing = ['scrub', 'setsid', 'curl'].filter((name) => onPath(name) === undefined);
const real = needing(missing.length === 0 ? undefined : `${missing.join(', ')} not installed`);

const two: BayDrive[] = [
  { name: 'sda', wwn: '5000c500000000aa' },
  { name: 'sdb', wwn: '5000c500000000bb', facts: { ROTA: '0' } },
];

const drivesIn = (certificate: Record<string, unknown> | undefined) =>
  (certificate?.drives ?? []) as unknown as SanitizationRecord[];

real.serial('the bytes of both drives are erased, each is certified, and scrub ran once on each', async (t) => {
  const { it, bay, erase, agent } = await openErasing(t, two);
  bay.counted('scrub');
  const before = ['sda', 'sdb'].map((name) => bay.read(name));
  const id = await erase([{ disks: ['sda'] }, { disks: [1], tool: 'scrub', arg: 'custom=0x5a' }]);
  const { said } = agent();
  const row = await it.finished(id);
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.true(bay.read('sda').every((byte) => byte === 0));
  t.true(bay.read('sdb').every((byte) => byte === 0x5a));
  t.deepEqual(
    before.map(({ length }) => length),
    ['sda', 'sdb'].map((name) => bay.read(name).length),
  );
  t.deepEqual(bay.lines().sort(), [
    `scrub -f -S -p custom=\\x5a ${bay.drive('sdb')}`,
    `scrub -f -S -p nnsa ${bay.drive('sda')}`,
  ]);
  const found = await it.engine.certificates.of(id);
  t.like(found?.certificate, { operator: 'erika', standard: 'NIST SP 800-88 Rev. 1', sanitized: true });
  const [first, second] = drivesIn(found?.certificate);
  t.like(first, {
    devName: 'sda',
    identifier: 0,
    wwid: 'naa.5000c500000000aa',
    make: 'ATA',
    model: 'Example Disk 1',
    serial: 'S-5000c500000000aa',
    mediaType: 'SATA magnetic disk',
    sizeBytes: 1024 * 1024,
    level: 'Clear',
    tool: 'scrub',
    result: 'sanitized',
    errors: [],
  });
  t.regex(first?.toolVersion ?? '', /^scrub version/);
  t.like(first?.verification, { result: 'passed', samples: 64, read: 64, matching: 64, unchanged: 0 });
  t.like(second, { devName: 'sdb', mediaType: 'SATA SSD', result: 'sanitized' });
  t.deepEqual(said, []);
});

real.serial("drives are identified by the kernel's data in a microkernel without udev", async (t) => {
  const { it, bay, erase, agent } = await openErasing(t, two);
  bay.withoutUdev();
  const id = await erase([{ disks: ['sdb'], arg: 'fillzero' }]);
  agent();
  const row = await it.finished(id);
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  const [record] = drivesIn((await it.engine.certificates.of(id))?.certificate);
  t.like(record, { devName: 'sdb', wwid: 'naa.5000c500000000bb', serial: 'S-5000c500000000bb', result: 'sanitized' });
});

real.serial('a microkernel without the tools of a job is reported before any drive is touched', async (t) => {
  const { it, bay, node, port, erase } = await openErasing(t, two);
  bay.counted('scrub');
  const id = await erase([{ disks: ['sda'] }]);
  const PATH = `${join(bay.home, 'bin')}:${pathWithout(t, 'od', 'scrub')}`;
  startAgent(t, port, node, { env: { ...bay.env, PATH } });
  const row = await it.finished(id);
  t.is(row.error?.code, 'ERASE_REJECTED');
  t.regex(row.error?.message ?? '', /nothing was done to any drive: node: the booted system lacks od/);
  t.deepEqual(bay.lines(), []);
});

real.serial(
  'one drive of two fails: the other is erased, the record of each reports it, and the graph fails',
  async (t) => {
    const { it, bay, erase, agent } = await openErasing(t, two);
    // Its second drive cannot be written.
    bay.program(
      'scrub',
      `case "$*" in *sdb) echo 'scrub: write: Input/output error'; exit 1 ;; esac\nexec '${onPath('scrub')}' "$@"\n`,
    );
    const kept = bay.read('sdb');
    const id = await erase([{ disks: ['/dev/sda', 'sdb'], arg: 'fillff' }]);
    agent();
    const row = await it.finished(id);
    t.is(row.status, 'failed');
    const message = 'sdb: scrub ended with 1: scrub: write: Input/output error. The certificate lists each drive';
    t.like(row.error, { code: 'ERASE_FAILED', message });
    t.is(row.tasks.find(({ label }) => label === 'drive-secure-erase')?.state, 'failed');
    t.is(row.tasks.find(({ label }) => label === 'reboot-end')?.state, 'succeeded');
    t.true(bay.read('sda').every((byte) => byte === 0xff));
    t.deepEqual(bay.read('sdb'), kept);
    const found = await it.engine.certificates.of(id);
    t.false(found?.certificate.sanitized);
    const [first, second] = drivesIn(found?.certificate);
    t.like(first, { result: 'sanitized', level: 'Clear' });
    t.like(second, { result: 'not sanitized', level: null, verification: { result: 'not done' } });
  },
);

real.serial('a drive that was not overwritten fails its verification, whatever its tool reports', async (t) => {
  const { it, bay, erase, agent } = await openErasing(t, two);
  bay.program('scrub', 'exit 0\n');
  const id = await erase([{ disks: ['sda'], arg: 'random' }]);
  agent();
  const row = await it.finished(id);
  t.regex(row.error?.message ?? '', /^sda: the verification failed/);
  const [drive] = drivesIn((await it.engine.certificates.of(id))?.certificate);
  t.like(drive, { result: 'not sanitized', level: null });
  t.like(drive?.verification, { result: 'failed', read: 64, unchanged: 64, oldContent: 64 });
});

real.serial(
  'drives that changed their names in the reboot are found by their wwids, and only those are erased',
  async (t) => {
    const { it, bay, erase, agent } = await openErasing(t, two);
    const kept = bay.read('sdb');
    const id = await erase([{ disks: ['sda'], arg: 'fillzero' }]);
    bay.swap('sda', 'sdb');
    agent();
    t.is((await it.finished(id)).status, 'succeeded');
    t.deepEqual(bay.read('sda'), kept);
    t.true(bay.read('sdb').every((byte) => byte === 0));
    t.like(drivesIn((await it.engine.certificates.of(id))?.certificate)[0], {
      devName: 'sdb',
      wwid: 'naa.5000c500000000aa',
    });
  },
);

real.serial('a missing drive ends the task run before any other is touched', async (t) => {
  const { it, bay, erase, agent } = await openErasing(t, two);
  bay.counted('scrub');
  const kept = bay.read('sda');
  const id = await erase([{ disks: ['sda', 'sdb'], arg: 'fillzero' }]);
  bay.unplug('sdb');
  agent();
  const row = await it.finished(id);
  t.is(row.error?.code, 'ERASE_REJECTED');
  t.regex(row.error?.message ?? '', /sdb \(naa\.5000c500000000bb\) is now in the catalog 0 times/);
  t.deepEqual(bay.read('sda'), kept);
  t.deepEqual(bay.lines(), []);
  t.is(await it.engine.certificates.of(id), undefined);
});

real.serial('a cancel during the erase stops scrub, and the task run reports the state of each drive', async (t) => {
  const { it, bay, erase, agent } = await openErasing(t, two);
  bay.counted('scrub');
  bay.hold();
  const id = await erase([{ disks: ['sda', 'sdb'], arg: 'gutmann' }]);
  agent();
  await it.until(() => bay.lines().length === 2);
  t.is(bay.running.length, 2);
  await it.engine.control.cancel(id);
  const row = await it.finished(id);
  t.is(row.status, 'cancelled');
  const error = row.tasks.find(({ label }) => label === 'drive-secure-erase')?.error;
  t.is(error?.code, 'TASK_CANCELLED');
  for (const name of ['sda', 'sdb']) {
    t.true(error?.message.includes(`${name}: scrub was stopped; a part of the drive is overwritten.`), error?.message);
  }
  t.deepEqual(bay.running, []);
});

real.serial('an agent that dies and comes back finds the erase running: scrub ran once', async (t) => {
  const { it, bay, erase, agent } = await openErasing(t, two);
  bay.counted('scrub');
  bay.hold();
  const id = await erase([{ disks: ['sda'], arg: 'fillff' }]);
  const first = agent();
  const begun = () => bay.lines();
  await it.until(() => begun().length === 1);
  await first.kill();
  t.is(bay.running.length, 1);
  agent();
  bay.go();
  t.is((await it.finished(id)).status, 'succeeded');
  t.is(begun().length, 1);
  t.true(bay.read('sda').every((byte) => byte === 0xff));
});

real.serial(
  'a node that was rebooted during the erase is not erased again: its drive is in an unknown state',
  async (t) => {
    const { it, bay, erase, agent } = await openErasing(t, two);
    bay.counted('scrub');
    bay.hold();
    const id = await erase([{ disks: ['sda'] }]);
    const first = agent();
    const begun = () => bay.lines();
    await it.until(() => begun().length === 1);
    await first.kill();
    bay.stop();
    bay.power();
    agent();
    const row = await it.finished(id);
    t.is(row.error?.code, 'DRIVE_STATE_UNKNOWN');
    t.regex(row.error?.message ?? '', /^sda: the node was rebooted in the meantime/);
    t.like(drivesIn((await it.engine.certificates.of(id))?.certificate)[0], { result: 'unknown', level: null });
    t.is(begun().length, 1);
  },
);
