/**
 * Requests about workflows: launch, read, cancel and delete.
 *
 * 1. A launch is rejected before anything is changed: an unknown graph, invalid options, a failed `checkLaunch` of a
 *    task, a missing obm, a busy node.
 * 2. A node is claimed by a step of its actor, and that step asks for the workflow: of concurrent launches one wins,
 *    and its workflow is created even if the process dies in between.
 */
import { randomUUID } from 'node:crypto';
import type { LaunchRequest, Page, Paged, RetryRequest, Workflows } from '../../api-port/index.ts';
import type { ChildGraphInput } from '../../define/operation.ts';
import type { StartCommand } from '../../durable/actors/messages.ts';
import { activeOn, templateVariables } from '../../durable/runtime/on-node.ts';
import { schemasOf } from '../../durable/runtime/opening.ts';
import type { Runtime } from '../../durable/runtime/runtime.ts';
import { type Callbacks, callbackOf, callbacksOf } from '../../durable/step/callbacks.ts';
import type { HistoryEntry, TaskEntry, WorkflowRow } from '../../durable/step/row.ts';
import { earliestDue, leadingWait, waitsOf } from '../../durable/step/waits.ts';
import type { TracedLaunch } from '../../durable/telemetry/spans.ts';
import type { Tracing } from '../../durable/telemetry/tracing.ts';
import { templateContext } from '../../library/forms/list-of-tasks.ts';
import type { Graph } from '../../library/types.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import { isoOf } from '../../platform/lib/clock.ts';
import { paced } from '../../platform/lib/pause.ts';
import { withoutNonces } from '../../vocabulary/callback.ts';
import { launchedBy } from '../../vocabulary/cause.ts';
import { redact, redactText } from '../../vocabulary/conceal.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isActive, isTaskRunEnd } from '../../vocabulary/states.ts';
import { mapTextsAndKeys } from '../../vocabulary/texts.ts';
import type { CertificateRequests } from './certificates.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import { historyPage } from './history.ts';
import type { InventoryPort } from './inventory-port.ts';
import type { LaunchPreparation } from './launch-preparation.ts';
import type { Retries } from './retry-requests.ts';
import { type ChildLimits, checkTree, ending, isGoingOn, placeUnder } from './trees.ts';
import type { StepCommand, WorkflowCommands } from './workflow-commands.ts';

const BUSY = 'Unable to run multiple task graphs against a single target.';

export const nodeBusy = (holder: string) =>
  new NodewrightError('NODE_BUSY', BUSY, {
    violations: [{ path: 'node', message: `the workflow ${holder} is active on it` }],
  });

export class WorkflowRequests implements Workflows {
  readonly #runtime: Runtime;
  readonly #library: Pick<DefinitionLibrary, 'pinned'>;
  readonly #preparation: LaunchPreparation;
  readonly #inventory: Pick<InventoryPort, 'nodes'>;
  readonly #certificates: CertificateRequests;
  readonly #children: ChildLimits;
  readonly #retries: Retries;
  readonly #commands: WorkflowCommands;
  readonly #tracing: Tracing;

  constructor(
    runtime: Runtime,
    library: Pick<DefinitionLibrary, 'pinned'>,
    preparation: LaunchPreparation,
    inventory: Pick<InventoryPort, 'nodes'>,
    certificates: CertificateRequests,
    children: ChildLimits,
    retries: Retries,
    commands: WorkflowCommands,
    tracing: Tracing,
  ) {
    this.#runtime = runtime;
    this.#library = library;
    this.#preparation = preparation;
    this.#inventory = inventory;
    this.#certificates = certificates;
    this.#children = children;
    this.#retries = retries;
    this.#commands = commands;
    this.#tracing = tracing;
  }

  async launch(request: LaunchRequest): Promise<WorkflowRow> {
    return this.#launch(randomUUID(), request, request);
  }

  /** Launches a workflow at most once under this id, however often and by however many processes it is called. */
  async launchOnce(id: string, request: Launching & { nodeId: string }): Promise<void> {
    if ((await this.#runtime.records.workflows.load(id)) !== undefined) return;
    const { status } = await this.#launch(id, request);
    // The workflow may have run and ended since the check: an ended workflow must not hold the node.
    if (!isActive(status)) await this.#runtime.send.node(request.nodeId, { type: 'ended', workflow: id });
  }

  /** @param request of a launch by a request; absent: the workflow has a trace of its own */
  #launch(id: string, launching: Launching, request?: TracedLaunch['request']): Promise<WorkflowRow> {
    const { name, nodeId: node, operator = null, discovery, repeats } = launching;
    const by = launchedBy({ parent: null, operator, ...(discovery && { discovery }) });
    const launch = { id, name, node, launchedBy: by, request, repeats };
    return this.#tracing.launch(launch, (traceparent) => this.#launchIn(traceparent, id, launching));
  }

  async #launchIn(traceparent: string, id: string, launching: Launching): Promise<WorkflowRow> {
    const { name, options, nodeId, domain, operator = null, discovery, retry, isEncrypted } = launching;
    const place = { node: nodeId, mailboxId: nodeId ?? id, domain };
    const start = await this.#preparation.prepare({
      id,
      name,
      options,
      ...place,
      operator,
      parent: null,
      ...(discovery && { discovery }),
      ...(retry && { retry }),
      ...(isEncrypted && { isEncrypted }),
      traceparent,
    });
    const isCreated = await this.#begin(start);
    const row = await this.#runtime.records.workflows.seen(id);
    // It may be there although the store has not confirmed it.
    if (row === undefined || !isCreated)
      throw new NodewrightError('UNAVAILABLE', 'the store is unavailable; the workflow starts when it is back');
    return this.#shown(row);
  }

  /** Launches a child of a workflow; repeating the same effect changes nothing. */
  async launchChild(parent: WorkflowRow, { operation, child, input }: ChildLaunch): Promise<void> {
    const { workflows: rows, storedWorkflows } = this.#runtime.records;
    // A child whose task run has ended may be deleted already; it must not run again.
    const waits = (await rows.load(parent.id))?.operations[operation];
    if (waits === undefined || (await rows.load(child)) !== undefined) return;
    const tree = placeUnder(parent);
    if (waits.aborting || !isGoingOn(await rows.load(tree.root))) {
      return void (await this.#runtime.send.workflow(parent.id, {
        type: 'work.failed',
        operation,
        error: ending(tree.root),
      }));
    }
    await checkTree(tree, storedWorkflows, this.#children);
    const node = input.nodeId === undefined ? parent.node : await this.#node(input.nodeId);
    const shares = node === parent.node;
    const traced = { row: parent, operation: waits };
    const launch = { id: child, name: input.name, node, launchedBy: 'parent', parent: traced };
    await this.#tracing.launch(launch, async (traceparent) => {
      const start = await this.#preparation.prepare({
        id: child,
        name: input.name,
        options: input.options,
        node,
        mailboxId: shares ? parent.mailboxId : (node ?? child),
        domain: parent.domain,
        operator: parent.operator ?? null,
        parent: { workflow: parent.id, operation },
        traceparent,
        ...tree,
      });
      await (shares ? this.#runtime.send.create(start) : this.#begin(start));
    });
  }

  async #node(identifier: string): Promise<string> {
    const id = await this.#inventory.nodes.idOf(identifier);
    if (id === undefined) throw noNode(identifier);
    return id;
  }

  /** @returns false: it is created later, because the store is unavailable. @throws NodewrightError NODE_BUSY */
  async #begin(start: StartCommand): Promise<boolean> {
    let taken = await this.#take(start);
    const { holder } = taken;
    if (holder === start.id) return taken.isSettled;
    const ended = await this.#runtime.send.syncEnded(start.mailboxId, holder);
    if (ended) taken = await this.#take(start);
    if (taken.holder === start.id) return taken.isSettled;
    throw nodeBusy(holder);
  }

  /** @returns the workflow that now holds the node, and whether it was created if it is this one */
  async #take(start: StartCommand): Promise<{ holder: string; isSettled: boolean }> {
    const outcome = await this.#runtime.send.node(start.mailboxId, { type: 'launch', start });
    // The node was deleted after it was found.
    if (outcome.row.retired) throw noNode(start.mailboxId);
    const isSettled = await outcome.settled;
    return { holder: outcome.row.workflow ?? '', isSettled };
  }

  async get(id: string): Promise<WorkflowRow | undefined> {
    const row = await this.#runtime.records.workflows.load(id);
    return row === undefined ? undefined : this.#shown(row);
  }

  async list({ filter, ...page }: Page): Promise<Paged<WorkflowRow>> {
    const sort = page.sort ?? { createdAt: 1 };
    const rows = await this.#runtime.records.storedWorkflows.find(filter, { ...page, sort });
    const items = await Promise.all(await paced(rows, (row) => this.#shown(row)));
    return { items, total: await this.#runtime.records.storedWorkflows.count(filter) };
  }

  async activeOn(nodeId: string): Promise<WorkflowRow | undefined> {
    const row = await this.#holder(nodeId);
    return row === undefined ? undefined : this.#shown(row);
  }

  /** Returns the values of `{{ context.x }}` of the workflow on the node; undefined when there is none. */
  async templateContext(node: string): Promise<unknown> {
    const row = await this.activeOn(node);
    if (row === undefined) return undefined;
    return templateContext(await this.#library.pinned(row.definitionHash), row.actors.graph?.snapshot.context);
  }

  /** Returns the options of the tasks that wait for the node, encrypted where they are. */
  async templateVariables(node: string): Promise<Record<string, unknown>> {
    return templateVariables(await activeOn(this.#runtime.records.storedWorkflows, node));
  }

  /** Returns the callbacks of the workflows on the node. */
  async callbacks(node: string): Promise<Callbacks> {
    return callbacksOf(await activeOn(this.#runtime.records.storedWorkflows, node));
  }

  /** Returns the workflow that holds the node, not one of its children, which share the node. */
  async #holder(nodeId: string): Promise<WorkflowRow | undefined> {
    const [holder] = await activeOn(this.#runtime.records.storedWorkflows, nodeId, 1);
    return holder;
  }

  async cancel(id: string, by?: string): Promise<WorkflowRow | undefined> {
    const row = await this.#runtime.records.workflows.load(id);
    if (row === undefined) return undefined;
    if (!isActive(row.status)) return this.#ended(row);
    return this.#cancelled(row, by);
  }

  async #ended(row: WorkflowRow): Promise<WorkflowRow> {
    if (row.status === 'cancelled') return this.#shown(row);
    throw new NodewrightError(
      'WORKFLOW_ENDED',
      `the workflow ${row.id} has ended ${row.status}; it cannot be cancelled`,
    );
  }

  async release(id: string, by?: string): Promise<WorkflowRow | undefined> {
    return (await this.#runtime.quarantine.release(id, by)) ? this.get(id) : undefined;
  }

  pause = (id: string, by?: string) => this.#command(id, 'pause', by);
  resume = (id: string, by?: string) => this.#command(id, 'resume', by);
  retryNow = (id: string, by?: string) => this.#command(id, 'retry-now', by);

  async #command(id: string, command: StepCommand, by: string | undefined): Promise<WorkflowRow | undefined> {
    return (await this.#commands.run(id, command, by)) ? this.get(id) : undefined;
  }

  async retry(id: string, request: RetryRequest): Promise<WorkflowRow | undefined> {
    const row = await this.#runtime.records.workflows.load(id);
    if (row === undefined) return undefined;
    const { graphName: name, node, domain } = row;
    const launch = await this.#retries.launchOf(row, request);
    const launching = { name, nodeId: node, domain, ...launch, operator: request.operator, repeats: row.traceparent };
    return this.#launch(randomUUID(), launching, request);
  }

  async cancelOn(nodeId: string, by?: string): Promise<WorkflowRow | undefined> {
    const row = await this.#holder(nodeId);
    return row === undefined ? undefined : this.#cancelled(row, by);
  }

  /** Cancels through the node's actor, which owns the cancellation of the workflow that holds the node. */
  async #cancelled(row: WorkflowRow, by: string | undefined): Promise<WorkflowRow> {
    const asked = by === undefined ? {} : { by };
    await (await this.#runtime.send.node(row.mailboxId, { type: 'cancel', workflow: row.id, ...asked })).settled;
    // Also directly, for children and workflows without a node; repeating it is harmless.
    await (await this.#runtime.send.workflow(row.id, { type: 'cancel', ...asked }))?.settled;
    return this.#shown((await this.#runtime.records.workflows.load(row.id)) ?? row);
  }

  async remove(id: string): Promise<boolean> {
    const row = await this.#runtime.records.workflows.load(id);
    if (row === undefined) return false;
    if (isActive(row.status)) {
      throw new NodewrightError(
        'WORKFLOW_ACTIVE',
        `the workflow ${id} is ${row.status}; cancel it before you delete it`,
      );
    }
    // If the process that ended it died, its node would otherwise stay busy and its end unpublished.
    if (!(await this.#runtime.workflowEffects.settle(row))) {
      throw new NodewrightError('UNAVAILABLE', `the pending effects of the workflow ${id} cannot run yet; try again`);
    }
    await this.#certificates.forget(id);
    await this.#runtime.records.workflows.remove(id);
    await this.#runtime.records.history.remove(id);
    return true;
  }

  async history(id: string, page: Page): Promise<Paged<HistoryEntry>> {
    const row = await this.#runtime.records.workflows.load(id);
    return row === undefined ? { items: [], total: 0 } : historyPage(this.#runtime.records.history, row, page);
  }

  /** Returns a copy without secrets: options are redacted by their schemas, the graph's context by field names. */
  async #shown(row: WorkflowRow): Promise<WorkflowRow> {
    const graph = await this.#library.pinned(row.definitionHash).catch(() => undefined);
    const options = Object.fromEntries(
      Object.entries(row.options).map(([label, options]) => [label, redact(schemasOf(graph, label), options)]),
    );
    const waits = waitsOf(row);
    const due = new Map(waits.map(({ label, dueAt }) => [label, dueAt]));
    const tasks = row.tasks.map((entry) => ({
      ...shownEntry(row, graph, entry),
      dueAt: isoOf(due.get(entry.label) ?? null),
    }));
    const dueAt = isoOf(earliestDue([...due.values()]));
    const waiting = leadingWait(row, waits);
    const shown = { ...row, options, tasks, actors: withoutSecrets(row.actors), dueAt, waiting };
    return row.encrypted === undefined ? ofOlder(shown) : shown;
  }
}

/** Redacts the outputs and errors of rows from earlier versions, which stored them unredacted. */
function ofOlder(row: WorkflowRow): WorkflowRow {
  const errorOf = <E extends { message: string }>(error: E): E => ({ ...error, message: redactText(error.message) });
  const tasks = row.tasks.map((entry) => ({
    ...entry,
    output: redact([], entry.output),
    error: entry.error && errorOf(entry.error),
    ...(entry.attemptErrors && { attemptErrors: entry.attemptErrors.map(errorOf) }),
  }));
  return { ...row, tasks, output: redact([], row.output), error: row.error && errorOf(row.error) };
}

/** Adds the callback of an entry that has not ended, if its task accepts notifications. */
function shownEntry(row: WorkflowRow, graph: Graph | undefined, entry: TaskEntry): TaskEntry {
  const { label, state } = entry;
  const output = mapTextsAndKeys(entry.output, withoutNonces);
  const isOpen = isActive(row.status) && !isTaskRunEnd(state) && state !== 'skipped';
  const takes = isOpen && graph?.labels.get(label)?.task.takesNotifications === true;
  const callback = takes ? callbackOf(row, label) : undefined;
  return { ...entry, output, ...(callback !== undefined && { callback }) };
}

function withoutSecrets(actors: WorkflowRow['actors']): WorkflowRow['actors'] {
  if (actors.graph === undefined) return actors;
  const { snapshot } = actors.graph;
  const context = redact([], snapshot.context) as typeof snapshot.context;
  return { ...actors, graph: { ...actors.graph, snapshot: { ...snapshot, context } } };
}

const noNode = (identifier: string) =>
  new NodewrightError('NOT_FOUND', `Could not find node with identifier ${identifier}`);

interface Launching
  extends Omit<LaunchRequest, 'operator' | 'traceparent'>,
    Pick<CheckedLaunch, 'retry' | 'isEncrypted'> {
  operator?: string | undefined;
  /** Of a retry: the `traceparent` of the original. */
  repeats?: string | undefined;
}

interface ChildLaunch {
  operation: string;
  child: string;
  input: ChildGraphInput;
}
