/**
 * The machine of a task that runs an installer on the node.
 *
 * - **preparing**: selects the disk, hashes the passwords. Nothing of the node has changed.
 * - **installing**: the node boots the installer, which fetches its answer file and calls the callback when it has
 *   ended. Waits only, so it survives the daemon; a repeated request of a file changes nothing.
 * - **failing**: the installer reported a failure: a callback with `status=failed`, or RackHD's `status=fail`.
 */
import { type AnyStateMachine, assign, setup } from 'xstate';
import {
  type ActivityScope,
  activity,
  notification,
  PermanentError,
  release,
  type TaskInput,
} from '../../define/index.ts';
import type { DiskNames } from './install-disk.ts';
import { type InstallOptions, type InstallValues, installValues } from './install-values.ts';

/** How a system's installer is booted. Paths are below the file server, or URLs. */
export interface Installer {
  /** Absent: those of Linux. */
  diskNames?: DiskNames;
  /** The installation source unless the options have one. */
  repo(options: InstallOptions): string;
  kernel(values: InstallValues, options: InstallOptions): string;
  initrd?(values: InstallValues, options: InstallOptions): string;
}

/** The values of an installation, and the paths of its installer. */
interface PreparedInstall {
  install: InstallValues;
  kernel: string;
  initrd: string;
}

interface Context extends TaskInput<InstallOptions> {
  prepared: Partial<PreparedInstall>;
  report: Record<string, unknown>;
}

/** The output of such a task. */
export interface InstallOutput {
  disk: string | null;
  /** The parameters of the installer's callback. */
  report: Record<string, unknown>;
}

/** The name of an installation in the row: any name that no other wait has. */
const GROUP = 'installer';

const isFailed = (status: unknown): boolean => status === 'failed' || status === 'fail';

const fail = activity<{ report: Record<string, unknown> }, never>(async ({ input: { report } }) => {
  const said = typeof report.error === 'string' ? `: ${report.error.slice(0, 500)}` : '';
  throw new PermanentError(`the installer reported a failure${said}; read the console of the node`, 'INSTALL_FAILED');
});

export function installMachine(
  name: string,
  { diskNames = 'linux', repo, kernel, initrd }: Installer,
): AnyStateMachine {
  const prepare = activity<InstallOptions, PreparedInstall>(
    async ({ input, nodeId, services }: ActivityScope<InstallOptions>) => {
      if (nodeId === null) throw new PermanentError('a workflow without a node has no disk', 'NO_NODE');
      const install = await installValues(input, repo(input), await services.catalog(nodeId, 'driveId'), diskNames);
      return { install, kernel: kernel(install, input), initrd: initrd?.(install, input) ?? '' };
    },
  );
  const bootOf = ({ options, prepared: { install, kernel: path = '', initrd: disk = '' } }: Context) => ({
    profile: options.profile,
    kernel: path,
    ...(disk !== '' && { initrd: disk }),
    variables: { install: install ?? null },
  });
  return setup({
    types: {} as { context: Context; input: TaskInput<InstallOptions>; output: InstallOutput },
    actors: { prepare, release, notification, fail },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, prepared: {}, report: {} }),
    initial: 'preparing',
    states: {
      preparing: {
        invoke: {
          src: 'prepare',
          input: ({ context }) => context.options,
          onDone: { target: 'installing', actions: assign({ prepared: ({ event }) => event.output }) },
        },
      },
      installing: {
        type: 'parallel',
        states: {
          serving: {
            invoke: { src: 'release', input: ({ context }) => ({ group: GROUP, boot: bootOf(context) }) },
          },
          listening: {
            invoke: {
              src: 'notification',
              input: { broadcast: false },
              onDone: [
                {
                  guard: ({ event }) => isFailed(event.output?.status),
                  target: '#failing',
                  actions: assign({ report: ({ event }) => event.output }),
                },
                { target: '#done', actions: assign({ report: ({ event }) => event.output }) },
              ],
            },
          },
        },
      },
      failing: { id: 'failing', invoke: { src: 'fail', input: ({ context: { report } }) => ({ report }) } },
      done: { id: 'done', type: 'final' },
    },
    output: ({ context: { prepared, report } }) => ({ disk: prepared.install?.disk.linux ?? null, report }),
  });
}
