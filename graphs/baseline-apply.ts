/**
 * Graph.Baseline.Apply: brings the firmware and the BIOS of the node to a baseline over Redfish, with one restart at most, and then that
 * of devices that its BMC cannot update, in band.
 *
 * - Options: `compare` with `firmware` (components, their versions and images), `bios` (attributes) and `inBand` (devices, as the updates
 *   of `Graph.Firmware.Update.InBand`); `update` with `waitMs`, `restart` with those of `Task.Obm.Node.Reboot`, `verify` with `waitMs`.
 * - Versions and values that are there already are not sent. If any other is not possible, nothing is changed.
 * - Updates with `applyTime: OnReset` and BIOS attributes share the restart; without either there is none.
 * - Only if a device differs by its catalogs, or is not known, that graph runs, once for all of them; it boots the node into the
 *   microkernel, and restarts it. All of it is verified again afterwards.
 * - Irreversible: firmware is replaced; unwritten data of the operating system is lost with the restart. Cancel: a BMC that has an
 *   update continues. Crash: the update that runs on the BMC is followed; a new launch compares again.
 *
 * Documentation: docs/operate/baselines.md.
 */
import { DAY_MS, defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import type { BaselineInput, BaselinePlan } from '../engine/hardware/baseline/baseline-plan.ts';
import compare from '../tasks/baseline-compare.ts';
import verify from '../tasks/baseline-verify.ts';
import configure from '../tasks/bios-configure.ts';
import applyInBand from '../tasks/firmware-apply-in-band.ts';
import update from '../tasks/firmware-update.ts';
import reboot from '../tasks/obm-node-reboot.ts';

interface Context extends BaselinePlan {
  goal: Pick<BaselineInput, 'firmware' | 'bios' | 'inBand'>;
  /** Updates that have begun. */
  begun: number;
  isRestartNeeded: boolean;
  error: GraphError | null;
}

/** Its options are only known, and checked, when the node was compared. */
const comparedUpdate = { ...update, checkLaunch: undefined };

const hasMoreUpdates = ({ context }: { context: Context }) => context.begun < context.updates.length;
const hasAttributes = ({ context }: { context: Context }) => Object.keys(context.attributes).length > 0;
const hasDevices = ({ context }: { context: Context }) => context.inBand.length > 0;
const needsRestart = ({ context }: { context: Context }) => context.isRestartNeeded;

const drive = {
  kind: 'nvme' as const,
  model: 'SAMSUNG MZQL23T8HCLS*',
  version: 'GDC5902Q',
  file: 'GDC5902Q.bin',
  sha256: 'b'.repeat(64),
};

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Baseline.Apply',
    friendlyName: 'Bring a node to its baseline',
    tasks: {
      compare: { task: compare, timeoutMs: HOUR_MS / 6 },
      update: { task: comparedUpdate, timeoutMs: 3 * HOUR_MS },
      configure: { task: configure, timeoutMs: HOUR_MS / 6 },
      restart: { task: reboot, timeoutMs: HOUR_MS / 4 },
      verify: { task: verify, timeoutMs: 2 * HOUR_MS },
      'update-in-band': { task: applyInBand, timeoutMs: 3 * DAY_MS },
    },
    examples: [
      {
        options: {
          compare: {
            firmware: [
              { component: 'BMC', version: '7.10', file: 'bmc.bin' },
              { component: 'BIOS', version: '2.1.0', image: 'http://10.1.1.1/bios-2.1.0.bin', applyTime: 'OnReset' },
            ],
            bios: { BootMode: 'Uefi' },
          },
        },
        outputs: {
          compare: [
            {
              differences: [{ kind: 'firmware', name: 'BIOS', expected: '2.1.0', found: '1.9.0' }],
              updates: [
                { targets: ['BMC'], version: '7.10', file: 'bmc.bin' },
                { targets: ['BIOS'], version: '2.1.0', image: 'http://10.1.1.1/bios-2.1.0.bin', applyTime: 'OnReset' },
              ],
              attributes: { BootMode: 'Uefi' },
              inBand: [],
            },
          ],
          configure: [{ changed: { BootMode: { from: 'Legacy', to: 'Uefi' } }, restart: true }],
        },
      },
      {
        options: { compare: { bios: { BootMode: 'Uefi' } } },
        outputs: { compare: [{ differences: [], updates: [], attributes: {}, inBand: [] }] },
      },
      {
        options: { compare: { inBand: [drive] } },
        outputs: {
          compare: [
            {
              differences: [{ kind: 'nvme', name: drive.model, expected: 'GDC5902Q', found: 'GDC5602Q' }],
              updates: [],
              attributes: {},
              inBand: [drive],
            },
          ],
        },
      },
    ],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Baseline.Apply',
  context: ({ input }) => {
    const { firmware = [], bios = {}, inBand = [] } = (input?.options.compare ?? {}) as Partial<Context['goal']>;
    return {
      goal: { firmware, bios, inBand },
      differences: [],
      updates: [],
      attributes: {},
      inBand: [],
      begun: 0,
      isRestartNeeded: false,
      error: null,
    };
  },
  initial: 'comparing',
  states: {
    comparing: {
      invoke: {
        src: 'compare',
        onDone: {
          target: 'choosing',
          actions: assign(({ event }) => ({
            differences: event.output?.differences ?? [],
            updates: event.output?.updates ?? [],
            attributes: event.output?.attributes ?? {},
            inBand: event.output?.inBand ?? [],
          })),
        },
        onError: failTo('failed'),
      },
    },
    /** The next change. */
    choosing: {
      always: [
        { guard: hasMoreUpdates, target: 'updating' },
        { guard: hasAttributes, target: 'configuring' },
        { guard: needsRestart, target: 'restarting' },
        { target: 'verifying' },
      ],
    },
    updating: {
      invoke: {
        src: 'update',
        input: ({ context: { updates, begun } }) => ({ ...updates[begun] }),
        onDone: {
          target: 'choosing',
          actions: assign(({ context: { updates, begun, isRestartNeeded } }) => ({
            begun: begun + 1,
            isRestartNeeded: isRestartNeeded || updates[begun]?.applyTime === 'OnReset',
          })),
        },
        onError: failTo('failed'),
      },
    },
    configuring: {
      invoke: {
        src: 'configure',
        input: ({ context }) => ({ attributes: context.attributes }),
        onDone: {
          target: 'choosing',
          actions: assign(({ context, event }) => ({
            attributes: {},
            isRestartNeeded: context.isRestartNeeded || event.output?.restart === true,
          })),
        },
        onError: failTo('failed'),
      },
    },
    restarting: {
      invoke: {
        src: 'restart',
        onDone: 'verifying',
        onError: failTo('failed'),
      },
    },
    verifying: {
      invoke: {
        src: 'verify',
        // Until they are updated, devices may differ.
        input: ({ context: { goal, inBand } }) => ({ ...goal, inBand: inBand.length > 0 ? [] : goal.inBand }),
        onDone: [{ guard: hasDevices, target: 'updatingInBand' }, { target: 'applied' }],
        onError: failTo('failed'),
      },
    },
    /** After the BMC has written all of it: this graph restarts the node. */
    updatingInBand: {
      invoke: {
        src: 'update-in-band',
        input: ({ context: { inBand: updates } }) => ({ updates }),
        onDone: { target: 'verifying', actions: assign({ inBand: [], isRestartNeeded: true }) },
        onError: failTo('failed'),
      },
    },
    applied: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ differences: context.differences, restarted: context.isRestartNeeded }),
});
