/**
 * An engine in memory, for tests of the API. Parts without a runtime are real, on a store in memory; workflows, library
 * and notifications are minimal fakes.
 */

import { randomBytes } from 'node:crypto';
import type { DefinitionView, Engine, TeamRecord } from '../../../engine/api-port/index.ts';
import { openUsers } from '../../../engine/assembly/users.ts';
import type { WorkflowRow } from '../../../engine/durable/step/row.ts';
import { Outbox, outboxSpec, type WaitingEvent } from '../../../engine/events/broker/outbox.ts';
import type { EventFeed } from '../../../engine/events/event-log/event-feed.ts';
import { openEventLog } from '../../../engine/events/event-log/open-event-log.ts';
import { Deliveries, type Delivery, deliverySpec } from '../../../engine/events/hooks/deliveries.ts';
import { usualLimits } from '../../../engine/events/hooks/hook-limits.ts';
import { HookRequests } from '../../../engine/events/hooks/hook-requests.ts';
import { hookSpec, type StoredHook } from '../../../engine/events/hooks/stored-hook.ts';
import { AlertRequests } from '../../../engine/inventory/nodes/alerts.ts';
import type { ObmRequests } from '../../../engine/inventory/nodes/obm-requests.ts';
import { nodeSpec, type StoredNode } from '../../../engine/inventory/nodes/stored-node.ts';
import { SkuRequests } from '../../../engine/inventory/skus/sku-requests.ts';
import { openSkus } from '../../../engine/inventory/skus/skus.ts';
import type { ClassifiedNode } from '../../../engine/inventory/skus/skus-port.ts';
import { SouthboundAccess } from '../../../engine/inventory/southbound/node-access.ts';
import { OwnerChanges } from '../../../engine/inventory/teams/owner-changes.ts';
import { TeamRequests, teamSpec } from '../../../engine/inventory/teams/team-requests.ts';
import { AuditLog } from '../../../engine/operations/audit/audit-log.ts';
import { openAuditStore } from '../../../engine/operations/audit/audit-store.ts';
import { singleNodeCluster } from '../../../engine/platform/cluster/cluster.ts';
import { localEpoch } from '../../../engine/platform/cluster/epoch.ts';
import { SerializedChanges } from '../../../engine/platform/cluster/serialized-changes.ts';
import { type ConfigFile, readConfig } from '../../../engine/platform/config/config.ts';
import { Settings } from '../../../engine/platform/config/settings.ts';
import { Egress } from '../../../engine/platform/lib/egress.ts';
import { OpenIdProvider } from '../../../engine/platform/openid/provider.ts';
import { localChannels } from '../../../engine/platform/queue/channel.ts';
import { cipherOf } from '../../../engine/platform/secrets/secrets.ts';
import { Vault } from '../../../engine/platform/secrets/vault.ts';
import type { Document } from '../../../engine/platform/store/port.ts';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';
import type { Publication } from '../../../engine/vocabulary/event.ts';
import { BaselineDrift } from '../../../engine/workflows/baselines/baseline-drift.ts';
import { BaselineRequests } from '../../../engine/workflows/baselines/baseline-requests.ts';
import { baselineSpec, type StoredBaseline } from '../../../engine/workflows/baselines/stored-baseline.ts';
import { type StoredWindow, WindowRequests, windowSpec } from '../../../engine/workflows/windows/window-requests.ts';
import { noConsoles } from './fake-consoles.ts';
import { noDiagnosis } from './fake-diagnosis.ts';
import { noFleet } from './fake-fleet.ts';
import { fakeActiveRow, fakeWorkflows } from './fake-workflows.ts';
import { MemoryStore } from './memory-store.ts';
import { openTestNodes } from './test-nodes.ts';

const everywhere = new Egress({ allow: [], deny: [] }, true);

export interface FakeEngine extends Engine {
  /** Does nothing: there is nothing to recover. */
  start(): Promise<void>;
  /** All notifications, in order. */
  readonly heard: { parameters: Record<string, unknown>; nodeId: string | undefined }[];
  /** All publications, in order. */
  readonly told: Publication[];
  readonly outbox: Outbox;
  /** Feed of the event stream. */
  readonly feed: EventFeed;
  /** Returns every document of a collection, as stored. */
  stored(collection: string): Promise<Document[]>;
  readonly obms: ObmRequests;
  /** The rows, which tests can set up. */
  readonly rows: Map<string, WorkflowRow>;
  /** The error that `ready` throws; undefined: it resolves. */
  away: NodewrightError | undefined;
}

const config: ConfigFile = { authTokenExpireIn: 3_600, bodyLimit: 100_000, log: { level: 'silent' } };

const failed = (error: unknown) => {
  throw error;
};

export async function fakeEngine(change: ConfigFile = {}, store = new MemoryStore()): Promise<FakeEngine> {
  // Below a device, nothing can be created, not even by root.
  const read = readConfig({}, '/nonexistent', { dataDir: '/dev/null/data', ...config, ...change });
  const settings = new Settings(read, localChannels(() => {}).channel('settings'));
  const cluster = singleNodeCluster('fake');
  const eventLog = await openEventLog({ store, cluster, tailOf: undefined, retentionDays: 0, failed });
  const outbox = new Outbox(await store.collection<WaitingEvent>(outboxSpec), undefined, cluster, () => {}, [
    eventLog.sink,
  ]);
  const told: Publication[] = [];
  outbox.listen((publication) => told.push(publication));
  const heard: FakeEngine['heard'] = [];
  const rows = new Map<string, WorkflowRow>();
  const opened = await openTestNodes({
    store,
    outbox,
    quotas: read.southboundQuotas,
    catalogAdded: (catalog) => skus.catalogAdded(catalog),
    decommission: async (nodeId) => fakeActiveRow(rows, nodeId)?.id ?? null,
    failed,
  });
  const { nodes, holds, health, catalogs, hardware, lookups, obms, ibms, pollers, keys } = opened;
  // Not started: only a new catalog classifies its node.
  const skus = await openSkus({
    store,
    channel: localChannels(() => {}).channel('skus'),
    cluster: singleNodeCluster('fake'),
    nodes: await store.collection<ClassifiedNode>(nodeSpec),
    catalogs,
    describe: (catalogs) => hardware.describe(catalogs),
    tag: (id, tags) => nodes.tag(id, tags),
    pending: opened.pending,
    publisher: opened.publisher,
    outbox,
    moved: () => {},
    classified: async () => {},
    health,
    failed,
  });
  return {
    get config() {
      return settings.config;
    },
    settings,
    tokenKeys: [randomBytes(32)],
    provider: read.oidc && new OpenIdProvider(read.oidc),
    heard,
    told,
    stored: async (name) => (await store.collection({ name, indexes: {} })).find({}),
    rows,
    away: undefined,
    audit: new AuditLog(await openAuditStore(store), { failed, lost: failed }),
    ...(await openUsers(store, singleNodeCluster('fake').leases, localEpoch())),
    nodes,
    teams: new TeamRequests(
      await store.collection<TeamRecord>(teamSpec),
      new SerializedChanges(singleNodeCluster('fake').leases, 'teams', 'teams'),
      new OwnerChanges(nodes, async (nodeId) => {
        const row = fakeActiveRow(rows, nodeId);
        return row ? { workflow: row.id, owner: row.owner ?? null } : null;
      }),
    ),
    holds,
    consoles: await noConsoles(store, read.consoleLines),
    health,
    catalogs,
    hardware,
    power: { ask: async () => ({ state: 'on', at: new Date(0).toISOString() }) },
    lookups,
    obms,
    ibms,
    pollers,
    tags: skus.tags,
    skus: new SkuRequests(skus.requests),
    files: {
      list: async () => ({ items: [], total: 0 }),
      get: async () => undefined,
      content: async () => undefined,
      nameOfContent: async () => undefined,
      put: async () => {
        throw new NodewrightError('INVALID', 'This engine keeps no files');
      },
      remove: async () => false,
      template: async () => undefined,
      profile: async () => undefined,
      staticFile: async () => undefined,
    },
    packs: {
      register: async () => {
        throw new NodewrightError('INVALID', 'This engine cannot read the pack');
      },
      put: async () => undefined,
      remove: async () => false,
    },
    hooks: new HookRequests(
      await store.collection<StoredHook>(hookSpec),
      await store.collection<Delivery>(deliverySpec),
      cipherOf(['secret'], 'hooks'),
      new Vault(['secret']),
      { reload: async () => {} },
      {
        deliveries: new Deliveries(await store.collection<Delivery>(deliverySpec), usualLimits),
        nudge: () => {},
        egress: everywhere,
      },
    ),
    events: eventLog.requests,
    feed: eventLog.feed,
    outbox,
    discovery: {
      macsAt: async () => [],
      identify: async () => undefined,
      register: async () => ({ ...(await nodes.create({ type: 'compute', name: 'arrived' })), isEarly: false }),
      begin: async () => {},
      soon: () => {},
    },
    certificates: {
      list: async () => ({ items: [], total: 0 }),
      all: async function* () {},
      of: async () => undefined,
      key: () => ({ kty: 'OKP' }),
      keys: () => [{ kty: 'OKP' }],
    },
    agents: {
      next: async () => undefined,
      isWanted: async () => true,
      markDelivered: async () => undefined,
      report: async (_, all) => all.map(() => false),
      boot: async () => undefined,
    },
    alerts: new AlertRequests({ lookups, obms, catalogs, holds, health }, outbox),
    bootImages: { content: async () => undefined },
    southbound: new SouthboundAccess(
      read.southboundKeys,
      keys,
      {
        lookups: { enteredAt: async () => [], seenAt: async () => new Set(), enteredMacs: async () => [] },
        obms: { withHost: async () => [] },
      },
      { need: async () => {} },
      { report: () => {} },
    ),
    baselines: new BaselineRequests({
      stored: await store.collection<StoredBaseline>(baselineSpec),
      drift: new BaselineDrift({ storedNodes: await store.collection<StoredNode>(nodeSpec), catalogs }),
      isSku: async (id) => (await skus.requests.stored.get(id)) !== undefined,
      comparing: (change) => change(),
    }),
    windows: new WindowRequests(await store.collection<StoredWindow>(windowSpec)),
    ...fakeWorkflows(rows, nodes),
    ...library(),
    simulations: { play: async () => undefined, check: async () => undefined },
    diagnosis: noDiagnosis(),
    plans: {
      plan: async ({ name, nodeId: node }) => ({
        graph: name,
        definitionHash: 'abc',
        node,
        tasks: [],
        rejections: [],
        holder: null,
        usualMs: null,
      }),
    },
    ...noFleet(),
    bmcs: { all: async () => [], nodesAt: async () => new Map(), reset: async () => false },
    notifications: {
      async notify(parameters, nodeId) {
        heard.push({ parameters, nodeId });
        return { isRepeat: false, answer: parameters };
      },
      notifyWorkflow: async (id, parameters) => (rows.has(id) ? { isRepeat: false, answer: parameters } : undefined),
      nodeOfCallback: async () => undefined,
      callBack: async () => undefined,
      nodeOfTask: async () => null,
      progress: async (taskId) =>
        [...rows.values()].some((row) => row.tasks.some(({ instanceId }) => instanceId === taskId)),
    },
    async checkReady(this: FakeEngine) {
      if (this.away) throw this.away;
    },
    start: async () => {},
    metrics: async () => '# HELP nodewright_fake 1\nnodewright_fake 1',
  };
}

function library(): Pick<Engine, 'library' | 'graphVersions'> {
  const graphs = new Map<string, DefinitionView>();
  const tasks = new Map<string, DefinitionView>();
  const put = (all: Map<string, DefinitionView>) => async (json: Record<string, unknown>) => {
    const definition = json as DefinitionView;
    all.set(definition.injectableName, definition);
    return definition;
  };
  const version = { hash: 'abc', createdAt: new Date().toISOString(), file: null, isCurrent: true, quarantine: null };
  const graphVersions: Engine['graphVersions'] = {
    list: async (name) => (graphs.has(name) ? [version] : []),
    release: async (name, hash) => (graphs.has(name) && hash === version.hash ? version : undefined),
  };
  const definitions: Engine['library'] = {
    graphs: async () => [...graphs.values()],
    graph: async (name) => graphs.get(name),
    machine: async () => undefined,
    checkGraph: async () => ({ ok: true, name: 'Graph.Put', errors: [], warnings: [], explored: null }),
    putGraph: async (json) => ({ definition: await put(graphs)(json), warnings: [] }),
    removeGraph: async (name) => graphs.delete(name),
    tasks: async () => [...tasks.values()],
    task: async (name) => tasks.get(name),
    putTask: put(tasks),
    removeTask: async (name) => tasks.delete(name),
    errors: async () => [{ file: 'graphs/bad.ts', message: 'expected a machine', served: null }],
  };
  return { library: definitions, graphVersions };
}
