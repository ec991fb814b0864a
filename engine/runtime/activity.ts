/**
 * Runs one activity, from claim to report.
 *
 * 1. An activity that is aborting is not started.
 * 2. A `once` activity is started only by the process whose claim is in the row. An existing claim of another process
 *    means that the activity was started before; if that process is dead the task run fails as interrupted, unless the
 *    task's probe finds out more.
 * 3. An activity gets obms only through `send-once.ts`, so it cannot repeat a command within its task run.
 * 4. An activity gets its secrets decrypted. Its output, errors and stored data pass through the scrubber first.
 */

import type { Cluster } from '../cluster/cluster.ts';
import type { Override } from '../define/erasure.ts';
import { type FlatError, flatten } from '../define/errors.ts';
import type { Redfish, RedfishAccess } from '../define/obm.ts';
import { type ActivityScope, activityFunction, type Services } from '../define/operation.ts';
import { now } from '../lib/clock.ts';
import type { Graph, Task } from '../library/types.ts';
import type { NodeDriver } from '../obm/driver.ts';
import type { NoteSecret } from '../obm/note-secret.ts';
import type { Vault } from '../secrets/vault.ts';
import { taskKey, timeoutAt } from '../step/builder.ts';
import type { Operation, WorkflowRow } from '../step/row.ts';
import { sentBy } from '../step/sent.ts';
import type { Watch } from '../watchdog/watchdog.ts';
import { type DecryptedOperation, decryptOperation } from './opening.ts';
import { type Plain, plain } from './plain.ts';
import type { Scrubber } from './scrub.ts';
import { sendOnce } from './send-once.ts';
import type { Sender } from './sender.ts';

/** The services of the engine before they are bound to one activity. */
export interface SharedServices extends Omit<Services, 'obm' | 'redfish'> {
  /**
   * @param service absent: the first that the node has
   * @param note receives the secrets that the driver uses
   * @throws ObmError OBM_MISSING, OBM_INVALID
   */
  driver(node: string, service?: string, override?: Override, note?: NoteSecret): Promise<NodeDriver>;
  redfish(node: string, access?: RedfishAccess, note?: NoteSecret): Promise<Redfish>;
}

export interface ActivityPort {
  pinned(hash: string): Promise<Graph>;
  send: Sender;
  services: SharedServices;
  cluster: Pick<Cluster, 'id' | 'leases'>;
  vault: Vault;
  watch: Watch;
}

export type ActivityReport = { type: 'work.done'; output: unknown } | { type: 'work.failed'; error: FlatError };

/** @returns undefined if this process may not run the activity */
export async function perform(
  port: ActivityPort,
  row: WorkflowRow,
  operation: Operation,
  signal: AbortSignal,
): Promise<ActivityReport | undefined> {
  if (operation.aborting) return { type: 'work.failed', error: flatten(cancelled) };
  const graph = await port.pinned(row.definitionHash);
  const task = taskOf(graph, row, operation);
  const open = opened(port.vault, row, graph, task, operation);
  if ('error' in open) return { type: 'work.failed', error: open.error };
  if (task.recovery === 'once') return once(port, row, operation, task, open, signal);
  const scope = scopeOf(port, row, operation, open, signal);
  return reportOf(open.scrubber, () => watched(port, row, operation, () => runActivity(task, operation, scope)));
}

function opened(
  vault: Vault,
  row: WorkflowRow,
  graph: Graph,
  task: Task,
  operation: Operation,
): DecryptedOperation | { error: FlatError } {
  try {
    return decryptOperation(vault, row, graph, task, operation);
  } catch (error) {
    // Another attempt would fail in the same way.
    return { error: { ...flatten(error), retry: false } };
  }
}

async function once(
  port: ActivityPort,
  row: WorkflowRow,
  operation: Operation,
  task: Task,
  open: DecryptedOperation,
  signal: AbortSignal,
): Promise<ActivityReport | undefined> {
  let found: ActivityReport | 'runs' = 'runs';
  const claim = claimOf(port, row, operation);
  const lease = await port.cluster.leases.acquireOn(claim, {
    from: 'gone',
    signal,
    async recover() {
      const scope = scopeOf(port, row, operation, open, signal);
      found = await watched(port, row, operation, () => probe(task, scope, open.scrubber));
      return found === 'runs';
    },
  });
  // The owner only lost its lock and reports the end, another process was first, or the task run was cancelled.
  if (lease === undefined) return found === 'runs' ? undefined : found;
  const { row: current, operation: claimed } = claim.claimed();
  const scope = scopeOf(port, current, claimed, open, signal);
  return reportOf(open.scrubber, () => watched(port, row, operation, () => runActivity(task, claimed, scope)));
}

/**
 * The claim of a `once` activity as a lease. Its owner is in the row, and changes by a step. It is never released: the
 * operation ends with it.
 */
function claimOf({ cluster, send }: ActivityPort, row: WorkflowRow, operation: Operation) {
  let claimed = { row, operation };
  return {
    // Our own claim was saved before the store failed to respond: it is sent again, on the row as it is now.
    owner: async () => (operation.claim === cluster.id ? null : (operation.claim ?? null)),
    async change(): Promise<boolean> {
      const over = operation.claim === undefined ? {} : { over: operation.claim };
      const claim = { type: 'work.claim', operation: operation.id, by: cluster.id, ...over } as const;
      const outcome = await send.workflow(row.id, claim);
      const now = outcome?.row.operations[operation.id];
      if (outcome === undefined || now?.claim !== cluster.id) return false;
      claimed = { row: outcome.row, operation: now };
      return true;
    },
    claimed: () => claimed,
  };
}

/** Runs the code up to its first `await` under the watchdog. */
const watched = <T>(port: ActivityPort, row: WorkflowRow, operation: Operation, code: () => T): T =>
  port.watch({ workflow: row.id, graph: row.graphName, cause: operation.src }, code);

function scopeOf(
  port: ActivityPort,
  row: WorkflowRow,
  operation: Operation,
  open: DecryptedOperation,
  signal: AbortSignal,
): ActivityScope<unknown> {
  const { driver, redfish, ...services } = port.services;
  const { note } = open.scrubber;
  const running = { row, operation, by: port.cluster.id, send: port.send };
  const endsAt = timeoutAt(row, operation.taskRun);
  const scope: ActivityScope<unknown> = {
    input: open.input,
    signal,
    operationId: `${row.id}/${operation.id}`,
    attempt: operation.attempt,
    nodeId: row.node,
    sent: sentBy(row, operation, now()),
    timeLeftMs: endsAt === null ? null : Math.max(0, endsAt - now()),
    services: {
      ...services,
      ...scrubbing(port, open.scrubber),
      obm: async (node, service, override) => sendOnce(await driver(node, service, override, note), node, running),
      redfish: (node, access) => redfish(node, access, note),
    },
  };
  // Tasks of versions that running workflows are pinned to use these names.
  return Object.assign(scope, { workId: scope.operationId, world: scope.services });
}

/** Wraps the services that store an activity's data or return secrets to it. */
const scrubbing = ({ services, vault }: ActivityPort, scrubber: Scrubber): Partial<Services> => ({
  noteError: (node, { code, message }) => services.noteError(node, { code, message: scrubber.text(message) }),
  certify: (operationId, drives) => services.certify(operationId, scrubber.redacted(drives)),
  async discovered(node, operationId) {
    const { value, secrets } = vault.decrypt(await services.discovered(node, operationId));
    scrubber.noteAll(secrets);
    return value;
  },
});

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

async function runActivity(task: Task, operation: Operation, scope: ActivityScope<unknown>): Promise<Plain> {
  // It may have been cancelled after its row was read, and an activity that ignores its signal must not start then.
  scope.signal.throwIfAborted();
  const logic = (task.machine.implementations.actors as Record<string, unknown>)[operation.src];
  return plain(await activityFunction(logic)(scope));
}

async function reportOf(scrubber: Scrubber, run: () => Promise<Plain>): Promise<ActivityReport> {
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
  const found = await reportOf(scrubber, async () => plain(await look(scope)));
  if (found.type === 'work.failed') return found;
  const { state, output } = found.output as { state: string; output?: unknown };
  if (state === 'never-started' || state === 'resumable') return 'runs';
  return state === 'done' ? { type: 'work.done', output: output ?? null } : { type: 'work.failed', error: interrupted };
}
