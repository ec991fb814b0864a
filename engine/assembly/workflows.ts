/** Opens the runtime, and everything that starts workflows or sends messages to them. */

import type { CatalogData } from '../api-port/nodes.ts';
import { openRuntime } from '../durable/runtime/runtime.ts';
import type { RuntimePort } from '../durable/runtime/runtime-port.ts';
import { hostIn } from '../hardware/obm/bmc-gates.ts';
import { AgentRequests } from '../inventory/agents/agent-requests.ts';
import { type AgentSighting, AgentSightings, sightingSpec } from '../inventory/agents/agent-sightings.ts';
import { type FailedFetch, FailedFetches, failedFetchSpec } from '../inventory/files/failed-fetches.ts';
import { FileRequests } from '../inventory/files/file-requests.ts';
import { holdReconcilers } from '../inventory/holds/hold-reconcilers.ts';
import { addPoller } from '../inventory/nodes/default-pollers.ts';
import { interlockedDriver } from '../inventory/nodes/interlocks.ts';
import { existingIn } from '../inventory/nodes/node-requests.ts';
import { readInventory } from '../inventory/pollers/snmp.ts';
import { BootImages } from '../inventory/southbound/boot-images.ts';
import { bootImageSpec, type StoredBootImage } from '../inventory/southbound/stored-boot-image.ts';
import { retention } from '../platform/cluster/retention.ts';
import { isActive } from '../vocabulary/states.ts';
import { readRules } from '../workflows/approvals/approval-rules.ts';
import { matchingRules } from '../workflows/approvals/launch-matching.ts';
import { type StoredTicket, ticketSpec } from '../workflows/approvals/stored-ticket.ts';
import { TicketChanges } from '../workflows/approvals/ticket-changes.ts';
import { BatchRequests } from '../workflows/batches/batch-requests.ts';
import { batchSpec, type StoredBatch } from '../workflows/batches/stored-batch.ts';
import { Durations, durationSpec, type StoredDurations } from '../workflows/diagnosis/durations.ts';
import { Surveyor } from '../workflows/diagnosis/survey.ts';
import { aloneLimits, sharedLimits, WorkflowCounts } from '../workflows/diagnosis/workflow-counts.ts';
import { Bindings } from '../workflows/requests/bindings.ts';
import { type Broadcast, Broadcasts, broadcastSpec } from '../workflows/requests/broadcasts.ts';
import { DiscoveryRequests } from '../workflows/requests/discovery.ts';
import { discoveryGraphOf } from '../workflows/requests/discovery-graphs.ts';
import { LaunchApprovals } from '../workflows/requests/launch-approvals.ts';
import { LaunchHolds } from '../workflows/requests/launch-holds.ts';
import { LaunchOwners } from '../workflows/requests/launch-owners.ts';
import { PlanRequests } from '../workflows/requests/launch-plan.ts';
import { LaunchPreparation } from '../workflows/requests/launch-preparation.ts';
import { LaunchRequests } from '../workflows/requests/launch-requests.ts';
import { LaunchRestrictions } from '../workflows/requests/launch-restrictions.ts';
import { NodeGraphs } from '../workflows/requests/node-graphs.ts';
import { NotificationRequests } from '../workflows/requests/notification-requests.ts';
import { Retries } from '../workflows/requests/retry-requests.ts';
import { runningWorkflows, TeamQuota } from '../workflows/requests/team-quota.ts';
import { WorkflowCommands } from '../workflows/requests/workflow-commands.ts';
import { WorkflowReads } from '../workflows/requests/workflow-reads.ts';
import { removeWorkflowsBefore } from '../workflows/requests/workflow-retention.ts';
import type { OpenDefinitions } from './definitions.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { LateCalls, LateLinks } from './late-calls.ts';
import { Maintenance } from './maintenance.ts';
import { hasEnd, logEnd } from './workflow-ends.ts';

export async function openWorkflows(
  foundation: Foundation,
  { library, definitions, bytes }: OpenDefinitions,
  inventory: Inventory,
  lateLinks: LateLinks,
) {
  const {
    config,
    log,
    store,
    cluster,
    records,
    outbox,
    vault,
    watchdog,
    settings,
    metrics,
    tracing,
    failed,
    failedIn,
  } = foundation;
  const { nodes, skus, interlocks, certificates, discoveryResults } = inventory;
  const durations = new Durations(await store.collection<StoredDurations>(durationSpec), failedIn('durations'));
  const counts = new WorkflowCounts(records.storedWorkflows, cluster.singleNode ? aloneLimits : sharedLimits);
  const sightings = new AgentSightings(await store.collection<AgentSighting>(sightingSpec), failedIn('sightings'));
  const fetches = await store.collection<FailedFetch>(failedFetchSpec);
  const failedFetches = new FailedFetches(fetches, failedIn('failed fetches'));
  const runtime = await openRuntime({
    ...foundation,
    publisher: inventory.publisher,
    library,
    services: servicesOf(foundation, inventory, bytes, lateLinks.to('bootImage')),
    launchChild: lateLinks.to('launchChild'),
    stepSaved: (row, pendingEffects, before) => {
      metrics.countStep(row, pendingEffects);
      durations.note(row, pendingEffects);
      counts.noteStep(row, before);
      logEnd(log, pendingEffects, row);
      if (row.rollout !== undefined && hasEnd(pendingEffects)) lateLinks.to('rolloutChanged')();
      tracing.noteStep(row, pendingEffects, before);
    },
    stepTook: (ms) => metrics.countStepTime(ms),
    died: lateLinks.to('processDied'),
    others: [foundation.hooks.queue, inventory.pollerJobs.queue],
  });
  const bindings = new Bindings(settings, skus, vault);
  const graphs = new NodeGraphs(definitions, skus);
  const preparation = new LaunchPreparation(runtime, graphs, bindings, nodes, vault, watchdog);
  const holds = new LaunchHolds(nodes.holds, preparation);
  const storedTickets = await store.collection<StoredTicket>(ticketSpec);
  const tickets = new TicketChanges(storedTickets, outbox);
  const rules = readRules(config.approvals);
  const approvals = new LaunchApprovals({ rules, preparation, nodes: nodes.nodes, vault, tickets });
  const restrictions = new LaunchRestrictions({
    rules: matchingRules('restrictions', config.restrictions),
    preparation,
    nodes: nodes.nodes,
  });
  const { gates, obms } = inventory;
  const workflows = new WorkflowReads({ records, library });
  const control = new WorkflowCommands({
    runtime,
    reads: workflows,
    restrictions,
    removed: (row) => counts.noteRemoval(row),
    async closeCircuits(node, by) {
      for (const address of await obms.addressesOf(node)) await gates.reset(hostIn(address), by);
    },
  });
  gates.onCircuitClosed(async (host, by) => {
    const nodesAt = (await inventory.bmcOwners.reachedAt([host])).get(host) ?? [];
    await control.beginAttempts(
      nodesAt.map(({ id }) => id),
      by,
    );
  });
  const launches = new LaunchRequests({
    runtime,
    preparation,
    nodes: nodes.nodes,
    reads: workflows,
    holds,
    quota: new TeamQuota({ leases: cluster.leases, teams: inventory.teams }, runningWorkflows(records.storedWorkflows)),
    owners: new LaunchOwners({ nodes: nodes.nodes, areAny: () => inventory.teams.areAny() }),
    restrictions,
    approvals,
    retries: new Retries(library, graphs, records.storedWorkflows, (graph, options) =>
      preparation.encryptOptions(graph, options, 'options'),
    ),
    tracing,
    children: config.childGraphs,
  });
  const plans = new PlanRequests(
    preparation,
    records.storedWorkflows,
    (version, team) => durations.usualTimes(version, team),
    holds,
    approvals,
    restrictions,
  );
  const batches = await store.collection<StoredBatch>(batchSpec);
  const durationStore = await store.collection<StoredDurations>(durationSpec);
  const tidying = retention(cluster, {
    name: 'workflows',
    days: config.workflowRetentionDays,
    async removeBefore(before, goesOn) {
      const remove = (id: string) => control.remove(id);
      const scope = { stored: records.storedWorkflows, remove, failed: failedIn('workflow retention') };
      await removeWorkflowsBefore(scope, before, goesOn);
      await batches.remove({ pending: false, createdAt: { $lt: before } });
      await durationStore.remove({ updatedAt: { $lt: before } });
    },
    failed: failedIn('workflow retention'),
  });
  const certificateTidying = retention(cluster, {
    name: 'certificates',
    days: config.certificateRetentionDays,
    removeBefore: (before) => certificates.removeBefore(before),
    failed: failedIn('certificate retention'),
  });
  const catalogTidying = retention(cluster, {
    name: 'catalogs',
    days: config.catalogRetentionDays,
    removeBefore: (before, goesOn) => nodes.catalogs.removeBefore(before, goesOn),
    failed: failedIn('catalog retention'),
  });
  const storedBroadcasts = await store.collection<Broadcast>(broadcastSpec);
  const broadcasts = new Broadcasts(runtime, storedBroadcasts, config.southboundQuotas.broadcasts, failed);
  const notifications = new NotificationRequests(runtime, outbox, vault, broadcasts);
  const agents = new AgentRequests(runtime, library, vault, {
    catalogs: nodes.catalogs,
    interlocks,
    seen: (node, address) => sightings.note(node, address),
  });
  await agents.start();
  const files = new FileRequests({
    ...bytes,
    vault,
    skus,
    nodes: nodes.nodes,
    lookups: nodes.lookups,
    bindings,
    workflows,
    failedFetches,
  });
  return {
    runtime,
    preparation,
    workflows,
    graphs,
    launches,
    storedTickets,
    storedBatches: batches,
    tickets,
    approvals,
    restrictions,
    control,
    plans,
    batches: new BatchRequests({
      stored: batches,
      records,
      launches,
      approvals,
      control,
      prepare: (name, options, isEncrypted) => preparation.optionsToStore(name, options, isEncrypted),
      existingIds: existingIn(inventory.storedNodes),
      cluster,
      failed: failedIn('batches'),
    }),
    notifications,
    broadcasts,
    agents,
    durations,
    surveyor: new Surveyor(records.storedWorkflows, durations, {
      agent: (node) => sightings.of(node),
      restingBmcs: () => restingBmcs(inventory),
    }),
    counts,
    sightings,
    failedFetches,
    holdWork: holdReconcilers(
      {
        stored: inventory.storedHolds,
        actors: records.storedNodes,
        mark: lateLinks.to('markHeld'),
        cluster,
        failed: failedIn('holds'),
      },
      nodes.holds,
    ),
    tidying: [tidying, certificateTidying, catalogTidying, inventory.consoles.tidying],
    discovery: new DiscoveryRequests(
      { storedNodes: inventory.storedNodes, registration: inventory.registration, nodes: nodes.nodes },
      launches,
      discoveryResults,
      cluster,
      (node) => discoveryGraphOf(node, config.discoveryGraph, (name) => library.graph(name) !== undefined),
      failedIn('discovery'),
    ),
    files,
    bootImages: new BootImages({
      stored: await store.collection<StoredBootImage>(bootImageSpec),
      keys: inventory.southboundKeys,
      files,
      agents,
      api: async (node) => (await bindings.forFile(node)).api.base,
      obms,
      config: (node) => nodes.obms.config(node, 'redfish-obm-service'),
      async endOf(id) {
        const row = await records.workflows.load(id);
        return row && isActive(row.status) ? undefined : Date.parse(row?.finishedAt ?? '') || 0;
      },
      cluster,
      failed: failedIn('boot images'),
    }),
    maintenance: new Maintenance(library, bytes, records, cluster, failedIn('maintenance')),
  };
}

/** @returns whether the circuit of the BMC or PDU of a node is open; most nodes are at no host with one, and cost no read */
async function restingBmcs({ gates, bmcOwners, obms }: Inventory): Promise<(node: string) => Promise<boolean>> {
  const addresses = await gates.openAddresses();
  const owners = await bmcOwners.reachedAt([...new Set([...addresses].map(hostIn))]);
  const nodes = new Set([...owners.values()].flat().map(({ id }) => id));
  return async (node) => nodes.has(node) && (await obms.addressesOf(node)).some((address) => addresses.has(address));
}

/** Returns the parts of nodes and BMCs that activities may use. */
function servicesOf(
  { config, egress }: Foundation,
  inventory: Inventory,
  { fileStore }: OpenDefinitions['bytes'],
  bootImage: LateCalls['bootImage'],
): RuntimePort['services'] {
  const { nodes, obms, interlocks, certificates, discoveryResults } = inventory;
  return {
    shellCommands: config.shellCommands,
    egress,
    completeDiscovery: (node, operationId) => discoveryResults.completeDiscovery(node, operationId),
    reportHealth: async (node, { source, state, message }) => {
      const report = { state, message, until: null };
      await nodes.health.report({ node, changes: [{ source, key: '', report }] });
    },
    noteError: (node, error) => discoveryResults.noteError(node, error),
    catalog: (node, source) => nodes.catalogs.latestData(node, source),
    addCatalog: async (node, source, data) => void (await nodes.catalogs.add(node, source, data as CatalogData)),
    classify: (node) => discoveryResults.classifyNode(node),
    readSnmp: async (node, timeoutMs, signal) => ({
      ...(await readInventory(await obms.snmp(node, {}), timeoutMs, signal)),
    }),
    nodesOfBmc: (host) => inventory.bmcRegistration.nodesAt(host),
    registerBmc: (bmc) => inventory.bmcRegistration.register(bmc),
    enclose: (node, serial) => inventory.enclosures.enclose(node, serial),
    addPoller: (node, poller) => addPoller(nodes.pollers, node, poller),
    trustedCatalog: async (node, source) => (await nodes.catalogs.trustedCatalog(node, source))?.data,
    interlock: interlocks,
    certify: (operationId, drives) => certificates.certify(operationId, drives),
    driver: async (node, service, override, note, workflow) => {
      const driver = await obms.of(node, service, note, () => bootImage(node, workflow, note));
      return interlockedDriver(driver, node, interlocks, override);
    },
    redfish: (node, access, note) => obms.redfish(node, access, note),
    bmcAccount: (node, service, note) => obms.account(node, service, note),
    racadm: (node, note) => obms.racadm(node, note),
    changeObm: async (node, service, change) => {
      const config = { ...(await nodes.obms.config(node, service)), ...change };
      await nodes.obms.put(node, { service, config });
    },
    file: (name) => fileStore.open({ kind: 'file', name, scope: null }),
    setObm: async (node, service, config) => void (await nodes.obms.put(node, { service, config })),
  };
}
