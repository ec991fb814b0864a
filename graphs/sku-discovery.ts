/**
 * Graph.SKU.Discovery: identifies a node. It boots a microkernel whose agent collects catalogs, assigns the SKU,
 * publishes `node.discovered`, and runs the SKU's graph.
 *
 * - A failing collector, for example without its tool or a BMC, is skipped.
 * - `{ "collect": { "from": "catalogs" } }` uses the catalogs posted so far instead of an agent.
 * - Any other failure fails the workflow and is stored in the node's record.
 *
 * The graph itself is read-only; the SKU's graph may not be.
 */
import { type DiscoveryOutcome, defineGraph, FAILED, failTo, type GraphError, MINUTE_MS } from 'nodewright/define';
import { assign } from 'xstate';
import bmc from '../tasks/catalog-bmc.ts';
import dmi from '../tasks/catalog-dmi.ts';
import driveId from '../tasks/catalog-drive-id.ts';
import ipmi from '../tasks/catalog-ipmi.ts';
import lsblk from '../tasks/catalog-lsblk.ts';
import lshw from '../tasks/catalog-lshw.ts';
import network from '../tasks/catalog-network.ts';
import ohai from '../tasks/catalog-ohai.ts';
import pci from '../tasks/catalog-pci.ts';
import smart from '../tasks/catalog-smart.ts';
import collect from '../tasks/discovery-collect.ts';
import graphRun from '../tasks/graph-run.ts';
import bootstrap from '../tasks/linux-bootstrap.ts';
import nodeDiscovered from '../tasks/node-discovered.ts';
import nodeError from '../tasks/node-error.ts';
import finish from '../tasks/trigger-send-finish.ts';

interface Context {
  found: DiscoveryOutcome | null;
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.SKU.Discovery',
    friendlyName: 'Discover a node',
    tasks: {
      bootstrap,
      // A server with much memory boots slowly, and a person may have to switch it on.
      collect: { task: collect, timeoutMs: 120 * MINUTE_MS },
      'catalog-dmi': { task: dmi, timeoutMs: 10 * MINUTE_MS },
      'catalog-lsblk': { task: lsblk, timeoutMs: 10 * MINUTE_MS },
      'catalog-lshw': { task: lshw, timeoutMs: 10 * MINUTE_MS },
      'catalog-drive-id': { task: driveId, timeoutMs: 10 * MINUTE_MS },
      'catalog-bmc': { task: bmc, timeoutMs: 10 * MINUTE_MS },
      'catalog-ipmi': { task: ipmi, timeoutMs: 15 * MINUTE_MS },
      'catalog-smart': { task: smart, timeoutMs: 10 * MINUTE_MS },
      'catalog-network': { task: network, timeoutMs: 10 * MINUTE_MS },
      'catalog-pci': { task: pci, timeoutMs: 10 * MINUTE_MS },
      'catalog-ohai': { task: ohai, timeoutMs: 10 * MINUTE_MS },
      'finish-bootstrap': finish,
      classify: nodeDiscovered,
      'run-sku-graph': graphRun,
      'note-error': nodeError,
    },
    examples: [
      {},
      { options: { collect: { from: 'catalogs' } } },
      {
        outputs: {
          classify: [{ sku: 'the id of a SKU', graphName: 'Graph.Of.The.Sku', graphOptions: {} }],
        },
      },
    ],
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.SKU.Discovery',
  context: { found: null, error: null },
  initial: 'collecting',
  states: {
    collecting: {
      type: 'parallel',
      states: {
        booting: {
          initial: 'parked',
          states: {
            parked: {
              invoke: {
                src: 'bootstrap',
                onDone: 'released',
                onError: failTo('#noting'),
              },
            },
            released: { type: 'final' },
          },
        },
        looking: {
          initial: 'waiting',
          states: {
            waiting: {
              invoke: {
                src: 'collect',
                onDone: [
                  { guard: ({ event }) => event.output?.results?.length > 0, target: 'dmi' },
                  { target: 'releasing' },
                ],
                onError: failTo('#noting'),
              },
            },
            dmi: { invoke: { src: 'catalog-dmi', onDone: 'lsblk', onError: 'lsblk' } },
            lsblk: { invoke: { src: 'catalog-lsblk', onDone: 'lshw', onError: 'lshw' } },
            lshw: { invoke: { src: 'catalog-lshw', onDone: 'driveId', onError: 'driveId' } },
            driveId: { invoke: { src: 'catalog-drive-id', onDone: 'bmc', onError: 'bmc' } },
            bmc: { invoke: { src: 'catalog-bmc', onDone: 'ipmi', onError: 'ipmi' } },
            ipmi: { invoke: { src: 'catalog-ipmi', onDone: 'smart', onError: 'smart' } },
            smart: { invoke: { src: 'catalog-smart', onDone: 'network', onError: 'network' } },
            network: { invoke: { src: 'catalog-network', onDone: 'pci', onError: 'pci' } },
            pci: { invoke: { src: 'catalog-pci', onDone: 'ohai', onError: 'ohai' } },
            ohai: { invoke: { src: 'catalog-ohai', onDone: 'releasing', onError: 'releasing' } },
            releasing: {
              invoke: {
                src: 'finish-bootstrap',
                onDone: 'looked',
                onError: failTo('#noting'),
              },
            },
            looked: { type: 'final' },
          },
        },
      },
      onDone: 'classifying',
    },
    classifying: {
      invoke: {
        src: 'classify',
        onDone: [
          {
            guard: ({ event }) => typeof event.output?.graphName === 'string',
            target: 'running',
            actions: assign({ found: ({ event }) => event.output }),
          },
          { target: 'discovered', actions: assign({ found: ({ event }) => event.output }) },
        ],
        onError: failTo('#noting'),
      },
    },
    running: {
      invoke: {
        src: 'run-sku-graph',
        input: ({ context: { found } }) => ({
          graphName: found?.graphName ?? '',
          graphOptions: found?.graphOptions ?? {},
        }),
        onDone: 'discovered',
        onError: failTo('#noting'),
      },
    },
    noting: {
      id: 'noting',
      invoke: {
        src: 'note-error',
        input: ({ context: { error } }) => ({ code: error?.code ?? '', message: error?.message ?? '' }),
        onDone: 'failed',
        onError: 'failed',
      },
    },
    discovered: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ sku: context.found?.sku ?? null, graphName: context.found?.graphName ?? null }),
});
