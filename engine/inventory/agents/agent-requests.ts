/**
 * Requests of agents on nodes: fetch the next command, and report its result. Commands are stored in the rows of the
 * workflows on the node, so that any daemon can answer.
 *
 * 1. A command is given out by a step that records the agent. A command of a `once` task is given out once, even if the
 *    answer is lost; a command of an `idempotent` task is given to every agent that asks.
 * 2. An agent runs one command at a time. An agent that asks under a different name than the owner of a command is
 *    therefore its successor, and a `once` command of the dead owner ends as interrupted.
 * 3. A result is accepted once. Its catalog is stored before the step that says so: a report repeated after a crash
 *    creates a second catalog, but none is lost.
 * 4. A cancelled command ends by a report that its work has ended, or that it continues. One whose time was over
 *    before its agent saw the cancel is given out again, as cancelled; its interlock stays.
 * 5. A command is given out with its secrets decrypted. Its output is scrubbed before it is stored.
 */

import type { AgentReport, Agents, AgentTask, Asking, Boot } from '../../api-port/agents.ts';
import type { Command, CommandResult } from '../../define/command.ts';
import { activeReader } from '../../durable/runtime/on-node.ts';
import { type DecryptedOperation, decryptOperation } from '../../durable/runtime/opening.ts';
import type { Runtime } from '../../durable/runtime/runtime.ts';
import { taskKey, taskRunKey } from '../../durable/step/builder.ts';
import { openCallback } from '../../durable/step/callbacks.ts';
import { isCancellable } from '../../durable/step/operations.ts';
import { isQuarantined } from '../../durable/step/quarantined.ts';
import type { CommandOperation, Operation, WorkflowRow } from '../../durable/step/row.ts';
import type { Graph, Task } from '../../library/types.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { permitsFiles } from '../../vocabulary/env-limits.ts';
import {
  type ErrorCode,
  type FlatError,
  flatten,
  isRejection,
  NodewrightError,
  PermanentError,
} from '../../vocabulary/errors.ts';
import type { KnownBy } from '../../vocabulary/known-by.ts';
import { isActive } from '../../vocabulary/states.ts';
import { MIB } from '../../vocabulary/units.ts';
import { saidRunning } from '../../vocabulary/until-0.2.ts';
import { Boots } from './boots.ts';
import { LongPolls } from './long-polls.ts';
import { type CatalogJson, catalogOf } from './output-formats.ts';
import { cutText } from './untrusted-texts.ts';

/** The effects of a command outside of its workflow. The modules of nodes implement them together. */
export interface AgentsPort {
  catalogs: { add(node: string, source: string, data: CatalogJson, knownBy: KnownBy): Promise<{ id: string }> };
  interlocks: { release(id: string): Promise<void> };
  /** An agent of the node was heard. */
  seen(node: string, address: string): void;
}

/** Characters of a command's output that its workflow's row keeps. */
const STDOUT = 16_384;
const STDERR = 4_096;
/** Characters of a cancelled command's last message. */
const LAST_WORDS = 2_048;
/** Maximum bytes of output for a catalog; the largest in the field are 2 MiB. */
const CATALOG = 4 * MIB;

export class AgentRequests implements Agents {
  readonly #runtime: Runtime;
  readonly #library: Pick<DefinitionLibrary, 'pinnedGraph'>;
  readonly #vault: Vault;
  readonly #port: AgentsPort;
  readonly #boots: Boots;
  /** The active workflows of a node. */
  readonly #activeOn: (node: string) => Promise<WorkflowRow[]>;
  readonly #longPolls = new LongPolls();
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(runtime: Runtime, library: Pick<DefinitionLibrary, 'pinnedGraph'>, vault: Vault, port: AgentsPort) {
    this.#runtime = runtime;
    this.#library = library;
    this.#vault = vault;
    this.#port = port;
    this.#boots = new Boots(library, runtime.send);
    this.#activeOn = activeReader(runtime.records.storedWorkflows);
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#runtime.agentCommands.subscribe((node) => this.#longPolls.notify(node));
  }

  /** Ends all waits. */
  async close(): Promise<void> {
    this.#longPolls.close();
    await this.#unsubscribe?.();
  }

  async next(node: string, asking: Asking): Promise<AgentTask | undefined> {
    const { agent, waitMs, waits, signal, knownBy = 'nothing', address } = asking;
    if (address !== undefined) this.#port.seen(node, address);
    const until = performance.now() + waitMs;
    const longPoll = this.#longPolls.of(node);
    try {
      let rows = await this.#activeOn(node);
      if (await this.#boots.endAtRequest(rows)) rows = await this.#activeOn(node);
      for (;;) {
        // A command that may run once would be lost with the answer.
        if (signal.aborted) return undefined;
        const task = await this.#take(rows, `agent ${agent}`, knownBy);
        if (task !== undefined) return task;
        const waitsMs = until - performance.now();
        const pauseMs = shortestPauseMs(rows);
        const pause = pauseMs < waitsMs ? setTimeout(() => this.#longPolls.notify(node), pauseMs) : undefined;
        waits?.();
        const isNotified = await longPoll.notified(waitsMs, signal);
        clearTimeout(pause);
        if (!isNotified) return undefined;
        rows = await this.#activeOn(node);
      }
    } finally {
      longPoll.close();
    }
  }

  async #take(rows: readonly WorkflowRow[], agent: string, knownBy: KnownBy): Promise<AgentTask | undefined> {
    for (const row of rows) {
      if (isQuarantined(row)) continue;
      for (const operation of Object.values(row.operations)) {
        if (operation.kind !== 'command' || pauseMsOf(operation) > 0) continue;
        // Read before the claim: a `once` command that is claimed, but not given out, would be lost.
        const task = await this.#taskOf(row, operation);
        if (!(await this.#claim(row, operation, task, agent, knownBy))) continue;
        const open = await this.#decryptCommands(row, operation, task);
        if (open === undefined) continue;
        return { ...taskOf(row, { ...operation, input: open.input }), callback: openCallback(rows) };
      }
    }
    return undefined;
  }

  async #taskOf(row: WorkflowRow, operation: CommandOperation): Promise<Task> {
    return taskIn(await this.#library.pinnedGraph(row.definitionHash), row, operation);
  }

  /** @returns undefined when its secrets cannot be decrypted; the command then fails */
  async #decryptCommands(
    row: WorkflowRow,
    operation: CommandOperation,
    task: Task,
  ): Promise<DecryptedOperation<CommandOperation> | undefined> {
    try {
      return decryptOperation(this.#vault, row, task, operation);
    } catch (error) {
      if (!isHopeless(error)) throw error;
      const failed = {
        type: 'work.failed',
        operation: operation.id,
        error: { ...flatten(error), retry: false },
      } as const;
      await this.#runtime.send.workflow(row.id, failed);
      return undefined;
    }
  }

  /** @returns whether the agent gets the command */
  async #claim(
    row: WorkflowRow,
    operation: CommandOperation,
    { recovery }: Task,
    agent: string,
    knownBy: KnownBy,
  ): Promise<boolean> {
    const { claim, aborting, input } = operation;
    // A cancelled command is still given out if the agent is to be notified of the cancellation.
    const wanted = !aborting || isCancellable(operation);
    const mayRepeat = wanted && (claim === undefined || input.repeatable === true || recovery === 'idempotent');
    if (claim === agent) return mayRepeat;
    if (!mayRepeat) return this.#interrupt(row, operation);
    const over = claim === undefined ? {} : { over: claim };
    const message = { type: 'work.claim', operation: operation.id, by: agent, knownBy, ...over } as const;
    const outcome = await this.#runtime.send.workflow(row.id, message);
    return outcome?.changed === true;
  }

  /** Fails the command of an agent that is gone. */
  async #interrupt({ id }: WorkflowRow, { id: operation, aborting }: CommandOperation): Promise<false> {
    await this.#runtime.send.workflow(id, {
      type: 'work.failed',
      operation,
      error: aborting ? cancelled : interrupted,
    });
    return false;
  }

  async isWanted(node: string, task: string): Promise<boolean> {
    const [id = '', name = ''] = task.split('.');
    const row = await this.#runtime.records.workflows.load(id);
    if (row?.node !== node || !isActive(row.status)) return false;
    // A command that has ended already is not cancelled: an agent still running a copy need not undo anything.
    return !row.operations[name]?.aborting;
  }

  async markDelivered(node: string, cmd: string): Promise<string | undefined> {
    for (const row of await this.#activeOn(node)) {
      for (const operation of Object.values(row.operations)) {
        if (operation.kind !== 'command' || operation.claim === undefined) continue;
        const open = await this.#decryptCommands(row, operation, await this.#taskOf(row, operation));
        if (open?.input.command === cmd) return `${row.id}.${operation.id}`;
      }
    }
    return undefined;
  }

  async report(node: string, reports: readonly AgentReport[], knownBy: KnownBy = 'nothing'): Promise<boolean[]> {
    const outcomes: boolean[] = [];
    // Sequentially: each report is a step, mostly of the same row.
    for (const report of reports) outcomes.push(await this.#one(node, report, knownBy));
    return outcomes;
  }

  async #one(node: string, report: AgentReport, knownBy: KnownBy): Promise<boolean> {
    const [id = '', name = ''] = report.id.split('.');
    const row = await this.#runtime.records.workflows.load(id);
    if (row?.node !== node) return false;
    const operation = row.operations[name];
    // Only a command that was given out can have ended.
    if (operation?.kind !== 'command' || operation.claim === undefined) return false;
    if (operation.aborting && isRunning(operation.input, report)) return true;
    const { interlock } = operation.input;
    if (operation.aborting && interlock !== undefined && report.exitCode === 0)
      await this.#port.interlocks.release(interlock);
    const open = await this.#decryptCommands(row, operation, await this.#taskOf(row, operation));
    if (open === undefined) return false;
    const end = operation.aborting
      ? { error: open.scrubber.error(cancelledWith(operation, report)) }
      : await this.#endOf(node, open, report, knownBy);
    const message =
      'error' in end
        ? ({ type: 'work.failed', operation: name, error: end.error, knownBy } as const)
        : ({ type: 'work.done', operation: name, output: end.output, knownBy } as const);
    return (await this.#runtime.send.workflow(id, message))?.changed === true;
  }

  async #endOf(
    node: string,
    { input, scrubber }: DecryptedOperation<CommandOperation>,
    { exitCode, stdout, stderr, stdoutBytes }: AgentReport,
    knownBy: KnownBy,
  ): Promise<{ output: CommandResult } | { error: FlatError }> {
    const { catalog, acceptedResponseCodes = [0] } = input;
    // Scrubbed before it is cut: half a secret would not be recognized.
    const printed = catalog === undefined ? scrubber.output({ stdout, stderr }) : { stdout: '', stderr };
    const said = {
      exitCode,
      stdout: cutText(printed.stdout, STDOUT, stdoutBytes),
      stderr: cutText(printed.stderr, STDERR),
    };
    if (!acceptedResponseCodes.includes(exitCode)) {
      const expected = acceptedResponseCodes.join(' or ');
      const last = scrubber.text(stderr).slice(-500);
      return failure('COMMAND_FAILED', `the command ended with ${exitCode}, expected ${expected}: ${last}`);
    }
    if (catalog === undefined) return { output: said };
    try {
      const whole = Buffer.byteLength(stdout);
      if (Math.max(whole, stdoutBytes ?? 0) > CATALOG) throw tooLong(stdoutBytes ?? whole);
      const data = scrubber.redactValue(catalogOf(catalog.format, stdout));
      const { id } = await this.#port.catalogs.add(node, catalog.source, data, knownBy);
      return { output: { ...said, stderr: cutText(scrubber.output(stderr), STDERR), stdout: '', catalog: id } };
    } catch (error) {
      if (!isRejection(error)) throw error;
      return failure('CATALOG_REJECTED', scrubber.text(`${catalog.source}: ${error.message}`));
    }
  }

  async boot(node: string): Promise<Boot | null | undefined> {
    const rows = await this.#activeOn(node);
    const image = await this.#boots.imageOf(rows);
    return image ? this.#vault.decrypt(image, permitsFiles).value : rows.length === 0 ? undefined : null;
  }
}

/** A cancel ends the pause of a command. */
const pauseMsOf = ({ aborting, pausedUntil = 0 }: CommandOperation): number =>
  aborting ? 0 : Math.max(0, pausedUntil - Date.now());

/** Infinite if no command is paused. */
function shortestPauseMs(rows: readonly WorkflowRow[]): number {
  const commands = rows.flatMap(({ operations }) => Object.values(operations)).filter(isCommand);
  return Math.min(...commands.map(pauseMsOf).filter((ms) => ms > 0));
}

const isCommand = (operation: Operation): operation is CommandOperation => operation.kind === 'command';

/** Whether every further attempt would fail in the same way. */
const isHopeless = (error: unknown): boolean =>
  error instanceof PermanentError || (error instanceof NodewrightError && error.code === 'SECRET_UNREADABLE');

function taskIn(graph: Graph, row: WorkflowRow, { taskRun }: Pick<Operation, 'taskRun'>): Task {
  // Not the task's machine, which a cancellation stops while its command may still run.
  const label = row.actors[taskRunKey(taskRun)]?.label ?? '';
  const task = graph.labels.get(label)?.task;
  if (task === undefined) throw new Error(`${graph.name}: no task for a command (${label})`);
  return task;
}

/** Whether the command's own time was over before what it watches. */
function isRunning({ repeatable, cancellable, runningCode }: Command, { exitCode, stdout }: AgentReport): boolean {
  if (repeatable !== true || cancellable !== true) return false;
  return runningCode === undefined ? exitCode === 0 && saidRunning(stdout) : exitCode === runningCode;
}

/** Returns the error of a cancelled command; a cancellable one may describe the state that it left. */
function cancelledWith(operation: CommandOperation, { stdout, exitCode }: AgentReport): FlatError {
  if (!isCancellable(operation)) return cancelled;
  const said = stdout.trim();
  if (said !== '') return { ...cancelled, message: cutText(said, LAST_WORDS) };
  if (exitCode === 0) return cancelled;
  return { ...cancelled, message: `its command ended with ${exitCode}; whether its work has stopped is unknown` };
}

function taskOf(row: WorkflowRow, { id, taskRun, input, aborting }: CommandOperation): Omit<AgentTask, 'callback'> {
  const label = row.actors[taskKey(taskRun)]?.label;
  const { command, downloadUrl, catalog, timeoutSec, cancellable } = input;
  const taskId = row.tasks.find((entry) => entry.label === label)?.instanceId ?? '';
  const limit = catalog === undefined ? STDOUT : CATALOG;
  const listens = cancellable === true;
  const task = {
    id: `${row.id}.${id}`,
    taskId,
    cmd: command,
    ...(downloadUrl && { downloadUrl }),
    timeout: timeoutSec,
    limit,
    listens,
    cancelled: aborting === true,
  };
  return catalog === undefined ? task : { ...task, catalog };
}

const failure = (code: ErrorCode, message: string) => ({
  error: flatten({ name: 'NodewrightError', message, code, retry: false }),
});

const { error: cancelled } = failure('TASK_CANCELLED', 'the task run was cancelled');
const { error: interrupted } = failure(
  'TASK_INTERRUPTED',
  'the agent that had this command died; whether it took effect is unknown, and it may not run twice',
);

const tooLong = (bytes: number) =>
  new NodewrightError('INVALID', `found ${bytes} bytes of output, expected at most ${CATALOG}`);
