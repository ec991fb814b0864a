/**
 * The machine of the graphs that run an installer: boot it over the network, wait for its callback, make the disk first
 * again, and wait until the installed system reports. The order is that of RackHD's graphs.
 */
import { type AnyStateMachine, assign } from 'xstate';
import { defineGraph, FAILED, failTo, type GraphError } from '../../define/index.ts';
import type { TaskDefinition } from '../../define/task.ts';
import { objectIn } from '../../vocabulary/json.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';

interface InstallGraph {
  injectableName: `Graph.${string}`;
  friendlyName: string;
  /** The labels of the task that runs the installer and of the one that waits for the system. RackHD's differ. */
  labels: { install: string; booted: string };
  tasks: {
    pxeBoot: TaskDefinition;
    reboot: TaskDefinition;
    install: TaskDefinition;
    diskBoot: TaskDefinition;
    bootWait: TaskDefinition;
  };
  /** Finds the files that the installer boots; they become the option `bootFiles` of its task. */
  analyze?: TaskDefinition;
  /** Options by label, lowest precedence. */
  options?: Record<string, Record<string, unknown>>;
  /** Options that the graph cannot do without. */
  example?: Record<string, Record<string, unknown>>;
}

interface Context {
  bootFiles: unknown;
  disk: unknown;
  error: GraphError | null;
}

const ANALYZE = 'analyze-repo';

export function installGraph(given: InstallGraph): AnyStateMachine {
  const { injectableName, friendlyName, labels, analyze, options = {}, example = {} } = given;
  const { pxeBoot, reboot, install, diskBoot, bootWait } = given.tasks;
  const tasks: Record<string, { task: TaskDefinition; timeoutMs: number }> = {
    ...(analyze && { [ANALYZE]: { task: analyze, timeoutMs: 5 * MINUTE_MS } }),
    'set-boot-pxe': { task: pxeBoot, timeoutMs: 10 * MINUTE_MS },
    reboot: { task: reboot, timeoutMs: 15 * MINUTE_MS },
    [labels.install]: { task: install, timeoutMs: 60 * MINUTE_MS },
    'set-boot-disk': { task: diskBoot, timeoutMs: 10 * MINUTE_MS },
    [labels.booted]: { task: bootWait, timeoutMs: 20 * MINUTE_MS },
  };
  const { createMachine } = defineGraph(
    { injectableName, friendlyName, tasks, options: options as never, examples: [{ options: example as never }] },
    {} as { context: Context },
  );
  return createMachine({
    id: injectableName,
    context: { bootFiles: null, disk: null, error: null },
    initial: analyze === undefined ? 'settingPxe' : 'analyzing',
    states: {
      ...(analyze && {
        analyzing: {
          invoke: {
            src: ANALYZE,
            onDone: {
              target: 'settingPxe',
              actions: assign({ bootFiles: ({ event }) => objectIn(event.output).bootFiles ?? null }),
            },
            onError: failTo('failed'),
          },
        },
      }),
      settingPxe: { invoke: { src: 'set-boot-pxe', onDone: 'rebooting', onError: 'rebooting' } },
      rebooting: { invoke: { src: 'reboot', onDone: 'installing', onError: failTo('failed') } },
      installing: {
        invoke: {
          src: labels.install,
          input: ({ context }) => (context.bootFiles === null ? {} : { bootFiles: context.bootFiles }) as never,
          onDone: { target: 'settingDisk', actions: assign({ disk: ({ event }) => event.output?.disk ?? null }) },
          onError: failTo('failed'),
        },
      },
      // The installer restarts the node in the meantime: it boots its disk either way.
      settingDisk: { invoke: { src: 'set-boot-disk', onDone: 'booting', onError: 'booting' } },
      booting: { invoke: { src: labels.booted, onDone: 'installed', onError: failTo('failed') } },
      installed: { type: 'final' },
      failed: { type: 'final', tags: [FAILED] },
    },
    output: ({ context }) => ({ disk: context.disk }),
  });
}
