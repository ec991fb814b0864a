/**
 * Graph.Drive.SecureErase: boots the node into a microkernel and erases drives of it, all in parallel.
 *
 * - Options: `drive-secure-erase` with `eraseSettings`, `disk-scan-delay` (or `drive-scan-delay`) with `duration` in
 *   ms; for the reboots those of `Task.Obm.Node.Reboot`, for the microkernel those of `Task.Linux.Bootstrap`.
 * - Irreversible: erased data is lost, and so is unwritten data of the node's operating system.
 * - Cancel: scrub is stopped. An erase in firmware continues; the task names the drives, and power stays interlocked.
 * - Crash: the erase continues on the node, and the next daemon watches it. It is never restarted.
 *
 * Documentation: ERASE.md.
 */
import { assign } from 'xstate';
import { defineGraph, errorOf, FAILED, type NodeError } from '../engine/define/index.ts';
import driveId from '../tasks/catalog-drive-id.ts';
import lsblk from '../tasks/catalog-lsblk.ts';
import collect from '../tasks/discovery-collect.ts';
import check from '../tasks/drive-erase-check.ts';
import secureErase from '../tasks/drive-secure-erase.ts';
import bootstrap from '../tasks/linux-bootstrap.ts';
import pxeBoot from '../tasks/obm-pxe-boot.ts';
import reboot from '../tasks/obm-reboot.ts';
import sleep from '../tasks/sleep.ts';
import finish from '../tasks/trigger-send-finish.ts';

interface Context {
  settings: unknown;
  scanDelay: 'disk' | 'drive';
  plan: unknown[];
  drives: unknown;
  error: NodeError | null;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The kernel needs this time to find the drives. */
const SCAN_MS = 10_000;

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Drive.SecureErase',
    friendlyName: 'Secure Erase Drives',
    tasks: {
      'check-drives': check,
      'set-boot-pxe': pxeBoot,
      'reboot-start': reboot,
      bootstrap,
      'wait-agent': collect,
      'disk-scan-delay': sleep,
      'drive-scan-delay': sleep,
      'catalog-drive-id-before': driveId,
      'catalog-lsblk-before': lsblk,
      'drive-secure-erase': secureErase,
      'catalog-drive-id-after': driveId,
      'catalog-lsblk-after': lsblk,
      'finish-bootstrap': finish,
      'reboot-end': reboot,
    },
    options: {
      'set-boot-pxe': { _taskTimeout: 10 * MINUTE },
      'reboot-start': { _taskTimeout: 15 * MINUTE },
      bootstrap: { _taskTimeout: 31 * DAY },
      'wait-agent': { _taskTimeout: 120 * MINUTE },
      'disk-scan-delay': { duration: SCAN_MS },
      'drive-scan-delay': { duration: SCAN_MS },
      'catalog-drive-id-before': { _taskTimeout: 10 * MINUTE },
      'catalog-lsblk-before': { _taskTimeout: 10 * MINUTE },
      // Thirty-five passes over a large disk take weeks.
      'drive-secure-erase': { _taskTimeout: 30 * DAY },
      'catalog-drive-id-after': { _taskTimeout: 10 * MINUTE },
      'catalog-lsblk-after': { _taskTimeout: 10 * MINUTE },
      'reboot-end': { _taskTimeout: 15 * MINUTE },
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

interface Thrown {
  context: Context;
  event: { error: unknown };
}

const wrong = { error: ({ event }: Thrown) => errorOf(event.error) };
/** Keeps the first error. */
const alsoWrong = { error: ({ context, event }: Thrown) => context.error ?? errorOf(event.error) };

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
        onError: { target: 'failed', actions: assign(wrong) },
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
                onError: { target: '#failed', actions: assign(wrong) },
              },
            },
            released: { type: 'final' },
          },
        },
        working: {
          initial: 'settingPxe',
          states: {
            settingPxe: { invoke: { src: 'set-boot-pxe', onDone: 'rebooting', onError: 'rebooting' } },
            rebooting: {
              invoke: {
                src: 'reboot-start',
                onDone: 'waiting',
                onError: { target: '#failed', actions: assign(wrong) },
              },
            },
            waiting: {
              invoke: {
                src: 'wait-agent',
                onDone: [
                  { guard: ({ context }) => context.scanDelay === 'drive', target: 'delayingDrives' },
                  { target: 'delayingDisks' },
                ],
                onError: { target: '#failed', actions: assign(wrong) },
              },
            },
            delayingDisks: {
              invoke: {
                src: 'disk-scan-delay',
                onDone: 'lookingForDrives',
                onError: { target: '#failed', actions: assign(wrong) },
              },
            },
            delayingDrives: {
              invoke: {
                src: 'drive-scan-delay',
                onDone: 'lookingForDrives',
                onError: { target: '#failed', actions: assign(wrong) },
              },
            },
            // Drive names may have changed with the boot: drives are identified again, or nothing is erased.
            lookingForDrives: {
              invoke: {
                src: 'catalog-drive-id-before',
                onDone: 'looking',
                onError: { target: '#failed', actions: assign(wrong) },
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
                onError: {
                  target: 'lookingForDrivesAgain',
                  actions: assign(wrong),
                },
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
                onError: {
                  target: '#failed',
                  actions: assign(alsoWrong),
                },
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
        onError: {
          target: 'failed',
          actions: assign(alsoWrong),
        },
      },
    },
    erased: { type: 'final' },
    failed: { id: 'failed', type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ drives: context.drives }),
});
