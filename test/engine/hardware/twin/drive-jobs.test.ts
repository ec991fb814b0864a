/** The jobs on drives of a twin's machine: drives that go in between, images of any kind, an agent that is not there at the end. */
import test from 'ava';
import { commandOfScript } from '../../../../engine/define/script-items.ts';
import { factsOf, readyOf } from '../../../../engine/hardware/erase/facts.ts';
import { beginCommand, lookCommand, watchCommand } from '../../../../engine/hardware/erase/job-commands.ts';
import { type ImageWrite, imageFacts, writeImageCommand } from '../../../../engine/hardware/install/image-commands.ts';
import { answerCommand } from '../../../../engine/hardware/twin/commands/answer-command.ts';
import { withJobs } from '../../../../engine/hardware/twin/commands/drive-jobs.ts';
import type { SouthRequest } from '../../../../engine/hardware/twin/machine/twin-machine.ts';
import { type OfflineTwin, offlineTwin, runOn } from '../../../support/twin/offline-twin.ts';

/** The timers of a twin do not keep its process alive. */
const heartbeat = setInterval(() => {}, 1_000);
test.after.always(() => clearInterval(heartbeat));

const driveOf = ({ machine }: OfflineTwin, name: string) => machine.state.drives.find((drive) => drive.name === name);

/** Resolves at the first line of the ledger. */
async function begun(twin: OfflineTwin): Promise<void> {
  while (twin.ledger.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function eraseOf(twin: OfflineTwin, devName: string) {
  const looked = await answerCommand(runOn(twin, lookCommand([{ devName, tool: 'scrub' }]).command));
  const facts = factsOf(looked.stdout);
  const planned = [{ devName, identifier: 0, wwid: '', tool: 'scrub' as const, arg: 'fillzero' }];
  const { jobs } = readyOf(planned, facts);
  return { jobs, boot: facts.get('')?.boot ?? '' };
}

test('an erase of a drive that is swapped in between fails, and the new drive keeps its data', async (t) => {
  const twin = offlineTwin({ speed: 600 });
  const { jobs, boot } = await eraseOf(twin, 'sda');
  const running = answerCommand(runOn(twin, beginCommand('r', boot, jobs).command));
  await begun(twin);
  Object.assign(driveOf(twin, 'sda') ?? {}, { serial: 'NEW', content: 'data of another' });
  const facts = factsOf((await running).stdout).get('0');
  t.like(facts, { state: 'ended', exit: '1', said: 'scrub: /dev/sda: No such device or address' });
  t.is(driveOf(twin, 'sda')?.content, 'data of another');
  t.deepEqual(twin.ledger, ['sda scrub fillzero: begun', 'sda scrub fillzero: failed']);
});

test('an erase ends, with its line of the ledger, although its agent is gone', async (t) => {
  const twin = offlineTwin({ speed: 1 });
  const { jobs, boot } = await eraseOf(twin, 'sdb');
  const dying = new AbortController();
  const run = { ...runOn(twin, beginCommand('r', boot, jobs).command), signal: dying.signal };
  const running = answerCommand(run);
  await begun(twin);
  dying.abort(new Error('the agent has died'));
  await t.throwsAsync(running, { message: 'the agent has died' });
  t.regex(driveOf(twin, 'sdb')?.content ?? '', /^a part of scrub/);
  // Two minutes are over.
  for (const job of twin.machine.state.jobs) job.until = twin.machine.around.time.now();
  const ending = new AbortController();
  const idle = async (signal: AbortSignal) => {
    while (twin.ledger.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    ending.abort(new Error('the test ends'));
    signal.throwIfAborted();
  };
  await t.throwsAsync(withJobs(twin.machine, ending.signal, idle), { message: 'the test ends' });
  t.deepEqual(twin.ledger, ['sdb scrub fillzero: begun', 'sdb scrub fillzero: done']);
  t.is(driveOf(twin, 'sdb')?.content, 'every byte is 0x00');
  const { stdout } = await answerCommand(runOn(twin, watchCommand('r', boot, jobs).command));
  t.like(factsOf(stdout).get('0'), { state: 'ended', exit: '0' });
});

test('a reboot loses an erase: the drive has a part of it, and the ledger says so', async (t) => {
  const twin = offlineTwin({ speed: 60 });
  const { jobs, boot } = await eraseOf(twin, 'sda');
  const run = { ...runOn(twin, beginCommand('r', boot, jobs).command), signal: twin.machine.phaseSignal };
  const running = answerCommand(run);
  await begun(twin);
  await twin.machine.reboot('test');
  await running.catch(() => {}); // the agent is gone, and cannot report
  t.deepEqual(twin.ledger, ['sda scrub fillzero: begun', 'reboot: done', 'sda scrub fillzero: lost']);
  t.regex(driveOf(twin, 'sda')?.content ?? '', /^a part of scrub/);
  const { stdout } = await answerCommand(runOn(twin, watchCommand('r', boot, jobs).command));
  t.like(factsOf(stdout).get('0'), { state: 'lost' });
});

const write = (twin: OfflineTwin, more: Partial<ImageWrite> = {}): string =>
  writeImageCommand({
    run: 'i-1',
    devName: 'sdb',
    wwid: `naa.${driveOf(twin, 'sdb')?.wwn}`,
    url: 'http://127.0.0.1/x.raw',
    sha256: 'ab'.repeat(32),
    format: 'raw',
    grow: false,
    seed: {
      'meta-data': JSON.stringify({ 'local-hostname': "it's", 'nodewright-callback': 'http://127.0.0.1/c?nonce=1' }),
    },
    ...more,
  }).command;

const sized =
  (length: number) =>
  ({ method }: SouthRequest) =>
    method === 'HEAD' ? { status: 200, text: '', length } : undefined;

test('an image is written: the disk has its system, with the callback of its seed', async (t) => {
  const twin = offlineTwin({ answer: sized(1_000_000_000) });
  const { stdout } = await answerCommand(runOn(twin, write(twin, { format: 'xz', grow: true })));
  t.like(imageFacts(stdout), { code: 'OK', length: '3000000000', label: 'gpt', grown: 'sdb2', seed: 'sdb3' });
  t.regex(imageFacts(stdout).content ?? '', /^[0-9a-f]{64}$/);
  t.like(driveOf(twin, 'sdb')?.system, { name: 'x.raw', hostname: "it's", callbacks: ['http://127.0.0.1/c?nonce=1'] });
  t.deepEqual(twin.ledger, ['sdb image x.raw: begun', 'sdb image x.raw: done']);
});

for (const [what, more, length, code, message] of [
  ['a disk of another name', { devName: 'sdz' }, 1, 'INSTALL_REJECTED', /the node has no sdz; the disk is unchanged/],
  ['another disk', { wwid: 'naa.1' }, 1, 'INSTALL_REJECTED', /sdb is no longer the drive of the catalog/],
  ['a disk that is too small', {}, 3e12, 'IMAGE_TOO_LARGE', /the image has 3000000000000 bytes, and sdb has/],
] as const) {
  test(`an image for ${what} is rejected; the disk is unchanged`, async (t) => {
    const twin = offlineTwin({ answer: sized(length) });
    const { stdout } = await answerCommand(runOn(twin, write(twin, more)));
    t.is(imageFacts(stdout).code, code);
    t.regex(imageFacts(stdout).message ?? '', message);
    t.is(driveOf(twin, 'sdb')?.content, 'data of sdb');
  });
}

test('a cancel before the write leaves the disk, and one during it a part of the image', async (t) => {
  const checking = offlineTwin({ speed: 60, answer: sized(1_000_000_000_000) });
  const before = await answerCommand({
    ...runOn(checking, write(checking)),
    isCancelled: () => checking.ledger.length > 0,
  });
  t.is(before.stdout, 'The write had not begun; the disk is unchanged.\n');
  t.is(driveOf(checking, 'sdb')?.content, 'data of sdb');
  const writing = offlineTwin({ speed: 6_000, answer: sized(1_000_000_000_000) });
  const isWriting = () => writing.machine.state.jobs.some(({ image }) => image?.isWriting === true);
  const during = await answerCommand({ ...runOn(writing, write(writing)), isCancelled: isWriting });
  t.is(during.stdout, 'The write was stopped; the disk has a part of the image and does not boot.\n');
  t.regex(driveOf(writing, 'sdb')?.content ?? '', /^a part of image/);
  t.deepEqual(writing.ledger, ['sdb image x.raw: begun', 'sdb image x.raw: stopped']);
});

test("a script of RackHD fetches its file first, and RackHD's catalog of drives is that of the machine", async (t) => {
  const twin = offlineTwin({
    answer: ({ url }) => ({ status: url.endsWith('get_driveid.js') ? 200 : 404, text: '//' }),
  });
  const script = (file: string) =>
    commandOfScript({ downloadUrl: `http://127.0.0.1/${file}`, command: `sudo node ${file}` }, 60, false).command;
  const { exitCode, stdout } = await answerCommand(runOn(twin, script('get_driveid.js')));
  t.is(exitCode, 0);
  t.like(JSON.parse(stdout)[1], { devName: 'sda', identifier: 1, virtualDisk: '' });
  t.is((await answerCommand(runOn(twin, script('none.js')))).exitCode, 1);
});
