/**
 * Assembles the engine from its modules, in the order of their dependencies, and closes them in the opposite order, so that
 * no module outlives one that it needs. `late-calls.ts` lists the calls that go the other way.
 *
 * An open engine answers requests; `start` loads the definitions and recovers pending work.
 */
import type { Logger } from 'pino';
import type * as api from '../api-port/index.ts';
import { flushSpans } from '../durable/telemetry/open-tracing.ts';
import type { Outbox } from '../events/broker/outbox.ts';
import { markHeld } from '../inventory/holds/mark-held.ts';
import { AlertRequests } from '../inventory/nodes/alerts.ts';
import { askPower } from '../inventory/nodes/power-records.ts';
import { openSkuRequests } from '../inventory/packs/pack-requests.ts';
import { markOwned } from '../inventory/teams/mark-owned.ts';
import type { Graph } from '../library/types.ts';
import type { Config } from '../platform/config/config.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { withTimeout } from '../vocabulary/with-timeout.ts';
import { GraphVersionRequests } from '../workflows/requests/graph-version-requests.ts';
import { SimulationRequests } from '../workflows/requests/simulation-requests.ts';
import { openAudit } from './audit.ts';
import { checkConfiguredRoles } from './configured-roles.ts';
import type { OpenDefinitions } from './definitions.ts';
import { openDiagnosis } from './diagnosis.ts';
import { type EngineOutside, thisMachine } from './engine-outside.ts';
import { openFleet } from './fleet.ts';
import { openFoundation } from './foundation.ts';
import { openInventory } from './inventory.ts';
import { LateLinks } from './late-calls.ts';
import { openProvider } from './provider.ts';
import { addTeamUses } from './team-uses.ts';
import { openUsers } from './users.ts';
import { openWorkflows } from './workflows.ts';

export type RunningEngine = api.Engine & {
  /** Calls a listener with each event that this process publishes. Returns a function that removes the listener. */
  listen: Outbox['listen'];
  /** Resolves when the definitions are loaded and pending work is recovered, or when the engine is closed earlier. */
  start(): Promise<void>;
  /** Only loads the definitions: this process then answers questions, and does no work. */
  load(): Promise<void>;
  /** Returns a version of a graph. @throws NodewrightError DEFINITION_GONE */
  pinnedGraph(hash: string): Promise<Graph>;
  close(): Promise<void>;
};

/** Time for running activities to end when the daemon stops; the rest of its 10 s is for the stores. */
const CLOSE_TIMEOUT_MS = 5_000;
const HOOKS_CLOSE_TIMEOUT_MS = 1_000;
/** An agent that waits for commands asks every 25 s. */
const AGENT_SEEN_MS = 300_000;

/** The modules of an engine. */
interface Modules {
  foundation: Awaited<ReturnType<typeof openFoundation>>;
  audit: Awaited<ReturnType<typeof openAudit>>;
  definitions: OpenDefinitions;
  inventory: Awaited<ReturnType<typeof openInventory>>;
  work: Awaited<ReturnType<typeof openWorkflows>>;
  fleet: Awaited<ReturnType<typeof openFleet>>;
  diagnosis: ReturnType<typeof openDiagnosis>;
}

/** @param ended receives the error when the engine cannot continue and only a restart helps */
export async function createEngine(
  config: Config,
  log: Logger,
  ended: (error: NodewrightError) => void = () => {},
  outside: EngineOutside = thisMachine,
): Promise<RunningEngine> {
  const lateLinks = new LateLinks();
  const foundation = await openFoundation(config, log, ended, outside);
  const audit = await openAudit(foundation);
  await checkConfiguredRoles(foundation, log);
  const definitions = await outside.definitions(foundation, lateLinks);
  const inventory = await openInventory(foundation, lateLinks);
  const work = await openWorkflows(foundation, definitions, inventory, lateLinks);
  const fleet = await openFleet(foundation, definitions, inventory, work);
  const diagnosis = openDiagnosis(foundation, definitions, inventory, work, fleet.waits, () =>
    storesAnswer(foundation),
  );
  const modules = { foundation, audit, definitions, inventory, work, fleet, diagnosis };
  connect(lateLinks, modules);
  await work.runtime.judge(config.suspend);
  const provider = openProvider(config, log);
  const answers = Object.assign(await requests(modules), { provider });
  const passwords = await outside.localPasswords(foundation, audit.audit);
  return Object.assign(answers, {
    start: () => start(modules, true),
    load: () => start(modules, false),
    pinnedGraph: (hash: string) => definitions.library.pinnedGraph(hash),
    async close() {
      provider?.close();
      await Promise.all([passwords, answers.users, answers.apiTokens].map((each) => each.close()));
      await close(modules);
    },
  });
}

/** Connects every late edge, and the gauges of the metrics. */
function connect(lateLinks: LateLinks, { foundation, definitions, inventory, work, fleet, diagnosis }: Modules): void {
  const { runtime, launches, broadcasts } = work;
  lateLinks.connect({
    catalogAdded: (catalog) => inventory.skus.catalogAdded(catalog),
    classified: (nodes) => fleet.compareBaselines(nodes),
    decommission: (node) => runtime.send.decommission(node),
    markHeld: (node, mark) => markHeld(runtime.send, node, mark),
    markOwned: (node, mark) => markOwned(runtime, node, mark),
    servePack: (sku, graphsAndTasks, commit) => definitions.definitions.servePack(sku, graphsAndTasks, commit),
    packsChanged: () => definitions.definitions.packsChanged(),
    bootImage: (node, workflow, note) => work.bootImages.urlOf(node, workflow, note),
    launchChild: (parent, effect) => launches.launchChild(parent, effect),
    rolloutChanged: () => fleet.requests.rollouts.noteEnd(),
    processDied: () => void broadcasts.resume().catch(foundation.failedIn('broadcasts')),
  });
  foundation.metrics.observe({
    activitiesRunning: () => runtime.runningCount,
    broker: () => (foundation.broker?.up ? 1 : 0),
    regeneration: () => inventory.skus.state,
    quarantinedCount: () => runtime.quarantine.count(),
    survey: () => work.surveyor.survey(),
    backlog: diagnosis.backlog,
    openCircuits: () => inventory.gates.openCircuits(),
    nodesWithHealth: (state) => inventory.nodes.health.count(state),
    agentsSeen: () => work.sightings.count(AGENT_SEEN_MS),
    eventReaders: () => foundation.eventLog.feed.readers,
    eventReadersCut: () => foundation.eventLog.feed.cuts,
    eventStreams: (state) => inventory.eventStreams.count(state),
  });
}

/** Returns what the API may ask. */
async function requests({ foundation, audit, definitions, inventory, work, fleet, diagnosis }: Modules) {
  const { config, settings, store, cluster, epoch, outbox, metrics, hooks, eventLog, starting, keys, watchdog } =
    foundation;
  const { skus, nodes, certificates, southbound } = inventory;
  const { preparation, workflows, launches, control, plans, batches, notifications, agents, discovery, files } = work;
  const tokenKeys = config.authTokenSecret ?? (await keys('auth-token'));
  const users = await openUsers(store, cluster.leases, epoch, foundation.failedIn('users'));
  addTeamUses(
    foundation,
    inventory,
    { ...fleet.owned, workflow: foundation.records.storedWorkflows },
    work,
    users.users,
  );
  return {
    get config() {
      return settings.config;
    },
    settings,
    tokenKeys: tokenKeys.map((key) => new TextEncoder().encode(key)),
    audit: audit.audit,
    ...users,
    ...nodes,
    power: askPower(inventory.obms),
    teams: inventory.teams,
    consoles: inventory.consoles.requests,
    workflows,
    launches,
    control,
    plans,
    batches,
    ...fleet.requests,
    library: definitions.definitions,
    graphVersions: new GraphVersionRequests(() => definitions.definitions.loadedLibrary(), work.runtime),
    simulations: new SimulationRequests(() => definitions.definitions.loadedLibrary(), watchdog.watch, work.runtime),
    notifications,
    hooks: hooks.requests,
    events: eventLog.requests,
    files,
    tags: skus.tags,
    ...openSkuRequests(skus.requests, definitions.bytes.packs, (graph, options) =>
      preparation.encryptOptions(graph, options),
    ),
    agents,
    bmcs: {
      all: () => inventory.gates.all(),
      reset: (host: string, by?: string) => inventory.gates.reset(host, by),
      nodesAt: (hosts: readonly string[]) => inventory.bmcOwners.reachedAt(hosts),
    },
    alerts: new AlertRequests(nodes, outbox),
    certificates,
    discovery,
    diagnosis: diagnosis.requests,
    southbound,
    bootImages: work.bootImages,
    listen: (listener: Parameters<Outbox['listen']>[0]) => outbox.listen(listener),
    async checkReady() {
      await storesAnswer(foundation);
      foundation.store.needRoom?.();
      await starting.untilReady();
    },
    metrics: () => metrics.text(),
  };
}

/** Loads the definitions, then recovers pending work, if this process works. */
function start({ foundation, audit, definitions, inventory, work, fleet }: Modules, works: boolean): Promise<void> {
  const { config, starting, hooks, eventLog } = foundation;
  const isWorker = config.role !== 'api';
  const load = async () => {
    await definitions.library.load();
    await definitions.definitions.start();
    starting.definitionsLoaded();
  };
  const recover = async () => {
    await work.runtime.start({ concurrency: isWorker ? config.taskConcurrency : 0 });
    hooks.work(isWorker);
    eventLog.start();
    inventory.pollers.start(isWorker);
    if (isWorker) inventory.eventStreams.start();
    if (isWorker) await inventory.consoles.captures.start();
    await inventory.skus.start();
    work.discovery.start();
    work.batches.start();
    for (const periodic of [...inventory.healthWork, ...work.holdWork, work.bootImages.ejection]) periodic.start();
    await fleet.start();
    for (const tidying of work.tidying) tidying?.start();
    work.durations.start();
    work.sightings.notes.start();
    work.failedFetches.notes.start();
    await work.broadcasts.resume();
    work.maintenance.start();
    audit.start();
    await inventory.certificates.complete();
  };
  return starting.begin([
    { what: 'loads the definitions', run: load },
    ...(works ? [{ what: 'recovers pending work', run: recover }] : []),
  ]);
}

async function close({ foundation, audit, definitions, inventory, work, fleet }: Modules): Promise<void> {
  const { starting, heartbeat, settings, hooks, eventLog, outbox, cluster, metrics, watchdog } = foundation;
  const { library, bytes } = definitions;
  const { skus, pollers, eventStreams, obms, gates, publisher, consoles } = inventory;
  library.stop();
  await starting.close();
  await heartbeat.close();
  await work.agents.close();
  await work.discovery.close();
  await fleet.close();
  await work.batches.close();
  const periodics = [...inventory.healthWork, ...work.holdWork, work.bootImages.ejection];
  await Promise.all(periodics.map((periodic) => periodic.close()));
  await Promise.all(work.tidying.map((tidying) => tidying?.close()));
  await settings.close();
  await Promise.all([
    work.runtime.close(CLOSE_TIMEOUT_MS),
    hooks.stop(HOOKS_CLOSE_TIMEOUT_MS),
    skus.close(),
    pollers.close(),
    eventStreams.close(),
    consoles.captures.close(),
  ]);
  await gates.close();
  await obms.close();
  await work.broadcasts.close();
  await publisher.close();
  await outbox.close();
  await eventLog.close();
  await hooks.close();
  await work.maintenance.close();
  await work.durations.close();
  await work.sightings.notes.close();
  await work.failedFetches.notes.close();
  await audit.close();
  await cluster.close();
  await definitions.definitions.close();
  await library.close();
  await bytes.close();
  metrics.close();
  await flushSpans();
  await watchdog.close();
  await foundation.close();
}

const READY_MS = 2_000;

const storesAnswer = ({ store, queues }: Modules['foundation']) => answers(store.ping(), queues.ping());

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
