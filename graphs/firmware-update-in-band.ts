/**
 * Graph.Firmware.Update.InBand: boots the node into a microkernel and updates firmware there that its BMC cannot: of NVMe, SATA and SAS
 * drives, and by packages of vendors. It restarts the node at the end.
 *
 * - Options: `update` with `updates` (`kind`, `model`, `version`, `file`, `sha256`, ...); for the reboots those of
 *   `Task.Obm.Node.Reboot`, for the microkernel those of `Task.Linux.Bootstrap`.
 * - Devices that have their version are left alone. Those that have it only after a restart get one, all of them the same. The versions
 *   are read from the devices at the end; the output lists them. The catalogs `smart` and `firmware-packages` get them.
 * - Irreversible: firmware is replaced; unwritten data of the node's operating system is lost. The data of the drives stays.
 * - Cancel: a device that is being written is brought to its end. After a cancel the node stays in the microkernel.
 * - Crash: an update continues on the node, and the next daemon watches it. It is begun once; a new launch looks at the versions first.
 *
 * Documentation: docs/operate/firmware.md.
 */
import {
  DAY_MS,
  defineGraph,
  FAILED,
  failTo,
  failWithoutImage,
  type GraphError,
  HOUR_MS,
  MINUTE_MS,
} from 'nodewright/define';
import { assign } from 'xstate';
import type { DeviceUpdate } from '../engine/hardware/firmware/device-updates.ts';
import type { UpdatedDevice, VerifiedFirmware } from '../engine/hardware/firmware/in-band-updates.ts';
import smart from '../tasks/catalog-smart.ts';
import collect from '../tasks/discovery-collect.ts';
import check from '../tasks/firmware-check-in-band.ts';
import update from '../tasks/firmware-update-in-band.ts';
import verify from '../tasks/firmware-verify-in-band.ts';
import bootstrap from '../tasks/linux-bootstrap.ts';
import pxeBoot from '../tasks/obm-node-pxe-boot.ts';
import reboot from '../tasks/obm-node-reboot.ts';
import sleep from '../tasks/sleep.ts';
import finish from '../tasks/trigger-send-finish.ts';

interface Context {
  updates: DeviceUpdate[] | null;
  /** null: no update has begun. */
  updated: UpdatedDevice[] | null;
  firmware: VerifiedFirmware | null;
  error: GraphError | null;
}

const nvme = {
  kind: 'nvme' as const,
  model: 'SAMSUNG MZQL23T8HCLS*',
  version: 'GDC5902Q',
  file: 'GDC5902Q.bin',
  sha256: 'b'.repeat(64),
};
const updatedDrive = {
  at: 0,
  device: 'nvme0n1',
  model: 'SAMSUNG MZQL23T8HCLS-00A07',
  serial: 'S64HNE0R502123',
  before: 'GDC5602Q',
  after: 'GDC5602Q',
};

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Firmware.Update.InBand',
    friendlyName: 'Update firmware in band',
    tasks: {
      check,
      'set-boot-pxe': { task: pxeBoot, timeoutMs: 10 * MINUTE_MS },
      reboot: { task: reboot, timeoutMs: 15 * MINUTE_MS },
      bootstrap: { task: bootstrap, timeoutMs: 2 * DAY_MS },
      'wait-agent': { task: collect, timeoutMs: 120 * MINUTE_MS },
      'disk-scan-delay': sleep,
      update: { task: update, timeoutMs: DAY_MS },
      verify: { task: verify, timeoutMs: HOUR_MS },
      'catalog-smart': { task: smart, timeoutMs: HOUR_MS / 6 },
      'finish-bootstrap': finish,
      'reboot-end': { task: reboot, timeoutMs: 15 * MINUTE_MS },
    },
    // The kernel needs this time to find the drives.
    options: { 'disk-scan-delay': { duration: 10_000 } },
    examples: [
      { options: { update: { updates: [nvme] } }, outputs: { update: [[{ ...updatedDrive, restart: true }]] } },
      {
        options: {
          update: {
            updates: [
              { ...nvme, kind: 'sata', model: 'INTEL SSDSCKKB240G8', version: 'XC311151', file: 'XC311151.bin' },
              {
                kind: 'package',
                model: 'PowerEdge R650',
                version: '1.15.2',
                file: 'BIOS_1.15.2.BIN',
                sha256: 'c'.repeat(64),
                package: {
                  args: ['-q'],
                  versionCommand: 'dmidecode -s bios-version',
                  restartCodes: [2],
                  nothingCodes: [3],
                },
              },
            ],
          },
        },
        outputs: { update: [[{ ...updatedDrive, restart: false }]] },
      },
    ],
  },
  {} as { context: Context },
);

const needsRestart = (devices: UpdatedDevice[] | undefined) => devices?.some(({ restart }) => restart) === true;

export default createMachine({
  id: 'Graph.Firmware.Update.InBand',
  context: ({ input }) => {
    const { update: request, defaults } = (input?.options ?? {}) as Record<
      string,
      { updates?: DeviceUpdate[] } | undefined
    >;
    return { updates: request?.updates ?? defaults?.updates ?? null, updated: null, firmware: null, error: null };
  },
  initial: 'checking',
  states: {
    checking: {
      invoke: {
        src: 'check',
        input: ({ context: { updates } }) => (updates === null ? {} : { updates }),
        onDone: 'updating',
        onError: failTo('failed'),
      },
    },
    updating: {
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
            rebooting: { invoke: { src: 'reboot', onDone: 'waiting', onError: failTo('#failed') } },
            waiting: { invoke: { src: 'wait-agent', onDone: 'delaying', onError: failTo('#failed') } },
            delaying: {
              invoke: {
                src: 'disk-scan-delay',
                onDone: [
                  { guard: ({ context }) => context.updated === null, target: 'writing' },
                  { target: 'verifying' },
                ],
                onError: failTo('#failed'),
              },
            },
            writing: {
              invoke: {
                src: 'update',
                onDone: [
                  {
                    guard: ({ event }) => needsRestart(event.output),
                    target: 'settingPxe',
                    actions: assign({ updated: ({ event }) => event.output ?? [] }),
                  },
                  { target: 'verifying', actions: assign({ updated: ({ event }) => event.output ?? [] }) },
                ],
                // The node is released even if a device was not updated.
                onError: failTo('releasing'),
              },
            },
            verifying: {
              invoke: {
                src: 'verify',
                input: ({ context: { updates, updated } }) => ({ updates: updates ?? [], updated: updated ?? [] }),
                onDone: { target: 'cataloging', actions: assign({ firmware: ({ event }) => event.output ?? null }) },
                onError: failTo('releasing'),
              },
            },
            // The versions are verified: only baselines need the catalog.
            cataloging: { invoke: { src: 'catalog-smart', onDone: 'releasing', onError: 'releasing' } },
            releasing: { invoke: { src: 'finish-bootstrap', onDone: 'through', onError: failTo('#failed') } },
            through: { type: 'final' },
          },
        },
      },
      onDone: 'restarting',
    },
    restarting: {
      invoke: {
        src: 'reboot-end',
        onDone: [{ guard: ({ context }) => context.error !== null, target: 'failed' }, { target: 'updated' }],
        onError: failTo('failed'),
      },
    },
    updated: { type: 'final' },
    failed: { id: 'failed', type: 'final', tags: [FAILED] },
  },
  output: ({ context: { firmware } }) => ({
    devices: firmware?.devices ?? [],
    unmatched: firmware?.unmatched ?? [],
  }),
});
