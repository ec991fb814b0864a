/**
 * Graph.Drive.SecureErase: boots the node into a microkernel and erases drives of it, all in parallel.
 *
 * - Options: `drive-secure-erase` with `eraseSettings`, `disk-scan-delay` (or `drive-scan-delay`) with `duration` in
 *   ms; for the reboots those of `Task.Obm.Node.Reboot`, for the microkernel those of `Task.Linux.Bootstrap`.
 * - Irreversible: erased data is lost, and so is unwritten data of the node's operating system.
 * - Cancel: scrub is stopped. An erase in firmware continues; the task names the drives, and power stays interlocked.
 * - Crash: the erase continues on the node, and the next daemon watches it. It is never restarted.
 *
 * Documentation: docs/operate/erase.md.
 */
import { DAY_MS, defineGraph, FAILED, failTo, failWithoutImage, type GraphError, MINUTE_MS } from 'nodewright/define';
import { assign } from 'xstate';
import driveId from '../tasks/catalog-drive-id.ts';
import lsblk from '../tasks/catalog-lsblk.ts';
import collect from '../tasks/discovery-collect.ts';
import check from '../tasks/drive-erase-check.ts';
import secureErase from '../tasks/drive-secure-erase.ts';
import bootstrap from '../tasks/linux-bootstrap.ts';
import pxeBoot from '../tasks/obm-node-pxe-boot.ts';
import reboot from '../tasks/obm-node-reboot.ts';
import sleep from '../tasks/sleep.ts';
import finish from '../tasks/trigger-send-finish.ts';

interface Context {
  settings: unknown;
  scanDelay: 'disk' | 'drive';
  plan: unknown[];
  drives: unknown;
  error: GraphError | null;
}

/** The kernel needs this time to find the drives. */
const SCAN_MS = 10_000;

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Drive.SecureErase',
    friendlyName: 'Secure Erase Drives',
    tasks: {
      'check-drives': check,
      'set-boot-pxe': { task: pxeBoot, timeoutMs: 10 * MINUTE_MS },
      'reboot-start': { task: reboot, timeoutMs: 15 * MINUTE_MS },
      bootstrap: { task: bootstrap, timeoutMs: 31 * DAY_MS },
      'wait-agent': { task: collect, timeoutMs: 120 * MINUTE_MS },
      'disk-scan-delay': sleep,
      'drive-scan-delay': sleep,
      'catalog-drive-id-before': { task: driveId, timeoutMs: 10 * MINUTE_MS },
      'catalog-lsblk-before': { task: lsblk, timeoutMs: 10 * MINUTE_MS },
      // Thirty-five passes over a large disk take weeks.
      'drive-secure-erase': { task: secureErase, timeoutMs: 30 * DAY_MS },
      'catalog-drive-id-after': { task: driveId, timeoutMs: 10 * MINUTE_MS },
      'catalog-lsblk-after': { task: lsblk, timeoutMs: 10 * MINUTE_MS },
      'finish-bootstrap': finish,
      'reboot-end': { task: reboot, timeoutMs: 15 * MINUTE_MS },
    },
    options: {
      'disk-scan-delay': { duration: SCAN_MS },
      'drive-scan-delay': { duration: SCAN_MS },
    },
    examples: [
      { options: { 'drive-secure-erase': { eraseSettings: [{ disks: ['sda'], tool: 'scrub', arg: 'nnsa' }] } } },
      {
        options: {
          'drive-secure-erase': { eraseSettings: [{ disks: ['sda'] }] },
          'drive-scan-delay': { duration: SCAN_MS },
        },
      },
    ],
  },
  {} as { context: Context },
);

const optionsOf = (request: Record<string, unknown> | undefined, label: string): Record<string, unknown> =>
  (request?.[label] ?? {}) as Record<string, unknown>;

export default createMachine({
  id: 'Graph.Drive.SecureErase',
  context: ({ input }) => ({
    settings: optionsOf(input?.options, 'drive-secure-erase').eraseSettings ?? null,
    // RackHD uses both names; the one of the interface document takes precedence.
    scanDelay: input?.options['drive-scan-delay'] && !input.options['disk-scan-delay'] ? 'drive' : 'disk',
    plan: [],
    drives: null,
    error: null,
  }),
  initial: 'checking',
  states: {
    checking: {
      invoke: {
        src: 'check-drives',
        input: ({ context }) => (context.settings === null ? {} : { eraseSettings: context.settings as never }),
        onDone: { target: 'erasing', actions: assign({ plan: ({ event }) => event.output?.drives ?? [] }) },
        onError: failTo('failed'),
      },
    },
    erasing: {
      type: 'parallel',
      states: {
        // While this task waits, every network boot of the node starts the microkernel.
        booting: {
          initial: 'parked',
          states: {
            parked: {
              invoke: {
                src: 'bootstrap',
                onDone: 'released',
                onError: failTo('#failed'),
              },
            },
            released: { type: 'final' },
          },
        },
        working: {
          initial: 'settingPxe',
          states: {
            settingPxe: {
              invoke: { src: 'set-boot-pxe', onDone: 'rebooting', onError: failWithoutImage('rebooting', '#failed') },
            },
            rebooting: {
              invoke: {
                src: 'reboot-start',
                onDone: 'waiting',
                onError: failTo('#failed'),
              },
            },
            waiting: {
              invoke: {
                src: 'wait-agent',
                onDone: [
                  { guard: ({ context }) => context.scanDelay === 'drive', target: 'delayingDrives' },
                  { target: 'delayingDisks' },
                ],
                onError: failTo('#failed'),
              },
            },
            delayingDisks: {
              invoke: {
                src: 'disk-scan-delay',
                onDone: 'lookingForDrives',
                onError: failTo('#failed'),
              },
            },
            delayingDrives: {
              invoke: {
                src: 'drive-scan-delay',
                onDone: 'lookingForDrives',
                onError: failTo('#failed'),
              },
            },
            // Drive names may have changed with the boot: drives are identified again, or nothing is erased.
            lookingForDrives: {
              invoke: {
                src: 'catalog-drive-id-before',
                onDone: 'looking',
                onError: failTo('#failed'),
              },
            },
            looking: { invoke: { src: 'catalog-lsblk-before', onDone: 'erasing', onError: 'erasing' } },
            erasing: {
              invoke: {
                src: 'drive-secure-erase',
                input: ({ context }) => ({ plan: context.plan }),
                onDone: {
                  target: 'lookingForDrivesAgain',
                  actions: assign({ drives: ({ event }) => event.output?.drives ?? null }),
                },
                // Drives are cataloged and the node is released even when a drive failed.
                onError: failTo('lookingForDrivesAgain'),
              },
            },
            lookingForDrivesAgain: {
              invoke: { src: 'catalog-drive-id-after', onDone: 'lookingAgain', onError: 'lookingAgain' },
            },
            lookingAgain: { invoke: { src: 'catalog-lsblk-after', onDone: 'releasing', onError: 'releasing' } },
            releasing: {
              invoke: {
                src: 'finish-bootstrap',
                onDone: 'through',
                onError: failTo('#failed'),
              },
            },
            through: { type: 'final' },
          },
        },
      },
      onDone: 'rebooting',
    },
    rebooting: {
      invoke: {
        src: 'reboot-end',
        onDone: [{ guard: ({ context }) => context.error !== null, target: 'failed' }, { target: 'erased' }],
        onError: failTo('failed'),
      },
    },
    erased: { type: 'final' },
    failed: { id: 'failed', type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ drives: context.drives }),
});
