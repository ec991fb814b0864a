/** Opens the runtime, and everything that starts workflows or sends messages to them. */

import { AgentRequests } from '../agents/agent-requests.ts';
import { DiscoveryRequests } from '../nodes/discovery.ts';
import { interlocked } from '../nodes/interlocks.ts';
import { openRuntime } from '../runtime/runtime.ts';
import { bindings } from '../workflows/bindings.ts';
import { type Broadcast, broadcastSpec, NotificationRequests } from '../workflows/notification-requests.ts';
import { WorkflowRequests } from '../workflows/workflow-requests.ts';
import type { OpenDefinitions } from './definitions.ts';
import { openFiles } from './files.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { Edges } from './late-edges.ts';
import { Maintenance } from './maintenance.ts';

export async function openWorkflows(
  foundation: Foundation,
  { library, bytes }: OpenDefinitions,
  inventory: Inventory,
  edges: Edges,
) {
  const { config, log, store, cluster, outbox, vault, watchdog, settings, starting, metrics, failed } = foundation;
  const { nodes, skus, catalog, services, obms, interlocks, certificates } = inventory;
  const pinned = (hash: string) => library.pinned(hash);
  const runtime = await openRuntime({
    store,
    queues: foundation.queues,
    outbox,
    cluster,
    vault,
    watchdog,
    log,
    services: {
      shellCommands: config.shellCommands,
      discovered: edges.to('discovered'),
      noteError: edges.to('noteError'),
      catalog,
      trustedCatalog: async (node, source) => (await nodes.catalogs.trusted(node, source))?.data,
      interlock: interlocks,
      certify: (operationId, drives) => certificates.certify(operationId, drives),
      driver: async (node, service, override, note) =>
        interlocked(await obms.of(node, service, note), node, interlocks, override),
      redfish: (node, access, note) => obms.redfish(node, access, note),
      setObm: async (node, service, config) => void (await nodes.obms.put(node, { service, config })),
    },
    graph: async (name, node) => {
      await starting.definitions();
      return library.graph(name, (await skus.of(node))?.id);
    },
    pinned,
    nodeId: (identifier) => nodes.nodes.idOf(identifier),
    bindings: bindings(
      () => settings.config,
      (node) => skus.of(node),
    ),
    launchChild: edges.to('launchChild'),
    stepSaved: (left) => metrics.countStep(left),
    died: edges.to('processDied'),
    others: [foundation.hooks.queue, inventory.pollers.queue],
    extraSweeps: (minAgeMs) => inventory.publisher.sweep(minAgeMs),
    failed,
  });
  const workflows = new WorkflowRequests({
    ...runtime.workflows,
    catalog,
    obms: services,
    children: config.childGraphs,
    removed: (id) => certificates.forget(id),
    watch: watchdog.watch,
    rejectBarred: (id) => runtime.quarantine.reject(id),
    release: (id) => runtime.quarantine.release(id),
  });
  const notifications = new NotificationRequests({
    ...runtime.notifications,
    outbox,
    broadcasts: await store.collection<Broadcast>(broadcastSpec),
    quota: config.southboundQuotas.broadcasts,
    failed,
  });
  const agents = new AgentRequests({
    ...runtime.agents,
    addCatalog: (node, source, data, knownBy) => nodes.catalogs.add(node, source, data, knownBy),
    release: (id) => interlocks.release(id),
  });
  await agents.start();
  const discovery = new DiscoveryRequests({
    ...inventory.registration,
    graphName: config.discoveryGraph,
    skus: skus.requests.stored,
    cluster,
    find: (node) => nodes.nodes.find(node),
    launchOnce: (id, name, nodeId) => workflows.launchOnce(id, { name, options: {}, nodeId }),
    classify: skus.classify,
    publish: (publications) => outbox.publish(publications),
    wrong: (node, error) => log.error({ node, error }, 'discovery of a node failed'),
    failed: (error) => failed('discovery', error),
  });
  const files = await openFiles({
    store,
    bytes,
    vault,
    nodes: nodes.nodes,
    lookups: nodes.lookups,
    skuOf: (node) => skus.skuOf(node),
    isSku: async (id) => (await skus.requests.stored.get(id)) !== undefined,
    bindings: bindings(
      () => settings.config,
      async (node) => (node === null ? undefined : skus.skuOf(node)),
    ),
    workflow: (node) => workflows.activeOn(node),
    workflows: runtime.workflows.stored,
    pinned,
  });
  const maintenance = new Maintenance({
    library,
    bytes,
    cluster,
    workflows: runtime.workflows.stored,
    nodes: runtime.notifications.nodes,
    failed: (error) => failed('maintenance', error),
  });
  return { runtime, workflows, notifications, agents, discovery, files, maintenance };
}
