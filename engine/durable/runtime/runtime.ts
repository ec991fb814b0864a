/**
 * Assembles the runtime: rows and their effect runners, effects, worker, timers, sweep. Owns the background work;
 * `start` begins it and `close` ends it.
 */
import { RecentValues } from '../../platform/lib/recent-values.ts';
import type { Consumer } from '../../platform/queue/port.ts';
import { isActive } from '../../vocabulary/states.ts';
import type { NodeRow } from '../step/node.ts';
import { openActivities } from '../step/operations.ts';
import { publicationsOf } from '../step/publications.ts';
import { isQuarantined } from '../step/quarantined.ts';
import type { Effect, StepRow, WorkflowRow } from '../step/row.ts';
import { type Suspect, Suspects, suspectSpec } from '../watchdog/suspects.ts';
import { ActivityRunner } from './activity.ts';
import { ActivityQueue } from './activity-queue.ts';
import { BarredWorkflows } from './barred.ts';
import { BarredVersions } from './barred-versions.ts';
import { EffectRunner } from './effect-runner.ts';
import { Effects } from './effects.ts';
import { Quarantine } from './quarantine.ts';
import type { RuntimePort, SharedServices } from './runtime-port.ts';
import { runtimeQueues } from './runtime-queues.ts';
import { Sender } from './sender.ts';
import { Sweep } from './sweep.ts';
import { Worker } from './worker.ts';

/** Due timers fire concurrently, up to this many. */
const TIMERS_CONCURRENCY = 50;

export type Runtime = Awaited<ReturnType<typeof openRuntime>>;

export async function openRuntime(port: RuntimePort) {
  const { store, records, cluster, library, outbox, watchdog, failed } = port;
  const { workflows, nodes } = records;
  const own = runtimeQueues(port.queues);
  const activities = new ActivityQueue(port.queues, cluster);
  const stepMs = new RecentValues();
  const suspects = new Suspects(await store.collection<Suspect>(suspectSpec));
  const barred = new BarredWorkflows(suspects, failed);
  const versions = new BarredVersions({
    suspects,
    changes: port.queues.channel('quarantine'),
    hasRow: async (id) => (await workflows.load(id)) !== undefined,
    read: barred.keepOnly,
    failed: (error) => failed('quarantine', error),
  });
  await versions.start();
  watchdog.bars = versions.errorOf;
  const send: Sender = new Sender({
    workflows,
    nodes,
    pairs: records.pairs,
    workflowEffects: () => workflowEffects,
    nodeEffects: () => nodeEffects,
    library,
    reply: (effect, row) => effects.perform(effect, row, false),
    saved: (row, before) => {
      const left = row.pendingEffects.find((step) => step.version === row.version);
      if (left !== undefined) port.stepSaved(row, left, before);
    },
    took(ms) {
      stepMs.add(ms);
      port.stepTook(ms);
    },
    home: () => activities.home(),
    watch: watchdog.watch,
    barred,
    versions,
  });
  const quarantine = new Quarantine({ suspects, barred, versions, records, send, log: port.log });
  const services: SharedServices = {
    ...port.services,
    release: (operationId, group) => release(send, operationId, group),
  };
  const worker = new Worker(workflows, send, new ActivityRunner(port, services, send), activities, failed);
  const effects = new Effects(port, own, send, worker, activities);
  const perform = (all: readonly Effect[], row: StepRow, isAgain: boolean) => effects.performAll(all, row, isAgain);
  const workflowEffects = new EffectRunner<WorkflowRow>(workflows, {
    perform,
    publish: (steps, follows) =>
      outbox.publish(
        steps.flatMap(({ row, pendingEffects }) => publicationsOf(row, pendingEffects)),
        follows,
      ),
    busy: (row) => openActivities(row).length > 0 && !isQuarantined(row),
    isOver: ({ status }) => !isActive(status),
    failed,
  });
  const nodeEffects = new EffectRunner<NodeRow>(nodes, {
    perform,
    ...noEvents,
    busy: () => false,
    isOver: () => false,
    failed,
  });
  const sweep = new Sweep(port, {
    send,
    effects,
    activities,
    workflowEffects,
    nodeEffects,
    worker,
    quarantine,
    stepMs,
  });
  const takeOver = async (id: string): Promise<void> => {
    try {
      await Promise.all([activities, own.timers, ...port.others].map((queue) => queue.release(id)));
      port.died();
    } catch (error) {
      failed('takeover', error);
    }
  };
  /** Processes that became silent before this one could take over from them. */
  let silent: string[] | undefined = [];
  let timerConsumer: Consumer | undefined;
  const unsubscribe = await own.aborts.subscribe(({ workflow, operation }) => worker.abort(workflow, operation));
  await cluster.start((id) => {
    if (silent !== undefined) silent.push(id);
    else void takeOver(id).then(() => sweep.soon());
  });

  return {
    records,
    send,
    workflowEffects,
    barred,
    versions,
    quarantine,
    agentCommands: own.agentCommands,
    get runningCount() {
      return worker.runningCount;
    },

    /** Returns the number of activities that wait for a worker. */
    backlog: () => activities.waitingCount(),

    /** Must run before any other step is taken. */
    async judge(suspend: readonly string[]): Promise<void> {
      await quarantine.judge(watchdog.evidence, suspend);
      watchdog.clear();
    },

    /** Recovers pending work; until then steps are taken only for requests, and no activity is started. */
    async start({ concurrency }: { concurrency: number }): Promise<void> {
      await sweep.start(cluster.singleNode);
      const gone = [...(cluster.previousInstance === undefined ? [] : [cluster.previousInstance]), ...(silent ?? [])];
      silent = undefined;
      for (const id of gone) await takeOver(id);
      if (gone.length > 0) sweep.now();
      timerConsumer = own.timers.consume(({ workflow }) => send.timer(workflow), TIMERS_CONCURRENCY);
      if (concurrency > 0) await worker.start(concurrency);
    },

    async close(timeoutMs: number): Promise<void> {
      await sweep.close();
      await unsubscribe();
      await Promise.all([barred.close(), versions.close()]);
      await Promise.all([worker.close(timeoutMs), timerConsumer?.close()]);
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

/** For steps without events. */
const noEvents = { publish: async () => {} };
