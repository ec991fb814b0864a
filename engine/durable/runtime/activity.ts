/**
 * Runs one activity, from claim to report.
 *
 * 1. An activity that is aborting is not started.
 * 2. A `once` activity is started only by the process whose claim is in the row. An existing claim of another process
 *    means that the activity was started before; if that process is dead the task run fails as interrupted, unless the
 *    task's probe finds out more. It is started once by a process: a report that Redis lost is made again.
 *    A process that stood still after its claim may have been found gone, and its activity not begun: it claims again,
 *    under another name, so that the claim of one that is about to take over fails.
 * 3. An activity gets obms only through `send-once.ts`, so it cannot repeat a command within its task run.
 * 4. An activity gets its secrets decrypted. Its output, errors and stored data pass through the scrubber first.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type ActivityScope, activityFunction, type Services } from '../../define/operation.ts';
import type { Graph, Task } from '../../library/types.ts';
import { provenanceOf } from '../../library/versions/provenance.ts';
import { ownerOf } from '../../platform/cluster/leases.ts';
import { now } from '../../platform/lib/clock.ts';
import { type FlatError, flatten } from '../../vocabulary/errors.ts';
import { objectIn } from '../../vocabulary/json.ts';
import { MIB } from '../../vocabulary/units.ts';
import { taskKey, taskRunKey, timeoutAt } from '../step/builder.ts';
import type { Operation, WorkflowRow } from '../step/row.ts';
import { sentBy } from '../step/sent.ts';
import { followStrays } from '../watchdog/stray-errors.ts';
import { type DecryptedOperation, decryptOperation } from './opening.ts';
import { type PlainValue, plainValue } from './plain.ts';
import type { RuntimePort, SharedServices } from './runtime-port.ts';
import type { Scrubber } from './scrub.ts';
import { saveStep, sendOnce, sendRedfishOnce, storeLimit } from './send-once.ts';
import type { Sender } from './sender.ts';

export type ActivityReport = { type: 'work.done'; output: unknown } | { type: 'work.failed'; error: FlatError };

/** ms until a process that sends no heartbeats, because Redis is away, looks whether it does again. */
const UNHEARD_MS = 200;
/** Characters: those of some thousands of activities, of which Redis may lose the last ones. */
const REPORTS_SIZE = 4 * MIB;

export class ActivityRunner {
  readonly #port: Pick<RuntimePort, 'library' | 'vault' | 'watchdog' | 'cluster' | 'tracing' | 'log'>;
  readonly #services: SharedServices;
  readonly #send: Sender;
  /** By operation: reports of `once` activities that were made here. */
  readonly #reports = new LRUCache<string, ActivityReport>({
    maxSize: REPORTS_SIZE,
    sizeCalculation: (report) => JSON.stringify(report).length,
  });

  constructor(
    port: Pick<RuntimePort, 'library' | 'vault' | 'watchdog' | 'cluster' | 'tracing' | 'log'>,
    services: SharedServices,
    send: Sender,
  ) {
    this.#port = port;
    this.#services = services;
    this.#send = send;
  }

  /** @returns undefined if this process may not run the activity */
  async perform(row: WorkflowRow, operation: Operation, signal: AbortSignal): Promise<ActivityReport | undefined> {
    if (operation.aborting) return { type: 'work.failed', error: flatten(cancelled) };
    const { tracing } = this.#port;
    if (!tracing.isOn) return this.#perform(row, operation, signal);
    return tracing.activity(row, operation, () => this.#perform(row, operation, signal));
  }

  async #perform(row: WorkflowRow, operation: Operation, signal: AbortSignal): Promise<ActivityReport | undefined> {
    const graph = await this.#port.library.pinnedGraph(row.definitionHash);
    const task = taskOf(graph, row, operation);
    const open = this.#decryptOperation(row, task, operation);
    if ('error' in open) return { type: 'work.failed', error: open.error };
    if (await this.#isHeld(row, graph)) return undefined;
    if (task.recovery === 'once') return this.#once(row, graph, operation, task, open, signal);
    const scope = this.#scopeOf(row, operation, open, signal, this.#port.cluster.id);
    return this.#report(row, graph, operation, task, open.scrubber, scope);
  }

  #decryptOperation(row: WorkflowRow, task: Task, operation: Operation): DecryptedOperation | { error: FlatError } {
    try {
      return decryptOperation(this.#port.vault, row, task, operation);
    } catch (error) {
      // Another attempt would fail in the same way.
      return { error: { ...flatten(error), retry: false } };
    }
  }

  /** Its activities begin again when the version of its graph is released. */
  async #isHeld(row: WorkflowRow, graph: Graph): Promise<boolean> {
    const error = this.#port.watchdog.bars(provenanceOf(graph));
    if (error !== undefined) await this.#send.workflow(row.id, { type: 'quarantine', error });
    return error !== undefined;
  }

  async #once(
    row: WorkflowRow,
    graph: Graph,
    operation: Operation,
    task: Task,
    open: DecryptedOperation,
    signal: AbortSignal,
  ): Promise<ActivityReport | undefined> {
    let found: ActivityReport | 'runs' = 'runs';
    const key = `${row.id}/${operation.id}`;
    const report = this.#reports.get(key);
    const { cluster } = this.#port;
    if (report !== undefined && ownerOf(operation.claim ?? '') === cluster.id) return report;
    let since = performance.now();
    const claim = this.#claimOf(row, operation, signal);
    const lease = await cluster.leases.acquireOn(claim, {
      from: 'gone',
      signal,
      recover: async () => {
        const scope = this.#scopeOf(row, operation, open, signal, cluster.id);
        found = await this.#runWatched(row, graph, operation, () => probe(task, scope, open.scrubber));
        return found === 'runs';
      },
    });
    // The owner only lost its lock and reports the end, another process was first, or the task run was cancelled.
    if (lease === undefined) return found === 'runs' ? undefined : found;
    while (!cluster.wasHeardSince(since)) {
      const time = performance.now();
      if (!cluster.wasHeardSince(time)) {
        await pause(UNHEARD_MS, undefined, { signal });
        continue;
      }
      if (!(await claim.again())) return undefined;
      since = time;
    }
    const { row: current, operation: claimed } = claim.claimed();
    const scope = this.#scopeOf(current, claimed, open, signal, claimed.claim ?? cluster.id);
    const made = await this.#report(row, graph, claimed, task, open.scrubber, scope);
    this.#reports.set(key, made);
    return made;
  }

  /**
   * The claim of a `once` activity as a lease. Its owner is in the row, and changes by a step. It is never released: the
   * operation ends with it.
   */
  #claimOf(row: WorkflowRow, operation: Operation, signal: AbortSignal) {
    const { id } = this.#port.cluster;
    let claimed = { row, operation };
    const change = async (by: string): Promise<boolean> => {
      const over = claimed.operation.claim === undefined ? {} : { over: claimed.operation.claim };
      const message = { type: 'work.claim', operation: operation.id, by, ...over } as const;
      const current = await saveStep({ send: this.#send, row }, message, storeLimit(signal));
      const now = current?.operations[operation.id];
      if (current === undefined || now?.claim !== by) return false;
      claimed = { row: current, operation: now };
      return true;
    };
    const again = () => change(`${id} ${randomUUID()}`);
    return {
      // Our own claim was saved before the store failed to respond: it is sent again, on the row as it is now.
      holder: async () => (ownerOf(operation.claim ?? '') === id ? null : (operation.claim ?? null)),
      change: () => (operation.claim === undefined ? change(id) : again()),
      again,
      claimed: () => claimed,
    };
  }

  #report(
    row: WorkflowRow,
    graph: Graph,
    operation: Operation,
    task: Task,
    scrubber: Scrubber,
    scope: ActivityScope<unknown>,
  ) {
    const logLate = ({ message, cause }: Error): void => {
      const { stack = '' } = objectIn(cause);
      const fields = {
        workflow: row.id,
        graph: graph.name,
        task: task.name,
        err: scrubber.text(`${message}\n${stack}`),
      };
      this.#port.log.error(fields, 'code of a task failed after its activity had ended');
    };
    return reportOf(scrubber, () =>
      this.#runWatched(row, graph, operation, () =>
        followStrays(task, scope.signal, logLate, (signal) =>
          runActivity(task, operation, Object.assign(scope, { signal })),
        ),
      ),
    );
  }

  /** Runs the code up to its first `await` under the watchdog; `followStrays` follows its errors. */
  #runWatched<T>(row: WorkflowRow, { hash, source }: Graph, operation: Operation, code: () => T): T {
    const provenance = provenanceOf({ hash, source });
    const running = { workflow: row.id, graph: row.graphName, cause: operation.src, ...provenance };
    return this.#port.watchdog.watch(running, code);
  }

  #scopeOf(
    row: WorkflowRow,
    operation: Operation,
    open: DecryptedOperation,
    signal: AbortSignal,
    by: string,
  ): ActivityScope<unknown> {
    const key = taskRunKey(operation.taskRun);
    const endsAt = timeoutAt(Object.values(row.timers).filter(({ actor }) => actor === key));
    const operationId = `${row.id}/${operation.id}`;
    const makeServices = () => this.#servicesOf({ row, operation, by, send: this.#send }, open.scrubber);
    let services: Services | undefined;
    const scope = {
      input: open.input,
      signal,
      operationId,
      attempt: operation.attempt,
      nodeId: row.node,
      sent: sentBy(row, operation, now()),
      timeLeftMs: endsAt === null ? null : Math.max(0, endsAt - now()),
      // Made when the activity asks for them: they are most of what a scope costs.
      get services(): Services {
        services ??= makeServices();
        return services;
      },
      // Tasks of versions that running workflows are pinned to use these names.
      workId: operationId,
      get world(): Services {
        return this.services;
      },
    };
    return scope;
  }

  #servicesOf(running: Parameters<typeof sendOnce>[2], scrubber: Scrubber): Services {
    const { driver, redfish, bmcAccount, racadm, ...services } = this.#services;
    const { note } = scrubber;
    return {
      ...services,
      ...this.#scrubbing(scrubber),
      obm: async (node, service, override) =>
        sendOnce(await driver(node, service, override, note, running.row.id), node, running),
      redfish: async (node, access) => sendRedfishOnce(await redfish(node, access, note), node ?? '', running),
      bmcAccount: (node, service) => bmcAccount(node, service, note),
      racadm: (node) => racadm(node, note),
    };
  }

  /** Wraps the services that store an activity's data or return secrets to it. */
  #scrubbing(scrubber: Scrubber): Partial<Services> {
    const services = this.#services;
    const unwrap = <T>(found: T): T => {
      const { value, secrets } = this.#port.vault.decrypt(found);
      scrubber.noteAll(secrets);
      return value;
    };
    return {
      noteError: (node, { code, message }) => services.noteError(node, { code, message: scrubber.text(message) }),
      reportHealth: (node, report) =>
        services.reportHealth(node, { ...report, message: scrubber.text(report.message) }),
      addCatalog: (node, source, data) => services.addCatalog(node, source, scrubber.redactValue(data)),
      certify: (operationId, drives) => services.certify(operationId, scrubber.redactValue(drives)),
      completeDiscovery: async (node, operationId) => unwrap(await services.completeDiscovery(node, operationId)),
      classify: async (node) => unwrap(await services.classify(node)),
    };
  }
}

const cancelled = {
  name: 'NodewrightError',
  message: 'the task run was cancelled before it began',
  code: 'TASK_CANCELLED',
};

function taskOf(graph: Graph, row: WorkflowRow, operation: Operation): Task {
  const label = row.actors[taskKey(operation.taskRun)]?.label;
  const task = label === undefined ? undefined : graph.labels.get(label)?.task;
  if (task === undefined) throw new Error(`${graph.name}: no task for ${operation.id} (${label})`);
  return task;
}

async function runActivity(task: Task, operation: Operation, scope: ActivityScope<unknown>): Promise<PlainValue> {
  // It may have been cancelled after its row was read, and an activity that ignores its signal must not start then.
  scope.signal.throwIfAborted();
  const logic = (task.machine.implementations.actors as Record<string, unknown>)[operation.src];
  return plainValue(await activityFunction(logic)(scope));
}

async function reportOf(scrubber: Scrubber, run: () => Promise<PlainValue>): Promise<ActivityReport> {
  try {
    const { value, json } = await run();
    return { type: 'work.done', output: scrubber.output(value, json) };
  } catch (error) {
    return { type: 'work.failed', error: scrubber.error(flatten(error)) };
  }
}

async function probe(task: Task, scope: ActivityScope<unknown>, scrubber: Scrubber): Promise<ActivityReport | 'runs'> {
  const interrupted = {
    name: 'NodewrightError',
    message: 'the process that ran this task died; whether it took effect is unknown, and it may not run twice',
    code: 'TASK_INTERRUPTED',
    retry: false as const,
  };
  if (task.probe === undefined) return { type: 'work.failed', error: interrupted };
  const look = task.probe;
  const found = await reportOf(scrubber, async () => plainValue(await look(scope)));
  if (found.type === 'work.failed') return found;
  const { state, output } = objectIn(found.output);
  if (state === 'never-started' || state === 'resumable') return 'runs';
  return state === 'done' ? { type: 'work.done', output: output ?? null } : { type: 'work.failed', error: interrupted };
}
