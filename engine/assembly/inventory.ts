/** Opens everything about nodes that is not a workflow: records, SKUs, BMCs, interlocks and certificates. */

import type { TeamRecord } from '../api-port/index.ts';
import { BmcGates, gateSpec, type StoredGate } from '../hardware/obm/bmc-gates.ts';
import { ObmDrivers } from '../hardware/obm/obm-drivers.ts';
import { type AgentSighting, sightingSpec } from '../inventory/agents/agent-sightings.ts';
import { bmcReports } from '../inventory/health/bmc-reports.ts';
import { healthReconcilers } from '../inventory/health/health-reconcilers.ts';
import { BmcOwners } from '../inventory/nodes/bmc-nodes.ts';
import { BmcRegistration } from '../inventory/nodes/bmc-registration.ts';
import { catalogSpec, type StoredCatalog } from '../inventory/nodes/catalogs.ts';
import { DiscoveryResults } from '../inventory/nodes/discovery-results.ts';
import { Enclosures } from '../inventory/nodes/enclosures.ts';
import { Interlocks, interlockSpec, type StoredInterlock } from '../inventory/nodes/interlocks.ts';
import { nodeSpec } from '../inventory/nodes/stored-node.ts';
import { EventStreams } from '../inventory/pollers/event-streams.ts';
import { Polls } from '../inventory/pollers/poll.ts';
import { PollerSchedule } from '../inventory/pollers/poller-schedule.ts';
import { PollerWork } from '../inventory/pollers/pollers.ts';
import { Readings } from '../inventory/pollers/readings.ts';
import { openSkus } from '../inventory/skus/skus.ts';
import type { ClassifiedNode } from '../inventory/skus/skus-port.ts';
import { SouthboundRoom } from '../inventory/southbound/event-room.ts';
import { SouthboundAccess } from '../inventory/southbound/node-access.ts';
import { Rejections } from '../inventory/southbound/southbound-rejections.ts';
import { OwnerChanges } from '../inventory/teams/owner-changes.ts';
import { TeamRequests, teamSpec } from '../inventory/teams/team-requests.ts';
import { SerializedChanges } from '../platform/cluster/serialized-changes.ts';
import { cipherOf } from '../platform/secrets/secrets.ts';
import { signerOf } from '../platform/secrets/signing.ts';
import { CertificateRequests, certificateSpec, type StoredCertificate } from '../workflows/requests/certificates.ts';
import { openConsoles } from './consoles.ts';
import type { Foundation } from './foundation.ts';
import type { LateLinks } from './late-calls.ts';
import { openNodes } from './nodes.ts';

export type Inventory = Awaited<ReturnType<typeof openInventory>>;

export async function openInventory(foundation: Foundation, lateLinks: LateLinks) {
  const { config, log, store, queues, cluster, keys, vault, outbox, metrics, failedIn } = foundation;
  const { southboundQuotas } = config;
  const pollerJobs = new PollerSchedule(queues.queue('pollers'));
  const encrypt = cipherOf(await keys('obms'), 'obms');
  const opened = await openNodes({
    store,
    outbox,
    encrypt,
    vault,
    quotas: southboundQuotas,
    bootKeys: await keys('southbound-keys'),
    records: foundation.records,
    pollerJobs,
    catalogAdded: lateLinks.to('catalogAdded'),
    decommission: lateLinks.to('decommission'),
    markHeld: lateLinks.to('markHeld'),
    failed: failedIn('node events'),
  });
  const {
    publisher,
    pending,
    pendingAlerts,
    storedNodes,
    storedLookups,
    registration,
    storedPollers,
    storedHolds,
    pollerData,
    keys: southboundKeys,
    ...nodes
  } = opened;
  const skus = await openSkus({
    store,
    channel: queues.channel('skus'),
    cluster,
    nodes: await store.collection<ClassifiedNode>(nodeSpec),
    pending,
    publisher,
    catalogs: nodes.catalogs,
    describe: (catalogs) => nodes.hardware.describe(catalogs),
    tag: (id, tags) => nodes.nodes.tag(id, tags),
    outbox,
    moved: (action) => metrics.countMove(action),
    classified: lateLinks.to('classified'),
    health: nodes.health,
    failed: failedIn('skus'),
  });
  const obms = new ObmDrivers(nodes, config.obm, failedIn('obm sessions'));
  const gates = new BmcGates(
    obms.breakers,
    await store.collection<StoredGate>(gateSpec),
    queues.channel('gates'),
    cluster,
    failedIn('gates'),
  );
  const bmcOwners = new BmcOwners(storedNodes, nodes.obms, nodes.lookups);
  gates.onCircuitsChanged(bmcReports(bmcOwners, nodes.health));
  await gates.start();
  const polls = new Polls({
    stored: storedPollers,
    pending: pendingAlerts,
    publisher,
    obms,
    readings: new Readings(obms, encrypt),
    data: pollerData,
    holds: nodes.holds,
    health: nodes.health,
    power: nodes.power,
  });
  const room = new SouthboundRoom(config.dataDir, southboundQuotas, outbox);
  return {
    /** The requests, as the API has them. */
    nodes,
    storedNodes,
    storedCatalogs: await store.collection<StoredCatalog>(catalogSpec),
    storedHolds,
    teams: new TeamRequests(
      await store.collection<TeamRecord>(teamSpec),
      new SerializedChanges(cluster.leases, 'teams', 'teams'),
      new OwnerChanges(nodes.nodes, lateLinks.to('markOwned')),
    ),
    publisher,
    registration,
    enclosures: new Enclosures(
      storedNodes,
      nodes.nodes,
      new SerializedChanges(cluster.leases, 'enclosures', 'enclosures'),
    ),
    bmcRegistration: new BmcRegistration({
      nodes: nodes.nodes,
      obms: nodes.obms,
      owners: bmcOwners,
      registration,
      changes: new SerializedChanges(cluster.leases, 'bmc-nodes', 'nodes of BMCs'),
    }),
    discoveryResults: new DiscoveryResults(storedNodes, storedLookups, skus, outbox, log),
    skus,
    obms,
    gates,
    bmcOwners,
    pollerJobs,
    eventStreams: new EventStreams({
      stored: storedPollers,
      obms,
      holds: nodes.holds,
      polls,
      cluster,
      failed: failedIn('event streams'),
    }),
    pollers: new PollerWork(storedPollers, pollerJobs, polls, cluster, failedIn('pollers')),
    certificates: new CertificateRequests(
      await store.collection<StoredCertificate>(certificateSpec),
      await signerOf(await keys('certificates')),
      foundation.records.workflows,
      nodes,
    ),
    healthWork: healthReconcilers({
      cluster,
      health: nodes.health,
      sightings: await store.collection<AgentSighting>(sightingSpec),
      failed: failedIn('health'),
    }),
    consoles: await openConsoles(foundation, obms, storedNodes),
    interlocks: new Interlocks(await store.collection<StoredInterlock>(interlockSpec)),
    southboundKeys,
    southbound: new SouthboundAccess(config.southboundKeys, southboundKeys, nodes, room, new Rejections(outbox, log)),
  };
}
