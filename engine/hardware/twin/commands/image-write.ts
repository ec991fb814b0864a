/**
 * Answers the command that writes an image to a disk. The image is not fetched: its server is asked for its size, which says
 * how long the write takes. Its checksum is taken as right.
 */
import { createHash } from 'node:crypto';
import { MIB } from '../../../vocabulary/units.ts';
import { IMAGE_LEFT } from '../../install/image-commands.ts';
import type { DriveJob, ImageOfJob } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { type CommandAnswer, type CommandRun, commandAnswer, pauseOfWatch, watchTime } from './command-run.ts';
import { type DriveFacts, driveNamed } from './drive-facts.ts';
import { addJob, hasJobEnded, jobOf, settleJobs, stopJob } from './drive-jobs.ts';
import { type FetchedFile, fetchedFile } from './fetched-file.ts';
import { shellAssignments } from './shell-words.ts';

/** A rejected image is known soon. */
const REJECTION_MS = 5_000;
const OTHER_STAGES_MS = 15_000;
const BYTES_PER_MS = (200 * MIB) / 1_000;
/** How much larger an image is than its compressed form. */
const RATIO = 3;

export const isImageWrite = (command: string): boolean => command.includes(IMAGE_LEFT);

interface WantedImage {
  run: string;
  limitMs: number;
  /** The exit code when the time is over before the write. */
  runningCode: number;
  name: string;
  wwid: string;
  url: string;
  sum: string;
  format: string;
  isGrown: boolean;
  hostname: string;
  callback: string;
}

const SEED_FILE = /cat >"\$1\/seed\/meta-data" <<'(\S+)'\n([\s\S]*?)\n\1/;

/** @param command one of `writeImageCommand` */
function wantedOf(command: string): WantedImage {
  const {
    run = '',
    limit = '600',
    running = '',
    wanted = '',
  } = shellAssignments(command.slice(0, command.indexOf('\nseed() {\n')));
  const { name = '', wwid = '', url = '', sum = '', format = '', grow = '' } = shellAssignments(wanted);
  const metaData = JSON.parse(SEED_FILE.exec(command)?.[2] ?? '{}') as Record<string, string>;
  const { 'local-hostname': hostname = 'localhost', 'nodewright-callback': callback = '' } = metaData;
  return {
    run,
    limitMs: Number(limit) * 1_000,
    runningCode: Number(running),
    name,
    wwid,
    url,
    sum,
    format,
    isGrown: grow === 'yes',
    hostname,
    callback,
  };
}

export async function answerImageWrite(run: CommandRun): Promise<CommandAnswer> {
  const { machine } = run;
  const wanted = wantedOf(run.command);
  if (jobOf(machine, wanted.run) === undefined && !run.isCancelled()) await begin(run, wanted);
  const isTimeOver = watchTime(machine, wanted.limitMs);
  for (;;) {
    await settleJobs(machine);
    const job = jobOf(machine, wanted.run);
    if (job === undefined || run.isCancelled()) return stop(machine, job);
    if (hasJobEnded(job)) return commandAnswer(outcomeText(job));
    if (isTimeOver()) return commandAnswer('running yes\n', wanted.runningCode);
    run.progress(`${stageOf(machine, job)}`);
    await pauseOfWatch(run);
  }
}

async function stop(machine: Machine, job: DriveJob | undefined): Promise<CommandAnswer> {
  if (job !== undefined) await stopJob(machine, job);
  const text =
    job?.image?.isWriting === true
      ? 'The write was stopped; the disk has a part of the image and does not boot.'
      : 'The write had not begun; the disk is unchanged.';
  return commandAnswer(`${text}\n`);
}

const stages = ['checking the image', 'writing', 'reading back', 'adapting the partitions'];

function stageOf(machine: Machine, { until, image }: DriveJob): string {
  const { writesAt = until } = image ?? {};
  const share = (machine.around.time.now() - writesAt) / Math.max(1, until - writesAt);
  const stage = share < 0 ? 0 : share < 0.7 ? 1 : share < 0.95 ? 2 : 3;
  return `${stage + 1} 5 ${stages[stage]}`;
}

function outcomeText({ image, drive }: DriveJob): string {
  if (image === undefined) return '';
  const { problem } = image;
  if (problem !== undefined) return `code ${problem.code}\nmessage ${problem.message}; the disk is unchanged\n`;
  const part = (n: number) => `${drive}${/\d$/.test(drive) ? 'p' : ''}${n}`;
  const facts = {
    code: 'OK',
    length: image.bytes,
    content: contentSum(image),
    label: 'gpt',
    grown: image.isGrown ? part(2) : 'no',
    seed: part(3),
  };
  return Object.entries(facts)
    .map(([key, value]) => `${key} ${value}\n`)
    .join('');
}

/** The checksum of the unpacked image: that of a raw one is given. */
const contentSum = ({ sha256, isPacked }: ImageOfJob): string =>
  isPacked ? createHash('sha256').update(`unpacked ${sha256}`).digest('hex') : sha256;

async function begin(run: CommandRun, wanted: WantedImage): Promise<void> {
  const { machine } = run;
  const drive = driveNamed(machine, wanted.name);
  const problem =
    drive === undefined ? rejectionOf(`the node has no ${wanted.name}`) : wrongDisk(machine, drive, wanted);
  const file: FetchedFile = problem === undefined ? await fetchedFile(run, wanted.url) : { bytes: 0 };
  if (run.isCancelled()) return;
  const started = machine.around.time.now();
  const image = imageOf(wanted, file.bytes, started);
  const rejection = problem ?? (file.curl === undefined ? tooLarge(image, drive) : unavailable(file.curl));
  if (rejection !== undefined) image.problem = rejection;
  const written = image.writesAt + Math.round((1.5 * image.bytes) / BYTES_PER_MS) + OTHER_STAGES_MS;
  await addJob(machine, {
    id: wanted.run,
    kind: 'image',
    drive: wanted.name,
    serial: drive?.state.serial ?? '',
    started,
    until: image.problem === undefined ? written : started + REJECTION_MS,
    tool: 'image',
    arg: image.system.name,
    contentBefore: drive?.state.content ?? '',
    image,
  });
}

function imageOf(
  { url, sum, format, isGrown, hostname, callback }: WantedImage,
  size: number,
  started: number,
): ImageOfJob {
  const isPacked = format !== 'raw';
  const name = url.split(/[?#]/)[0]?.split('/').at(-1) || 'image';
  return {
    url,
    sha256: sum,
    bytes: isPacked ? size * RATIO : size,
    isPacked,
    isGrown,
    writesAt: started + Math.round(size / BYTES_PER_MS),
    isWriting: false,
    system: { name, hostname, since: 0, callbacks: callback === '' ? [] : [callback] },
  };
}

type Problem = NonNullable<ImageOfJob['problem']>;

const rejectionOf = (message: string): Problem => ({ code: 'INSTALL_REJECTED', message });

function wrongDisk(machine: Machine, drive: DriveFacts, { name, wwid }: WantedImage): Problem | undefined {
  if (![drive.link, drive.esxi, drive.wwn].includes(wwid))
    return rejectionOf(`${name} is no longer the drive of the catalog`);
  const busy = machine.state.jobs.some((job) => job.drive === name && !hasJobEnded(job));
  return busy ? rejectionOf(`another job writes ${name}`) : undefined;
}

function tooLarge({ bytes }: ImageOfJob, drive: DriveFacts | undefined): Problem | undefined {
  const size = drive?.model.bytes ?? 0;
  if (bytes <= size) return undefined;
  return { code: 'IMAGE_TOO_LARGE', message: `the image has ${bytes} bytes, and ${drive?.name} has ${size}` };
}

const unavailable = (code: number): Problem => ({
  code: 'IMAGE_UNAVAILABLE',
  message: `the image cannot be fetched (curl ended with ${code})`,
});
