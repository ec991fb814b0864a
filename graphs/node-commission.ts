/**
 * Graph.Node.Commission: makes a discovered node ready for use, by one graph after the other: an account of its BMC, its catalogs, its
 * baseline, a burn-in, and an operating system.
 *
 * - Options: `create-account`, `baseline`, `burn-in` and `install`, each with `graphOptions`, the options of its graph by label; one that is
 *   not given is left out. `inspect` always runs. `graphName` replaces a graph, as by `Graph.InstallUbuntu`.
 * - The first graph that fails ends it, so nothing is installed on a node that did not pass its burn-in.
 * - Irreversible: what its graphs do. Cancel: as in the graph that runs; those before it have taken effect.
 * - Crash: the graph that runs continues. None that has ended runs again.
 *
 * Documentation: docs/operate/commission.md.
 */
import { DAY_MS, defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import graphRun from '../tasks/graph-run.ts';

const steps = ['create-account', 'inspect', 'baseline', 'burn-in', 'install'] as const;
type Step = (typeof steps)[number];

interface Context {
  remaining: readonly Step[];
  /** Ids of the workflows that have succeeded, by step. */
  workflows: Partial<Record<Step, string>>;
  error: GraphError | null;
}

const done = [{ workflowId: 'the id of a workflow', output: null }];

const { createMachine, createStateConfig } = defineGraph(
  {
    injectableName: 'Graph.Node.Commission',
    friendlyName: 'Commission a node',
    tasks: {
      'create-account': { task: graphRun, timeoutMs: 3 * HOUR_MS },
      inspect: { task: graphRun, timeoutMs: 6 * HOUR_MS },
      baseline: { task: graphRun, timeoutMs: 5 * DAY_MS },
      'burn-in': { task: graphRun, timeoutMs: 40 * DAY_MS },
      install: { task: graphRun, timeoutMs: DAY_MS },
    },
    options: {
      'create-account': { graphName: 'Graph.Bmc.CreateAccount' },
      inspect: { graphName: 'Graph.Redfish.Catalog' },
      baseline: { graphName: 'Graph.Baseline.Apply' },
      'burn-in': { graphName: 'Graph.BurnIn' },
      install: { graphName: 'Graph.InstallOs.Image' },
    },
    examples: [
      { outputs: { inspect: done } },
      {
        options: {
          'create-account': { graphOptions: { 'create-account': { by: 'redfish' } } },
          baseline: { graphOptions: { compare: { bios: { BootMode: 'Uefi' } } } },
          'burn-in': { graphOptions: { prepare: { tests: ['cpu'] }, cpu: { durationSec: 60 } } },
          install: {
            graphName: 'Graph.InstallDebian',
            graphOptions: {
              'install-debian': {
                version: 'bookworm',
                hostname: 'node-1',
                rootPassword: 'correct-horse',
                repo: 'http://10.1.1.1/debian',
              },
            },
          },
        },
        outputs: { 'create-account': done, inspect: done, baseline: done, 'burn-in': done, install: done },
      },
    ],
  },
  {} as { context: Context },
);

const run = (step: Step) =>
  createStateConfig({
    invoke: {
      // All steps have these options.
      src: step as 'inspect',
      onDone: {
        target: 'choosing',
        actions: assign({
          workflows: ({ context, event }) => ({
            ...context.workflows,
            [step]: (event.output as { workflowId?: string }).workflowId ?? '',
          }),
        }),
      },
      onError: failTo('failed'),
    },
    exit: assign({ remaining: ({ context }) => context.remaining.slice(1) }),
  });

const isNext =
  (step: Step) =>
  ({ context }: { context: Context }) =>
    context.remaining[0] === step;

export default createMachine({
  id: 'Graph.Node.Commission',
  context: ({ input }) => ({
    remaining: steps.filter((step) => step === 'inspect' || input?.options?.[step] !== undefined),
    workflows: {},
    error: null,
  }),
  initial: 'choosing',
  states: {
    choosing: {
      always: [...steps.map((step) => ({ guard: isNext(step), target: step })), { target: 'commissioned' }],
    },
    'create-account': run('create-account'),
    inspect: run('inspect'),
    baseline: run('baseline'),
    'burn-in': run('burn-in'),
    install: run('install'),
    commissioned: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => context.workflows,
});
