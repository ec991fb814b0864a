/**
 * Writes an image to a disk of the node, through the agent of its microkernel: checks the whole image first, writes it, reads it
 * back, moves the backup of its partition table, extends its last partition, and adds the data of the first boot as a
 * cloud-init seed on a partition CIDATA.
 *
 * - **planning**: finds the disk in the newest driveId catalog, and makes the data of the first boot.
 * - **watching**: the node starts the job once in each of its boots, and reports how it ends. A daemon or an agent that dies
 *   finds it running; a cancel stops it. A node that was rebooted begins again: the same image may be written twice. A report
 *   that is lost is requested again a limited number of times, after a pause that a cancel ends.
 * - **concluding**: a bad image fails before anything is written. The message says what the disk has.
 *
 * Output: `{ devName, length, sha256, grown }`.
 */
import { defineTask, isNoUrl, secret, Type, type Violation } from 'nodewright/define';
import { chosenDrives, planOf } from '../engine/hardware/erase/plan.ts';
import {
  concludeImage,
  type ImageOptions,
  type ImageWritten,
  imageDrive,
  planImage,
} from '../engine/hardware/install/image-activities.ts';
import { type ImageWrite, writeImageCommand } from '../engine/hardware/install/image-commands.ts';
import { everyInstaller, linuxInstaller } from '../engine/hardware/install/install-options.ts';
import { contradictions } from '../engine/hardware/install/install-values.ts';
import { jobMachine } from '../engine/hardware/jobs/job-machine.ts';

const name = 'Task.Os.Image.Write';
const formats = ['raw', 'gz', 'xz', 'zst'] as const;
const { hostname, domain, rootPassword, rootSshKey, users, postInstallCommands } = everyInstaller;

const optionsSchema = Type.Object(
  {
    image: Type.String({
      pattern: '^[A-Za-z0-9._~:/?#@!&()*+,;=%-]+$',
      minLength: 1,
      maxLength: 2_048,
      description: 'URL of the image of a whole disk, or a path below the file server.',
    }),
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Checksum of the image as it is sent, hexadecimal.',
    }),
    format: Type.Unsafe<(typeof formats)[number]>({ type: 'string', enum: [...formats], description: 'Compression.' }),
    disk: Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.String({ minLength: 1, maxLength: 256 })], {
      description: 'Device name, identifier or wwid of the driveId catalog.',
    }),
    grow: Type.Boolean({ description: 'Extend the last partition to the end of the disk.' }),
    hostname,
    domain,
    rootPassword,
    rootSshKey,
    users,
    timezone: Type.Optional(linuxInstaller.timezone),
    postInstallCommands,
    callback: secret(Type.String({ maxLength: 2_048, description: 'The URL that the installed system calls.' })),
    plan: Type.Optional(
      Type.Array(Type.Unknown(), { description: 'Set by the graph: the drive that its check found.' }),
    ),
  },
  { additionalProperties: false },
);

const noWrite: ImageWrite = {
  run: '',
  devName: '',
  wwid: '',
  url: '',
  sha256: '',
  format: 'raw',
  grow: false,
  seed: {},
};

export default defineTask<typeof optionsSchema, ImageWritten>({
  injectableName: name,
  friendlyName: 'Write an image to a disk',
  // Never restarted automatically. The command is idempotent, and declares that itself.
  recovery: 'once',
  destructive: true,
  optionsSchema,
  options: { format: 'raw', grow: true, hostname: 'localhost', users: [], postInstallCommands: [] },
  machine: jobMachine<ImageOptions, ImageWrite, ImageWritten>(name, {
    plan: planImage,
    commandOf: writeImageCommand,
    conclude: concludeImage,
    none: noWrite,
  }),
  // None of its activities touches a disk.
  probe: async () => ({ state: 'never-started' }),
  drives: async ({ options: { disk }, catalog }) =>
    disk === undefined ? undefined : chosenDrives(planOf([{ disks: [disk] }], await catalog('driveId'))),
  checkLaunch: async ({ options, nodeId, catalog }) => {
    const given = options as Partial<ImageOptions>;
    if (nodeId === null) return [{ path: 'disk', message: 'needs a node; launch the graph on one' }];
    const violations: Violation[] = [...contradictions(given)];
    if (given.image !== undefined && isNoUrl(given.image))
      violations.push({
        path: 'image',
        message: `found ${given.image}; expected a URL, or a path below the file server`,
      });
    if (given.plan !== undefined) violations.push({ path: 'plan', message: 'is unknown here; leave it out' });
    if (given.disk === undefined) return violations;
    try {
      imageDrive(given.disk, await catalog('driveId'));
    } catch (error) {
      violations.push({ path: 'disk', message: (error as Error).message.replace(/^disk: /, '') });
    }
    return violations;
  },
});
