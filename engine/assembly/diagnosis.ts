/** Opens the diagnosis: durations, why, the survey of active workflows, and the summary. */
import type { Diagnosis } from '../api-port/index.ts';
import { hostIn } from '../hardware/obm/bmc-gates.ts';
import { lastBackup } from '../operations/backup/last-backup.ts';
import { summaryOf } from '../workflows/diagnosis/summary.ts';
import { type WhyPort, WhyRequests } from '../workflows/diagnosis/why-requests.ts';
import { WorkflowDiffRequests } from '../workflows/diagnosis/workflow-diff-requests.ts';
import type { OpenDefinitions } from './definitions.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { openWorkflows } from './workflows.ts';

/** Lines of a machine's console that `why` shows. */
const CONSOLE_LINES = 10;

export function openDiagnosis(
  foundation: Foundation,
  { library, definitions }: OpenDefinitions,
  { gates, obms, nodes, storedNodes, storedCatalogs, consoles }: Inventory,
  {
    runtime,
    durations,
    surveyor,
    counts,
    sightings,
    failedFetches,
    workflows,
  }: Awaited<ReturnType<typeof openWorkflows>>,
  rollouts: WhyPort['rollouts'],
  ready: () => Promise<void>,
) {
  const { config, cluster, records, watchdog, broker, outbox, hooks } = foundation;
  const bmcs = async (node: string) =>
    Promise.all(
      (await obms.addressesOf(node)).map(async (address) => ({ host: hostIn(address), ...(await gates.of(address)) })),
    );
  const agent = (node: string) => sightings.of(node);
  const failedFetch = (node: string) => failedFetches.of(node);
  const { watch } = watchdog;
  const { holds } = nodes;
  const why = new WhyRequests({
    records,
    library,
    durations,
    cluster,
    watch,
    bmcs,
    agent,
    consoleTail: (node) => consoles.requests.tail(node, CONSOLE_LINES),
    holds,
    rollouts,
    failedFetch,
  });
  const backlog = { queue: () => runtime.backlog(), events: () => outbox.backlog(), hooks: () => hooks.backlog() };
  const diffs = new WorkflowDiffRequests({ workflows, nodes: nodes.nodes, catalogs: storedCatalogs });
  const requests: Diagnosis = {
    diff: (a, b) => diffs.diff(a, b),
    whyWorkflow: (id, team) => why.workflow(id, team),
    whyNode: (id, team) => why.node(id, team),
    stuckWorkflows: async () => (await surveyor.survey()).stuck.map(({ id }) => id),
    summary: () =>
      summaryOf({
        counts,
        nodes: storedNodes,
        surveyor,
        graphs: async () => (await definitions.graphs()).map(({ injectableName }) => injectableName),
        openCircuits: () => gates.openCircuits(),
        backlog,
        broker: () => (broker === undefined ? 'none' : broker.up ? 'up' : 'down'),
        checkReady: ready,
        dataDir: config.dataDir,
        lastBackup: () => lastBackup(config.dataDir),
      }),
  };
  return { requests, backlog };
}
