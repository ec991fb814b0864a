/**
 * Assembles the runtime: rows and their effect runners, effects, worker, timers, sweep. Owns the background work;
 * `start` begins it and `close` ends it.
 */
import type { Cluster } from '../cluster/cluster.ts';
import type { Outbox } from '../events/outbox.ts';
import { batch } from '../lib/batch.ts';
import type { Graph } from '../library/types.ts';
import type { Consumer, Queue, Queues } from '../queue/port.ts';
import type { Vault } from '../secrets/vault.ts';
import type { NodeRow } from '../step/node.ts';
import { historyOf, publicationsOf } from '../step/publications.ts';
import { isQuarantined } from '../step/quarantined.ts';
import type { Effect, HistoryStep, PendingEffects, StepRow, WorkflowRow } from '../step/row.ts';
import { upgradedNode, upgradedWorkflow } from '../step/upgrade.ts';
import type { Collection, CollectionSpec, Store } from '../store/port.ts';
import { upgrading } from '../store/upgrading.ts';
import { type Suspect, Suspects, suspectSpec } from '../watchdog/suspects.ts';
import type { Watchdog } from '../watchdog/watchdog.ts';
import type { SharedServices } from './activity.ts';
import { EffectRunner } from './effect-runner.ts';
import { type AbortWord, Effects, type EffectsPort, type TimerJob } from './effects.ts';
import { Quarantine, type QuarantinePort } from './quarantine.ts';
import { Rows } from './rows.ts';
import { Sender } from './sender.ts';
import { openActivities, Sweep } from './sweep.ts';
import { type ChainJob, Worker } from './worker.ts';

export const workflowSpec: CollectionSpec = {
  name: 'workflows',
  indexes: {
    node: 'text',
    status: 'text',
    domain: 'text',
    name: 'text',
    graphName: 'text',
    createdAt: 'text',
    startedAt: 'text',
    finishedAt: 'text',
    pending: 'boolean',
    wakeAt: 'number',
    definitionHash: 'text',
    root: 'text',
  },
  // Not indexed, so lists cannot use it: an index on fields that every step changes would cost every step its upkeep.
  whole: ['updatedAt'],
};
/** Lazy: a step's lines stay in its row until a later, synchronous write of the row drops them. */
export const historySpec: CollectionSpec = {
  name: 'history',
  indexes: { workflow: 'text' },
  lazy: true,
  whole: ['last'],
};
export const actorSpec: CollectionSpec = {
  name: 'actors',
  indexes: { workflow: 'text', pending: 'boolean' },
  whole: ['retired', 'updatedAt'],
};

export interface RuntimePort {
  store: Store;
  queues: Queues;
  outbox: Outbox;
  cluster: Cluster;
  vault: Vault;
  services: Omit<SharedServices, 'release'>;
  watchdog: Pick<Watchdog, 'watch' | 'evidence' | 'clear'>;
  /** For the log lines of the quarantine. */
  log: QuarantinePort['log'];
  /** Returns the graph as it runs on that node. */
  graph(name: string, node: string | null): Promise<Graph | undefined>;
  pinned(hash: string): Promise<Graph>;
  nodeId(identifier: string): Promise<string | undefined>;
  bindings(node: string | null): Promise<Record<string, unknown>>;
  launchChild: EffectsPort['launchChild'];
  /** Called once with the pending effects of each workflow step, when the step is first saved. */
  stepSaved(left: PendingEffects): void;
  /** Called when another process was found dead, after its jobs were released. */
  died(): void;
  /** Other queues in which a dead process may own jobs. */
  others?: readonly Pick<Queue<unknown>, 'release'>[];
  /** Additional sweeps. */
  extraSweeps(minAgeMs: number): Promise<void>;
  failed(what: string, error: unknown): void;
}

/** Due timers fire concurrently, up to this many. */
const TIMERS_CONCURRENCY = 50;
const HISTORY_BATCH = 200;
const HISTORY_LINGER_MS = 100;

export async function openRuntime(port: RuntimePort) {
  const { store, queues, cluster, failed } = port;
  const stored = upgrading(await store.collection<WorkflowRow>(workflowSpec), upgradedWorkflow);
  const storedNodes = upgrading(await store.collection<NodeRow>(actorSpec), upgradedNode);
  const history = await store.collection<HistoryStep>(historySpec);
  const suspects = new Suspects(await store.collection<Suspect>(suspectSpec));
  const chains = queues.queue<ChainJob>('lanes');
  const timers = queues.queue<TimerJob>('wakes');
  const aborts = queues.channel<AbortWord>('aborts');
  const agentCommands = queues.channel<string>('offers');

  const rows = new Rows(stored, !cluster.singleNode);
  const nodes = new Rows(storedNodes, !cluster.singleNode);
  const quarantine = new Quarantine({
    suspects,
    log: port.log,
    nodes: storedNodes,
    load: (id) => rows.load(id),
    loadAll: (ids) => rows.loadAll(ids),
    send: () => send,
    failed: (error) => failed('quarantine', error),
  });
  const send: Sender = new Sender({
    workflows: rows,
    nodes,
    workflowEffects: () => workflowEffects,
    nodeEffects: () => nodeEffects,
    pinned: port.pinned,
    perform: (effect, row) => effects.perform(effect, row),
    saved: ({ pendingEffects, version }) => {
      const left = pendingEffects.find((step) => step.version === version);
      if (left !== undefined) port.stepSaved(left);
    },
    watch: port.watchdog.watch,
    barred: (id) => quarantine.barred(id),
    unquarantined: (id) => quarantine.forget(id),
  });
  const services: SharedServices = {
    ...port.services,
    release: (operationId, group) => release(send, operationId, group),
  };
  const worker = new Worker({
    ...port,
    send,
    services,
    watch: port.watchdog.watch,
    load: (id) => rows.load(id),
    loadAll: (ids) => rows.loadAll(ids),
  });
  const effects = new Effects({
    send,
    chains,
    timers,
    aborts,
    agentCommands,
    publish: (publications) => port.outbox.publish(publications),
    abort: (workflow, operation) => worker.abort(workflow, operation),
    launchChild: port.launchChild,
  });
  const perform = (effect: Effect, row: StepRow) => effects.perform(effect, row);
  const workflowEffects = new EffectRunner<WorkflowRow>(rows, {
    perform,
    publish: (row, pendingEffects, follows) => port.outbox.publish(publicationsOf(row, pendingEffects), follows),
    record: recorder(history),
    busy: (row) => openActivities(row).length > 0 && !isQuarantined(row),
    failed,
  });
  const nodeEffects = new EffectRunner<NodeRow>(nodes, { perform, ...noEvents, busy: () => false, failed });
  const wake = async (workflow: string) => void (await send.workflow(workflow, { type: 'wake' }));
  const sweep = new Sweep({
    workflows: stored,
    nodes: storedNodes,
    workflowEffects,
    nodeEffects,
    effects,
    cluster,
    wake,
    comesLast: (workflow) => quarantine.isSuspect(workflow),
    runsHere: (workflow, operation) => worker.runs(workflow, operation),
    extraSweeps: port.extraSweeps,
    failed,
  });
  const takeOver = async (id: string): Promise<void> => {
    try {
      await Promise.all([chains, timers, ...(port.others ?? [])].map((queue) => queue.release(id)));
      port.died();
    } catch (error) {
      failed('takeover', error);
    }
  };
  /** Processes that became silent before this one could take over from them. */
  let silent: string[] | undefined = [];
  let waker: Consumer | undefined;
  // In single-node mode, all jobs in the queue were left by the previous instance.
  if (cluster.singleNode) await Promise.all([chains.clear(), timers.clear()]);
  const unsubscribe = await aborts.subscribe(({ workflow, operation }) => worker.abort(workflow, operation));
  await cluster.start((id) => {
    if (silent !== undefined) silent.push(id);
    else void takeOver(id).then(() => sweep.soon());
  });

  return {
    workflows: { rows, stored, history, send, settle: (row: WorkflowRow) => workflowEffects.settle(row), ...port },
    notifications: { send, nodes: storedNodes, workflows: stored, vault: port.vault },
    agents: { send, rows, stored, agentCommands, pinned: port.pinned, vault: port.vault },
    decommission: (node: string) => send.decommission(node),
    get running() {
      return worker.running;
    },

    quarantine,

    /** Must run before any other step is taken. */
    async judge(suspend: readonly string[]): Promise<void> {
      await quarantine.judge(port.watchdog.evidence, suspend);
      port.watchdog.clear();
    },

    /** Recovers pending work; until then steps are taken only for requests, and no activity is started. */
    async start({ concurrency }: { concurrency: number }): Promise<void> {
      await sweep.start(cluster.singleNode);
      const gone = [...(cluster.previousInstance === undefined ? [] : [cluster.previousInstance]), ...(silent ?? [])];
      silent = undefined;
      for (const id of gone) await takeOver(id);
      if (gone.length > 0) sweep.now();
      waker = timers.consume(({ workflow }: TimerJob) => wake(workflow), TIMERS_CONCURRENCY);
      if (concurrency > 0) worker.start(chains, concurrency);
    },

    async close(timeoutMs: number): Promise<void> {
      await sweep.close();
      await unsubscribe();
      await quarantine.close();
      await Promise.all([worker.close(timeoutMs), waker?.close()]);
      await workflowEffects.close();
      await nodeEffects.close();
    },
  };
}

/** @returns whether any operation waited for it */
async function release(send: Sender, operationId: string, group: string): Promise<boolean> {
  const [workflow = ''] = operationId.split('/');
  const outcome = await send.workflow(workflow, { type: 'release', group });
  return outcome?.changed ?? false;
}

/** For steps without events and history. */
const noEvents = { publish: async () => {}, record: async () => {} };

/** Writes history in batches, with a delay: until then the lines are in the rows, and the next steps need the store. */
function recorder(history: Collection<HistoryStep>) {
  const insert = (steps: HistoryStep[]) => history.insertMissing(steps);
  const write = batch(insert, HISTORY_BATCH, HISTORY_LINGER_MS);
  return async (row: WorkflowRow, pendingEffects: PendingEffects): Promise<void> => {
    const step = historyOf(row.id, pendingEffects);
    if (step !== undefined) await write(step);
  };
}
