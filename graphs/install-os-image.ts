/**
 * Graph.InstallOs.Image: boots the node into a microkernel, writes an image of a whole disk, and boots the disk.
 *
 * - Options: `write-image` with `image`, `sha256`, `format`, `disk` and the data of the first boot; for the microkernel those
 *   of `Task.Linux.Bootstrap`.
 * - Irreversible: the data of the disk is lost.
 * - Cancel: the write is stopped. The disk has a part of the image then; the task's error says so.
 * - Crash: the write continues on the node, and the next daemon watches it.
 *
 * Documentation: docs/operate/os-install.md.
 */
import { DAY_MS, defineGraph, FAILED, failTo, failWithoutImage, type GraphError, MINUTE_MS } from 'nodewright/define';
import { assign } from 'xstate';
import driveId from '../tasks/catalog-drive-id.ts';
import collect from '../tasks/discovery-collect.ts';
import bootstrap from '../tasks/linux-bootstrap.ts';
import diskBoot from '../tasks/obm-node-disk-boot.ts';
import pxeBoot from '../tasks/obm-node-pxe-boot.ts';
import reboot from '../tasks/obm-node-reboot.ts';
import bootWait from '../tasks/os-boot-wait.ts';
import check from '../tasks/os-image-check.ts';
import writeImage from '../tasks/os-image-write.ts';
import sleep from '../tasks/sleep.ts';
import finish from '../tasks/trigger-send-finish.ts';

interface Context {
  disk: unknown;
  plan: unknown[];
  written: unknown;
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.InstallOs.Image',
    friendlyName: 'Install an image',
    tasks: {
      'check-disk': check,
      'set-boot-pxe': { task: pxeBoot, timeoutMs: 10 * MINUTE_MS },
      'reboot-start': { task: reboot, timeoutMs: 15 * MINUTE_MS },
      bootstrap: { task: bootstrap, timeoutMs: 2 * DAY_MS },
      'wait-agent': { task: collect, timeoutMs: 120 * MINUTE_MS },
      'disk-scan-delay': sleep,
      'catalog-drive-id': { task: driveId, timeoutMs: 10 * MINUTE_MS },
      'write-image': { task: writeImage, timeoutMs: DAY_MS },
      'finish-bootstrap': finish,
      'set-boot-disk': { task: diskBoot, timeoutMs: 10 * MINUTE_MS },
      'reboot-end': { task: reboot, timeoutMs: 15 * MINUTE_MS },
      'first-boot': { task: bootWait, timeoutMs: 30 * MINUTE_MS },
    },
    options: {
      'disk-scan-delay': { duration: 10_000 },
      'write-image': { callback: '{{ task.callbacks.first-boot }}' },
    },
    examples: [
      {
        options: {
          'write-image': {
            image: 'http://10.1.1.1/debian-12.raw',
            sha256: '3'.repeat(64),
            disk: 'sda',
            hostname: 'node-1',
            rootPassword: 'correct-horse',
          },
        },
      },
    ],
  },
  {} as { context: Context },
);

const optionsOf = (request: Record<string, unknown> | undefined, label: string): Record<string, unknown> =>
  (request?.[label] ?? {}) as Record<string, unknown>;

export default createMachine({
  id: 'Graph.InstallOs.Image',
  context: ({ input }) => ({
    disk: optionsOf(input?.options, 'write-image').disk ?? optionsOf(input?.options, 'defaults').disk ?? null,
    plan: [],
    written: null,
    error: null,
  }),
  initial: 'checking',
  states: {
    checking: {
      invoke: {
        src: 'check-disk',
        input: ({ context }) => (context.disk === null ? {} : { disk: context.disk as string }),
        onDone: { target: 'writing', actions: assign({ plan: ({ event }) => event.output?.plan ?? [] }) },
        onError: failTo('failed'),
      },
    },
    writing: {
      type: 'parallel',
      states: {
        // While this task waits, every network boot of the node starts the microkernel.
        microkernel: {
          initial: 'parked',
          states: {
            parked: { invoke: { src: 'bootstrap', onDone: 'released', onError: failTo('#failed') } },
            released: { type: 'final' },
          },
        },
        working: {
          initial: 'settingPxe',
          states: {
            settingPxe: {
              invoke: { src: 'set-boot-pxe', onDone: 'rebooting', onError: failWithoutImage('rebooting', '#failed') },
            },
            rebooting: { invoke: { src: 'reboot-start', onDone: 'waiting', onError: failTo('#failed') } },
            waiting: { invoke: { src: 'wait-agent', onDone: 'delaying', onError: failTo('#failed') } },
            delaying: { invoke: { src: 'disk-scan-delay', onDone: 'looking', onError: failTo('#failed') } },
            // Names may have changed with the boot: the disk is found again by its wwid.
            looking: { invoke: { src: 'catalog-drive-id', onDone: 'copying', onError: failTo('#failed') } },
            copying: {
              invoke: {
                src: 'write-image',
                input: ({ context }) => ({ plan: context.plan }),
                onDone: { target: 'releasing', actions: assign({ written: ({ event }) => event.output }) },
                // The node is left in the microkernel: its disk may not boot.
                onError: failTo('#failed'),
              },
            },
            releasing: { invoke: { src: 'finish-bootstrap', onDone: 'through', onError: failTo('#failed') } },
            through: { type: 'final' },
          },
        },
      },
      onDone: 'settingDisk',
    },
    settingDisk: { invoke: { src: 'set-boot-disk', onDone: 'rebooting', onError: 'rebooting' } },
    rebooting: { invoke: { src: 'reboot-end', onDone: 'booting', onError: failTo('failed') } },
    booting: { invoke: { src: 'first-boot', onDone: 'installed', onError: failTo('failed') } },
    installed: { type: 'final' },
    failed: { id: 'failed', type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ written: context.written }),
});
