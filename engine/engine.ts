/**
 * Assembles the engine. Components are opened in the order of their dependencies (store, queue, library, actors, worker,
 * requests) and closed in the opposite order, so that no component outlives its dependencies.
 *
 * An open engine answers requests; `start` loads the definitions and recovers pending work.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openAdapters } from './adapters.ts';
import type * as api from './api-port/index.ts';
import { bindings } from './bindings.ts';
import { openBlobStore } from './blob-store.ts';
import type { Config } from './config.ts';
import { NodewrightError, type Violation } from './define/errors.ts';
import { withTimeout } from './define/with-timeout.ts';
import { openBroker } from './events/amqp.ts';
import { Outbox, outboxSpec, type Waiting } from './events/outbox.ts';
import { Heartbeat } from './heartbeat.ts';
import { openHooks } from './hooks/hooks.ts';
import { Library } from './library/library.ts';
import { Maintenance } from './maintenance.ts';
import { Metrics } from './metrics.ts';
import { Obms } from './obm/obms.ts';
import { PollerWork } from './pollers/pollers.ts';
import { AgentRequests } from './requests/agents.ts';
import { AlertRequests } from './requests/alerts.ts';
import { CertificateRequests, certificateSpec, type StoredCertificate } from './requests/certificates.ts';
import { DefinitionRequests } from './requests/definitions.ts';
import { DiscoveryRequests } from './requests/discovery.ts';
import { HookRequests } from './requests/hooks.ts';
import { Interlocks, interlocked, interlockSpec, type StoredInterlock } from './requests/interlocks.ts';
import { nodeSpec } from './requests/nodes.ts';
import { type Broadcast, broadcastSpec, NotificationRequests } from './requests/notifications.ts';
import { openFiles } from './requests/open-files.ts';
import { openNodes } from './requests/open-nodes.ts';
import { openSouthbound } from './requests/open-southbound.ts';
import { openUsers } from './requests/open-users.ts';
import { openSkuRequests } from './requests/packs.ts';
import { WorkflowRequests } from './requests/workflows.ts';
import { now } from './runtime/clock.ts';
import { openRuntime } from './runtime/runtime.ts';
import { cipherOf } from './secrets.ts';
import { Settings } from './settings.ts';
import { signerOf } from './signing.ts';
import type { ClassifiedNode } from './skus/classifier.ts';
import { openSkus } from './skus/skus.ts';
import { Starting } from './starting.ts';
import { Vault } from './vault.ts';
import { Watchdog } from './watchdog/watchdog.ts';

export type Engine = api.Engine & {
  /** Calls a listener with each event that this process publishes. Returns a function that removes the listener. */
  listen: Outbox['listen'];
  /** Resolves when the definitions are loaded and pending work is recovered, or when the engine is closed earlier. */
  start(): Promise<void>;
  close(): Promise<void>;
};

/** Time for running activities to end when the daemon stops; the rest of its 10 s is for the stores. */
const CLOSE_TIMEOUT_MS = 5_000;
const HOOKS_CLOSE_TIMEOUT_MS = 1_000;

/** @param ended receives the error when the engine cannot continue and only a restart helps */
export async function createEngine(
  config: Config,
  log: Logger,
  ended: (error: NodewrightError) => void = () => {},
): Promise<Engine> {
  const failed = (what: string, error: unknown) => {
    // Repeated every few seconds while the workflow is quarantined.
    const isHeld = error instanceof NodewrightError && error.code === 'QUARANTINED';
    log[isHeld ? 'debug' : 'warn']({ err: error, what }, 'failed; will be retried');
  };
  const starting = new Starting();
  const unsupported = (record: object, violations: readonly Violation[]) =>
    log.warn({ ...record, violations }, 'found unsupported patterns; they match nothing until they are changed');
  const adapters = await openAdapters(config, log, ended);
  const { store, queues, cluster } = adapters;
  const watchdog = await Watchdog.open({
    ...{ dataDir: config.dataDir, limitMs: config.stepLimitMs },
    failed: (error) => log.warn({ err: error }, 'the watchdog failed'),
  });
  const vault = new Vault(await adapters.secret('values'));
  const settings = new Settings(config, queues.channel('settings'));
  await settings.start();
  settings.listen(({ log: { level } }) => {
    log.level = level;
  });
  if (config.role !== 'both' && cluster.singleNode) {
    log.warn({ role: config.role }, 'without MongoDB and Redis there is only one process; it should have both roles');
  }
  const broker = config.amqp === undefined ? undefined : await openBroker(config.amqp, log);
  const hooks = await openHooks({
    store,
    queues,
    cluster,
    encrypt: cipherOf(await adapters.secret('hooks'), 'hooks'),
    vault,
    count: (result, times) => metrics.countDelivery(result, times),
    unsupported: (hook, violations) => unsupported({ hook }, violations),
    failed: (error) => failed('hooks', error),
  });
  await hooks.start();
  const waiting = await store.collection<Waiting>(outboxSpec);
  const outbox = new Outbox(waiting, broker, cluster, (error) => failed('outbox', error), hooks.taker);
  const folders = { graphs: [...config.graphs], tasks: [...config.tasks] };
  const bytes = await openBlobStore({
    store,
    folder: join(config.dataDir, 'served'),
    packLimit: config.packLimit,
    allowsCode: config.packCode,
    serve: async (sku, graphsAndTasks, commit) => {
      await starting.definitions();
      return library.putPack(sku, graphsAndTasks, commit);
    },
    changed: () => definitions.packsChanged(),
    failed: (error) => failed('packs', error),
  });
  const { packs } = bytes;
  const cacheDir = join(config.dataDir, 'library');
  const library = await Library.prepare({ folders, cacheDir, store, log, packs: () => packs.definitions() });
  const { teller, arrivals, storedPollers, keys, ...nodes } = await openNodes({
    store,
    outbox,
    encrypt: cipherOf(await adapters.secret('obms'), 'obms'),
    vault,
    quotas: config.southboundQuotas,
    keySecret: await adapters.secret('southbound-keys'),
    catalogAdded: (catalog) => skus.catalogAdded(catalog),
    retire: (id) => runtime.retire(id),
    workflowsOn: (ids) => workflows.idsOn(ids),
    scheduled: (poller) => pollers.schedule(poller),
    unscheduled: (id) => pollers.unschedule(id),
    failed: (error) => failed('node events', error),
  });
  const skus = await openSkus({
    store,
    channel: queues.channel('skus'),
    cluster,
    nodes: await store.collection<ClassifiedNode>(nodeSpec),
    catalogs: nodes.catalogs,
    publish: (publications) => outbox.publish(publications),
    moved: (action) => metrics.countMove(action),
    unsupported: (sku, violations) => unsupported({ sku }, violations),
    failed: (error) => failed('skus', error),
  });

  const catalog = async (node: string, source: string) => (await nodes.catalogs.latestOf(node, source))?.data;
  const interlocks = new Interlocks(await store.collection<StoredInterlock>(interlockSpec));
  const certificates = new CertificateRequests({
    stored: await store.collection<StoredCertificate>(certificateSpec),
    signer: await signerOf(await adapters.secret('certificates')),
    load: (id) => runtime.workflows.rows.load(id),
    node: (id) => nodes.nodes.find(id),
    catalog,
  });
  const services = async (node: string) =>
    ((await nodes.obms.refs([node])).get(node) ?? []).map(({ service }) => service);
  const obms = new Obms({
    limits: config.obm,
    config: (node, service) => nodes.obms.config(node, service),
    services,
    addressOf: (mac) => nodes.lookups.addressOf(mac),
    failed: (error) => failed('obm sessions', error),
    now,
  });

  const pollers = new PollerWork({
    stored: storedPollers,
    queue: queues.queue('pollers'),
    leases: cluster.leases,
    newsOf: (node, mark, signal) => obms.logOf(node, mark, signal),
    publish: (publications) => outbox.publish(publications),
    unsupported: (poller, violations) => unsupported({ poller }, violations),
    failed: (error) => failed('pollers', error),
  });

  const runtime = await openRuntime({
    store,
    queues,
    outbox,
    cluster,
    vault,
    services: {
      shellCommands: config.shellCommands,
      discovered: (node, operationId) => discovery.discovered(node, operationId),
      noteError: (node, error) => discovery.noteError(node, error),
      catalog,
      trustedCatalog: async (node, source) => (await nodes.catalogs.trusted(node, source))?.data,
      interlock: interlocks,
      certify: (operationId, drives) => certificates.certify(operationId, drives),
      driver: async (node, service, override, note) =>
        interlocked(await obms.of(node, service, note), node, interlocks, override),
      redfish: (node, access, note) => obms.redfish(node, access, note),
      setObm: async (node, service, config) => void (await nodes.obms.put(node, { service, config })),
    },
    watchdog,
    log,
    graph: async (name, node) => {
      await starting.definitions();
      return library.graph(name, (await skus.of(node))?.id);
    },
    pinned: (hash) => library.pinned(hash),
    nodeId: (identifier) => nodes.nodes.idOf(identifier),
    bindings: bindings(
      () => settings.config,
      (node) => skus.of(node),
    ),
    stepSaved: (left) => metrics.countStep(left),
    died: () => void notifications.resume().catch((error) => failed('broadcasts', error)),
    others: [hooks.queue, pollers.queue],
    extraSweeps: (minAgeMs) => teller.sweep(minAgeMs),
    failed,
  });
  const workflows = new WorkflowRequests({
    ...runtime.workflows,
    ...{ catalog, obms: services, children: config.childGraphs },
    removed: (id) => certificates.forget(id),
    ...{ watch: watchdog.watch, rejectBarred: (id) => runtime.quarantine.reject(id) },
    release: (id) => runtime.quarantine.release(id),
  });
  runtime.children((parent, effect) => workflows.launchChild(parent, effect));
  const files = await openFiles({
    ...{ store, bytes, vault, nodes: nodes.nodes, lookups: nodes.lookups, skuOf: (node) => skus.skuOf(node) },
    isSku: async (id) => (await skus.requests.stored.get(id)) !== undefined,
    bindings: bindings(
      () => settings.config,
      async (node) => (node === null ? undefined : skus.skuOf(node)),
    ),
    workflow: (node) => workflows.activeOn(node),
    workflows: runtime.workflows.stored,
    pinned: (hash) => library.pinned(hash),
  });
  const discovery = new DiscoveryRequests({
    ...arrivals,
    graphName: config.discoveryGraph,
    skus: skus.requests.stored,
    leases: cluster.leases,
    find: (node) => nodes.nodes.find(node),
    launchOnce: (id, name, nodeId) => workflows.launchOnce(id, { name, options: {}, nodeId }),
    classify: skus.classify,
    publish: (publications) => outbox.publish(publications),
    wrong: (node, error) => log.error({ node, error }, 'discovery of a node failed'),
    failed: (error) => failed('discovery', error),
  });
  const southbound = openSouthbound({ config, keys, outbox, ...nodes, log });
  const broadcasts = await store.collection<Broadcast>(broadcastSpec);
  const notifications = new NotificationRequests({
    ...{ ...runtime.notifications, outbox, broadcasts, failed },
    quota: config.southboundQuotas.broadcasts,
  });
  const alerts = new AlertRequests({ ...nodes, publish: (publications) => outbox.publish(publications) });
  const agents = new AgentRequests({
    ...runtime.agents,
    addCatalog: (node, source, data, knownBy) => nodes.catalogs.add(node, source, data, knownBy),
    release: (id) => interlocks.release(id),
  });
  const metrics = new Metrics({
    activitiesRunning: () => runtime.running,
    broker: () => (broker?.up ? 1 : 0),
    regeneration: () => skus.state,
    quarantined: () => runtime.quarantine.count(),
  });
  outbox.listen(() => metrics.countPublished());
  const secret = config.authTokenSecret ?? (await adapters.secret('auth-token'));

  await agents.start();
  const definitions = new DefinitionRequests({
    ...{ library, vault, changes: queues.channel('definitions') },
    loaded: () => starting.definitions(),
  });
  const maintenance = new Maintenance({
    ...{ library, bytes, leases: cluster.leases },
    workflows: runtime.workflows.stored,
    nodes: runtime.notifications.nodes,
    failed: (error) => failed('upkeep', error),
  });
  const heartbeat = new Heartbeat(outbox);
  heartbeat.every(config.heartbeatIntervalSec);
  settings.listen(({ heartbeatIntervalSec }) => heartbeat.every(heartbeatIntervalSec));
  await runtime.judge(config.hold);

  const load = async () => {
    await library.load();
    await definitions.start();
    starting.definitionsLoaded();
  };
  const recover = async () => {
    await runtime.start({ concurrency: config.role === 'api' ? 0 : config.taskConcurrency });
    hooks.work(config.role !== 'api');
    pollers.start(config.role !== 'api');
    await skus.start();
    discovery.start();
    await notifications.resume();
    maintenance.start();
  };

  return {
    get config() {
      return settings.config;
    },
    settings,
    tokenSecret: new TextEncoder().encode(secret),
    ...(await openUsers(store, cluster.leases)),
    ...nodes,
    workflows,
    library: definitions,
    notifications,
    hooks: new HookRequests(hooks.requests),
    files,
    ...openSkuRequests(
      { ...skus.requests, encrypted: (graph, options) => workflows.encrypted(graph, options) },
      packs,
      () => definitions.packsChanged(),
    ),
    agents,
    alerts,
    certificates,
    discovery,
    southbound,
    listen: (listener) => outbox.listen(listener),
    start: () =>
      starting.begin([
        { what: 'loads the definitions', run: load },
        { what: 'recovers pending work', run: recover },
      ]),
    async ready() {
      await answers(store.ping(), queues.ping());
      starting.ready();
    },
    metrics: () => metrics.text(),
    async close() {
      library.stop();
      await starting.close();
      heartbeat.close();
      await agents.close();
      await discovery.close();
      await settings.close();
      await Promise.all([
        runtime.close(CLOSE_TIMEOUT_MS),
        hooks.stop(HOOKS_CLOSE_TIMEOUT_MS),
        skus.close(),
        pollers.close(),
      ]);
      await obms.close();
      await notifications.close();
      await teller.close();
      await outbox.close();
      await hooks.close();
      await maintenance.close();
      await cluster.close();
      await definitions.close();
      await library.close();
      await bytes.close();
      metrics.close();
      await watchdog.close();
      await adapters.close();
    },
  };
}

const READY_MS = 2_000;

async function answers(...pings: Promise<void>[]): Promise<void> {
  try {
    await withTimeout(Promise.all(pings), READY_MS, () => {
      throw new Error(`no response within ${READY_MS} ms`);
    });
  } catch (cause) {
    if (cause instanceof NodewrightError && cause.code === 'DATA_DIR_DAMAGED') {
      throw new NodewrightError('UNAVAILABLE', cause.message, { cause });
    }
    throw new NodewrightError('UNAVAILABLE', 'a store does not respond; try again shortly', { cause });
  }
}
