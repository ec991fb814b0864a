/** Opens the requests for nodes and their dependents. */
import type { SouthboundQuotas } from '../api-port/index.ts';
import type { IbmService } from '../define/node.ts';
import type { Records } from '../durable/runtime/records.ts';
import type { Outbox } from '../events/broker/outbox.ts';
import { EventPublisher } from '../events/outbox/event-publisher.ts';
import { type Tombstone, Tombstones, tombstoneSpec } from '../events/outbox/tombstones.ts';
import { forgettingConsoles } from '../inventory/consoles/console-log.ts';
import {
  consoleLinesSpec,
  consoleSpec,
  type StoredConsole,
  type StoredLines,
} from '../inventory/consoles/stored-console.ts';
import { HealthRequests } from '../inventory/health/health-requests.ts';
import { HoldRequests, type HoldScope } from '../inventory/holds/hold-requests.ts';
import { holdSpec, type StoredHold } from '../inventory/holds/stored-hold.ts';
import {
  type CatalogAdded,
  CatalogRequests,
  catalogSpec,
  type LatestCatalog,
  latestSpec,
  type StoredCatalog,
} from '../inventory/nodes/catalogs.ts';
import { removeFromMissing } from '../inventory/nodes/dependents.ts';
import { HardwareRecords } from '../inventory/nodes/hardware-records.ts';
import { LookupRequests, lookupSpec, type StoredLookup } from '../inventory/nodes/lookups.ts';
import { type Decommission, existingIn, NodeRequests, touchIn } from '../inventory/nodes/node-requests.ts';
import { ibmSpec, ObmRequests, obmSpec, type StoredObm } from '../inventory/nodes/obm-requests.ts';
import { PollerRequests } from '../inventory/nodes/poller-requests.ts';
import { PowerRecords } from '../inventory/nodes/power-records.ts';
import { Registration, RegistrationQuota } from '../inventory/nodes/registration.ts';
import { type Edge, Relations, relationSpec } from '../inventory/nodes/relations.ts';
import { nodeSpec, type StoredNode } from '../inventory/nodes/stored-node.ts';
import { PollerData, pollerDataSpec, type StoredReadings } from '../inventory/pollers/poller-data.ts';
import type { PollerSchedule } from '../inventory/pollers/poller-schedule.ts';
import { pollerSpec, type StoredPoller } from '../inventory/pollers/stored-poller.ts';
import { bootSpec, SouthboundKeys, type StoredBoot } from '../inventory/southbound/southbound-keys.ts';
import { quotaDefaults } from '../platform/config/southbound-quotas.ts';
import type { KeyRing } from '../platform/secrets/key-ring.ts';
import type { Cipher } from '../platform/secrets/secrets.ts';
import type { Vault } from '../platform/secrets/vault.ts';
import type { Store } from '../platform/store/port.ts';

/** The modules around the nodes: the foundation that they use, and the calls to modules that are opened later. */
export interface NodesPort {
  store: Store;
  outbox: Pick<Outbox, 'publish'>;
  /** Encrypts and decrypts the config of obms. */
  encrypt: Cipher;
  catalogAdded: CatalogAdded;
  decommission: Decommission;
  markHeld: HoldScope['mark'];
  records: Pick<Records, 'storedWorkflows' | 'storedNodes'>;
  pollerJobs: Pick<PollerSchedule, 'schedule' | 'unschedule'>;
  quotas?: SouthboundQuotas;
  /** Secrets from which the keys of boots are derived. */
  bootKeys: KeyRing;
  vault: Vault;
  failed(error: unknown): void;
}

export async function openNodes(port: NodesPort) {
  const { store, vault, quotas = quotaDefaults, bootKeys } = port;
  const stored = await store.collection<StoredNode>(nodeSpec);
  const storedObms = await store.collection<StoredObm>(obmSpec);
  const edges = await store.collection<Edge>(relationSpec);
  const existingNodes = existingIn(stored);
  const tombstones = new Tombstones(await store.collection<Tombstone>(tombstoneSpec));
  const publisher = new EventPublisher(port.outbox, stored, tombstones, port.failed);
  const latestCatalogs = await store.collection<LatestCatalog>(latestSpec);
  const catalogs = new CatalogRequests(
    await store.collection<StoredCatalog>(catalogSpec),
    latestCatalogs,
    existingNodes,
    port.catalogAdded,
    quotas,
    vault.hiding(),
  );
  const storedLookups = await store.collection<StoredLookup>(lookupSpec);
  const lookups = new LookupRequests(storedLookups, existingNodes);
  const pendingObms = publisher.of(obmSpec.name, storedObms, createdAt);
  const obms = new ObmRequests(
    'obms',
    storedObms,
    pendingObms,
    publisher,
    port.encrypt,
    existingNodes,
    touchIn(stored),
  );
  const storedIbms = await store.collection<StoredObm<IbmService>>(ibmSpec);
  const pendingIbms = publisher.of(ibmSpec.name, storedIbms, createdAt);
  const ibms = new ObmRequests(
    'ibms',
    storedIbms,
    pendingIbms,
    publisher,
    port.encrypt,
    existingNodes,
    touchIn(stored),
  );
  const storedPollers = await store.collection<StoredPoller>(pollerSpec);
  const pendingAlerts = publisher.of(pollerSpec.name, storedPollers, createdAt);
  const pollerData = new PollerData(await store.collection<StoredReadings>(pollerDataSpec));
  const pollers = new PollerRequests(
    storedPollers,
    pendingAlerts,
    publisher,
    existingNodes,
    port.pollerJobs,
    pollerData,
    port.encrypt,
  );
  const createdAtOf = ({ at }: Edge): string => at;
  const relations = new Relations(edges, publisher.of(relationSpec.name, edges, createdAtOf), existingNodes);
  const pending = publisher.of(nodeSpec.name, stored, createdAt);
  const keys = new SouthboundKeys(await store.collection<StoredBoot>(bootSpec), bootKeys);
  const quota = new RegistrationQuota(quotas, () => stored.count({ registered: true }));
  const storedHolds = await store.collection<StoredHold>(holdSpec);
  const holds = new HoldRequests({
    stored: storedHolds,
    pending: publisher.of(holdSpec.name, storedHolds, createdAt),
    publisher,
    nodes: stored,
    unlessRemoved: (node, takeBack) => removeFromMissing(existingNodes, [node], takeBack),
    mark: port.markHeld,
  });
  const consoles = forgettingConsoles(
    await store.collection<StoredConsole>(consoleSpec),
    await store.collection<StoredLines>(consoleLinesSpec),
  );
  const dependents = { relations, obms, ibms, catalogs, lookups, pollers, keys, holds, consoles };
  const { records, decommission } = port;
  const nodes = new NodeRequests(stored, dependents, pending, publisher, vault, records, decommission);
  return {
    nodes,
    holds,
    health: new HealthRequests({ stored, pending, publisher }),
    storedHolds,
    catalogs,
    hardware: new HardwareRecords(stored, latestCatalogs),
    power: new PowerRecords(stored, port.failed),
    lookups,
    obms,
    ibms,
    pollers,
    storedPollers,
    pollerData,
    pendingAlerts,
    pending,
    publisher,
    keys,
    storedNodes: stored,
    storedLookups,
    registration: new Registration(stored, storedLookups, pending, publisher, quota),
  };
}

const createdAt = (document: { createdAt: string }): string => document.createdAt;
