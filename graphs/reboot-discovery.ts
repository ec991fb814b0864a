/**
 * Graph.Reboot.Discovery: restarts the node into a microkernel, from the network or from virtual media, and discovers it there.
 *
 * - Options: `discover` with `graphOptions`, those of `Graph.SKU.Discovery` by label; `set-boot-pxe`; `reboot` with those of
 *   `Task.Obm.Node.Reboot`.
 * - Irreversible: unwritten data of the node's operating system is lost; what the graph of the SKU does.
 * - Cancel: the node is free at the same time as its discovery. It stays in the microkernel until it is restarted.
 * - Crash: the discovery and its restart continue; no power command is sent twice.
 *
 * Documentation: docs/operate/boot-without-dhcp.md.
 */
import { defineGraph, FAILED, failTo, failWithoutImage, type GraphError, HOUR_MS, MINUTE_MS } from 'nodewright/define';
import { assign } from 'xstate';
import graphRun from '../tasks/graph-run.ts';
import pxeBoot from '../tasks/obm-node-pxe-boot.ts';
import reboot from '../tasks/obm-node-reboot.ts';

interface Context {
  result: unknown;
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Reboot.Discovery',
    friendlyName: 'Restart and discover a node',
    tasks: {
      'set-boot-pxe': { task: pxeBoot, timeoutMs: 10 * MINUTE_MS },
      reboot: { task: reboot, timeoutMs: 15 * MINUTE_MS },
      // Longer than the wait of Graph.SKU.Discovery for the agent, and its collectors.
      discover: { task: graphRun, timeoutMs: 5 * HOUR_MS },
    },
    options: { discover: { graphName: 'Graph.SKU.Discovery' } },
    examples: [{}],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Reboot.Discovery',
  context: { result: null, error: null },
  initial: 'settingPxe',
  states: {
    settingPxe: {
      invoke: { src: 'set-boot-pxe', onDone: 'rebooting', onError: failWithoutImage('rebooting', 'failed') },
    },
    // A machine that asks for its boot before the discovery has begun has to wait, because this workflow holds it.
    rebooting: { invoke: { src: 'reboot', onDone: 'discovering', onError: failTo('failed') } },
    discovering: {
      invoke: {
        src: 'discover',
        onDone: { target: 'discovered', actions: assign({ result: ({ event }) => event.output?.output ?? null }) },
        onError: failTo('failed'),
      },
    },
    discovered: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => context.result,
});
