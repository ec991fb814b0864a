/**
 * Graph.Raid.Plan.InBand: boots the node into a microkernel and finds out there what a layout of RAID volumes would change, by
 * storcli64, perccli64 or mdadm. It changes no volume. It restarts the node at the end.
 *
 * - Options: `plan` with `volumes`, `deleteOthers`, `controller`, `tool`, as `Graph.Raid.Configure.InBand`; for the reboots those of
 *   `Task.Obm.Node.Reboot`, for the microkernel those of `Task.Linux.Bootstrap`.
 * - Irreversible: unwritten data of the node's operating system is lost.
 * - Output: the volumes that would be deleted and created, with the serial numbers of the drives whose content would be lost.
 *
 * Documentation: docs/operate/raid.md.
 */
import { DAY_MS, defineGraph, FAILED, failTo, failWithoutImage, type GraphError, MINUTE_MS } from 'nodewright/define';
import { assign } from 'xstate';
import collect from '../tasks/discovery-collect.ts';
import bootstrap from '../tasks/linux-bootstrap.ts';
import pxeBoot from '../tasks/obm-node-pxe-boot.ts';
import reboot from '../tasks/obm-node-reboot.ts';
import plan from '../tasks/raid-plan-in-band.ts';
import sleep from '../tasks/sleep.ts';
import finish from '../tasks/trigger-send-finish.ts';

interface Context {
  changes: unknown[];
  kept: string[];
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Raid.Plan.InBand',
    friendlyName: 'Plan RAID volumes in band',
    tasks: {
      'set-boot-pxe': { task: pxeBoot, timeoutMs: 10 * MINUTE_MS },
      'reboot-start': { task: reboot, timeoutMs: 15 * MINUTE_MS },
      bootstrap: { task: bootstrap, timeoutMs: DAY_MS },
      'wait-agent': { task: collect, timeoutMs: 120 * MINUTE_MS },
      'disk-scan-delay': sleep,
      plan: { task: plan, timeoutMs: 30 * MINUTE_MS },
      'finish-bootstrap': finish,
      'reboot-end': { task: reboot, timeoutMs: 15 * MINUTE_MS },
    },
    // The kernel needs this time to find the drives.
    options: { 'disk-scan-delay': { duration: 10_000 } },
    examples: [{ options: { plan: { volumes: [{ name: 'system', raid: 'RAID1', drives: { count: 2 } }] } } }],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Raid.Plan.InBand',
  context: { changes: [], kept: [], error: null },
  initial: 'planning',
  states: {
    planning: {
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
            looking: {
              invoke: {
                src: 'plan',
                onDone: {
                  target: 'releasing',
                  actions: assign({
                    changes: ({ event }) => event.output?.changes ?? [],
                    kept: ({ event }) => event.output?.kept ?? [],
                  }),
                },
                // The node is released even if the layout is not possible.
                onError: failTo('releasing'),
              },
            },
            releasing: { invoke: { src: 'finish-bootstrap', onDone: 'through', onError: failTo('#failed') } },
            through: { type: 'final' },
          },
        },
      },
      onDone: 'rebooting',
    },
    rebooting: {
      invoke: {
        src: 'reboot-end',
        onDone: [{ guard: ({ context }) => context.error !== null, target: 'failed' }, { target: 'planned' }],
        onError: failTo('failed'),
      },
    },
    planned: { type: 'final' },
    failed: { id: 'failed', type: 'final', tags: [FAILED] },
  },
  output: ({ context: { changes, kept } }) => ({ changes, kept }),
});
