/**
 * Boots the installer of an operating system and waits until it reports: while this task waits, `GET /profiles` returns the
 * boot profile `profile`, and the options are variables of the profile and of every template that the node fetches. It does
 * not switch the node's power. As in RackHD, `rootEncryptedPassword` is the hash of `rootPassword`. The next notification of the node ends the task: with `status=fail` it fails.
 *
 * `installDisk` as a number is an `identifier` of the driveId catalog; without it the first SATA DOM or drive is taken.
 *
 * Output: the parameters of the notification.
 */
import {
  activity,
  type BootImage,
  defineTask,
  notification,
  PermanentError,
  release,
  type TaskInput,
  Type,
} from 'nodewright/define';
import { assign, setup } from 'xstate';
import { installDrive } from '../engine/hardware/install/install-disk.ts';
import { sha512Crypt } from '../engine/hardware/install/sha512-crypt.ts';

const name = 'Task.Os.Install';

const optionsSchema = Type.Object({
  profile: Type.String({
    minLength: 1,
    maxLength: 512,
    description: 'Boot profile of the node: from the pack of its SKU, else from the library.',
  }),
  osType: Type.Optional(Type.String({ maxLength: 256, description: '`esx`, or anything else for other systems.' })),
  installDisk: Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ['string', 'integer', 'null'],
      minimum: 0,
      maximum: 65_535,
      description: 'The drive: its name for the installer, or its number in the driveId catalog.',
    }),
  ),
  callbackOnly: Type.Optional(
    Type.Boolean({ description: 'Only the callback of this task run, `{{ task.callback }}`, ends the wait.' }),
  ),
});

interface Options extends Record<string, unknown> {
  profile: string;
  osType?: string;
  installDisk?: string | number | null;
  callbackOnly?: boolean;
}

interface Context extends TaskInput<Options> {
  values: InstallerValues | null;
  parameters: Record<string, unknown>;
}

/** Variables of the profile and the templates, besides the options. */
interface InstallerValues extends Record<string, unknown> {
  installDisk: string;
  rootEncryptedPassword?: string;
}

interface Drive {
  identifier?: unknown;
  linuxWwid?: unknown;
  esxiWwid?: unknown;
}

/** @throws PermanentError DISK_UNKNOWN */
function diskOf(installDisk: string | number | null | undefined, isEsx: boolean, catalog: unknown): string {
  if (typeof installDisk === 'string' && installDisk !== '') return installDisk;
  const drives: Drive[] = Array.isArray(catalog) ? catalog : [];
  const nameOf = (drive: Drive | undefined) => (isEsx ? drive?.esxiWwid : drive?.linuxWwid);
  if (typeof installDisk !== 'number') {
    const dom = drives.find(({ esxiWwid }) => String(esxiWwid).startsWith('t10'));
    return String(nameOf(dom ?? drives[0]) ?? (isEsx ? 'firstdisk' : 'sda'));
  }
  const diskName = nameOf(drives.find(({ identifier }) => identifier === installDisk));
  if (typeof diskName === 'string' && diskName !== '') return diskName;
  throw new PermanentError(
    `found no drive ${installDisk} in the node's driveId catalog; expected one of its identifiers`,
    'DISK_UNKNOWN',
  );
}

const resolveValues = activity<Options, InstallerValues>(async ({ input, nodeId, services }) => {
  if (nodeId === null) throw new PermanentError('a workflow without a node has no drives', 'NO_NODE');
  const { osType = '', installDisk, rootPassword } = input;
  const hash = typeof rootPassword === 'string' && rootPassword !== '' ? await sha512Crypt(rootPassword) : undefined;
  return {
    installDisk: diskOf(installDisk, /^esx$/i.test(osType), await services.catalog(nodeId, 'driveId')),
    ...(hash !== undefined && { rootEncryptedPassword: hash }),
  };
});

const reject = activity<Record<string, unknown>, never>(async ({ input: { error } }) => {
  const why = typeof error === 'string' && error !== '' ? error : 'without a reason';
  throw new PermanentError(`the installer reported a failure: ${why.slice(0, 500)}`, 'INSTALL_FAILED');
});

const bootOf = ({ options, values }: Context): BootImage => ({ profile: options.profile, variables: { ...values } });

export default defineTask<typeof optionsSchema, Record<string, unknown>>({
  injectableName: name,
  friendlyName: 'Install an operating system',
  // It only reads a catalog and waits.
  recovery: 'idempotent',
  destructive: true,
  drives: async ({ options: { installDisk }, catalog }) => {
    const drive = installDrive(installDisk === '' ? undefined : (installDisk ?? undefined), await catalog('driveId'));
    return drive && [drive];
  },
  optionsSchema,
  properties: { os: { type: 'install' } },
  machine: setup({
    types: {} as { context: Context; input: TaskInput<Options> },
    actors: { resolveValues, reject, release, notification },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, values: null, parameters: {} }),
    initial: 'preparing',
    states: {
      preparing: {
        invoke: {
          src: 'resolveValues',
          input: ({ context }) => context.options,
          onDone: { target: 'installing', actions: assign({ values: ({ event }) => event.output }) },
        },
      },
      installing: {
        invoke: [
          // No task releases it: it says what the node boots.
          { src: 'release', input: ({ context }) => ({ group: name, boot: bootOf(context) }) },
          {
            src: 'notification',
            input: ({ context }) => ({ callbackOnly: context.options.callbackOnly === true, broadcast: false }),
            onDone: [
              {
                guard: ({ event }) => event.output.status === 'fail',
                target: 'rejected',
                actions: assign({ parameters: ({ event }) => event.output }),
              },
              { target: 'done', actions: assign({ parameters: ({ event }) => event.output }) },
            ],
          },
        ],
      },
      rejected: { invoke: { src: 'reject', input: ({ context }) => context.parameters } },
      done: { type: 'final' },
    },
    output: ({ context }) => context.parameters,
  }),
});
