/**
 * Graph.Raid.Configure.InBand: boots the node into a microkernel and makes a layout of RAID volumes there, by storcli64, perccli64 or
 * mdadm. It restarts the node at the end.
 *
 * - Options: `configure` with `volumes` (as those of `Graph.Raid.Configure`), `deleteOthers`, `controller`, `tool`; for the reboots
 *   those of `Task.Obm.Node.Reboot`, for the microkernel those of `Task.Linux.Bootstrap`.
 * - Volumes that are there as wanted stay. The layout is planned again before each change, and verified after the last one.
 * - Irreversible: the content of the drives of new and deleted volumes is lost, and so is unwritten data of the node's operating system.
 *   `Graph.Raid.Plan.InBand` names the drives.
 * - Cancel, failure: volumes may be there or not. After a cancel the node stays in the microkernel.
 * - Crash: a change continues on the node, and the next daemon watches it. It is begun once.
 *
 * Documentation: docs/operate/raid.md.
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
import type { ListedChange } from '../engine/hardware/raid/raid-layout.ts';
import collect from '../tasks/discovery-collect.ts';
import bootstrap from '../tasks/linux-bootstrap.ts';
import pxeBoot from '../tasks/obm-node-pxe-boot.ts';
import reboot from '../tasks/obm-node-reboot.ts';
import configure from '../tasks/raid-configure-in-band.ts';
import sleep from '../tasks/sleep.ts';
import finish from '../tasks/trigger-send-finish.ts';

interface Context {
  changes: ListedChange[];
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Raid.Configure.InBand',
    friendlyName: 'Configure RAID volumes in band',
    tasks: {
      'set-boot-pxe': { task: pxeBoot, timeoutMs: 10 * MINUTE_MS },
      'reboot-start': { task: reboot, timeoutMs: 15 * MINUTE_MS },
      bootstrap: { task: bootstrap, timeoutMs: 2 * DAY_MS },
      'wait-agent': { task: collect, timeoutMs: 120 * MINUTE_MS },
      'disk-scan-delay': sleep,
      configure: { task: configure, timeoutMs: 4 * HOUR_MS },
      'finish-bootstrap': finish,
      'reboot-end': { task: reboot, timeoutMs: 15 * MINUTE_MS },
    },
    // The kernel needs this time to find the drives.
    options: { 'disk-scan-delay': { duration: 10_000 } },
    examples: [
      { options: { configure: { volumes: [{ name: 'system', raid: 'RAID1', drives: { count: 2 } }] } } },
      {
        options: { configure: { tool: 'mdadm', volumes: [{ name: 'system', raid: 'RAID1', serials: ['A1', 'A2'] }] } },
      },
    ],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Raid.Configure.InBand',
  context: { changes: [], error: null },
  initial: 'configuring',
  states: {
    configuring: {
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
            delaying: { invoke: { src: 'disk-scan-delay', onDone: 'configuring', onError: failTo('#failed') } },
            configuring: {
              invoke: {
                src: 'configure',
                onDone: { target: 'releasing', actions: assign({ changes: ({ event }) => event.output ?? [] }) },
                // The node is released even if its volumes are not as wanted.
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
        onDone: [{ guard: ({ context }) => context.error !== null, target: 'failed' }, { target: 'configured' }],
        onError: failTo('failed'),
      },
    },
    configured: { type: 'final' },
    failed: { id: 'failed', type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ changes: context.changes }),
});
