/**
 * Requests about workflows: launch, read, cancel and delete.
 *
 * 1. A launch is rejected before anything is changed: an unknown graph, invalid options, a failed `checkLaunch` of a
 *    task, a missing obm, a busy node.
 * 2. A node is claimed by a step of its actor, and that step asks for the workflow: of concurrent launches one wins,
 *    and its workflow is created even if the process dies in between.
 */
import { randomUUID } from 'node:crypto';
import type { StartCommand } from '../actors/messages.ts';
import type { LaunchRequest, Page, Paged, Workflows } from '../api-port/index.ts';
import { callbackUrl, withoutNonces } from '../define/callback.ts';
import { redact, redactText } from '../define/conceal.ts';
import { NodewrightError } from '../define/errors.ts';
import type { ChildGraphInput } from '../define/operation.ts';
import { isActive, isTaskRunEnd } from '../define/states.ts';
import { mapTextsAndKeys } from '../define/texts.ts';
import { now } from '../lib/clock.ts';
import { checkRequest } from '../library/options.ts';
import type { Graph } from '../library/types.ts';
import { schemasOf } from '../runtime/opening.ts';
import type { Rows } from '../runtime/rows.ts';
import type { Sender } from '../runtime/sender.ts';
import type { Vault } from '../secrets/vault.ts';
import { callbackLabel, callbackOf } from '../step/callbacks.ts';
import type { HistoryEntry, HistoryStep, TaskEntry, WorkflowRow } from '../step/row.ts';
import type { Collection } from '../store/port.ts';
import type { Watch } from '../watchdog/watchdog.ts';
import { historyPage } from './history.ts';
import { checkLaunch } from './launch-checks.ts';
import { checkNeeds } from './launch-needs.ts';
import { encryptOptions, openLaunch } from './launch-secrets.ts';
import { activeOn } from './on-node.ts';
import { type ChildLimits, checkTree, ending, isGoingOn, placeUnder } from './trees.ts';

export interface WorkflowsPort {
  rows: Rows<WorkflowRow>;
  stored: Collection<WorkflowRow>;
  history: Collection<HistoryStep>;
  send: Sender;
  /** @returns whether all pending effects of the row ran */
  settle(row: WorkflowRow): Promise<boolean>;
  /** Returns the graph that the name means on that node; its SKU may have a graph of its own. */
  graph(name: string, node: string | null): Promise<Graph | undefined>;
  pinned(hash: string): Promise<Graph>;
  /** Returns the id of the node that an identifier means. */
  nodeId(identifier: string): Promise<string | undefined>;
  /** Returns the data of the node's latest catalog of a source. */
  catalog(node: string, source: string): Promise<unknown>;
  children: ChildLimits;
  /** Returns the services of the node's obms. */
  obms(node: string): Promise<string[]>;
  /** Called when a workflow's record is removed. */
  removed(id: string): Promise<void>;
  /** @throws NodewrightError QUARANTINED when an earlier launch under this id killed the daemon */
  rejectBarred(id: string): void;
  watch: Watch;
  /** @throws NodewrightError CONFLICT, WORKFLOW_ENDED @returns whether there is such a workflow */
  release(id: string): Promise<boolean>;
  /** Returns the values for `{{ }}` that are fixed at the start. */
  bindings(node: string | null): Promise<Record<string, unknown>>;
  vault: Vault;
}

/**
 * A node's record names at most this many workflows, and a list of nodes this many in total; /workflows has the rest.
 */
const IDS_OF_NODE = 100;
const IDS_OF_ALL = 5_000;
const PAGE = 1_000;

const BUSY = 'Unable to run multiple task graphs against a single target.';

export class WorkflowRequests implements Workflows {
  readonly #port: WorkflowsPort;

  constructor(port: WorkflowsPort) {
    this.#port = port;
  }

  async launch(request: LaunchRequest): Promise<WorkflowRow> {
    return this.#launch(randomUUID(), request);
  }

  /** Launches a workflow at most once under this id, however often and by however many processes it is called. */
  async launchOnce(id: string, request: LaunchRequest & { nodeId: string }): Promise<void> {
    if ((await this.#port.rows.load(id)) !== undefined) return;
    const { status } = await this.#launch(id, request);
    // The workflow may have run and ended since the check: an ended workflow must not hold the node.
    if (!isActive(status)) await this.#port.send.node(request.nodeId, { type: 'ended', workflow: id });
  }

  async #launch(id: string, request: LaunchRequest): Promise<WorkflowRow> {
    const { name, options, nodeId, domain, operator = null } = request;
    const place = { node: nodeId, mailboxId: nodeId ?? id, domain };
    const start = await this.#start({ id, name, options, ...place, operator, parent: null });
    await this.#begin(start);
    const row = await this.#port.rows.seen(id);
    if (row === undefined)
      throw new NodewrightError('UNAVAILABLE', 'the store is unavailable; the workflow starts when it is back');
    return this.#shown(row);
  }

  /** Launches a child of a workflow; repeating the same effect changes nothing. */
  async launchChild(parent: WorkflowRow, { operation, child, input }: ChildLaunch): Promise<void> {
    const { rows } = this.#port;
    // A child whose task run has ended may be deleted already; it must not run again.
    const waits = (await rows.load(parent.id))?.operations[operation];
    if (waits === undefined || (await rows.load(child)) !== undefined) return;
    const tree = placeUnder(parent);
    if (waits.aborting || !isGoingOn(await rows.load(tree.root))) {
      return void (await this.#port.send.workflow(parent.id, {
        type: 'work.failed',
        operation,
        error: ending(tree.root),
      }));
    }
    await checkTree(tree, this.#port.stored, this.#port.children);
    const node = input.nodeId === undefined ? parent.node : await this.#node(input.nodeId);
    const shares = node === parent.node;
    const start = await this.#start({
      id: child,
      name: input.name,
      options: input.options,
      node,
      mailboxId: shares ? parent.mailboxId : (node ?? child),
      domain: parent.domain,
      operator: parent.operator ?? null,
      parent: { workflow: parent.id, operation },
      ...tree,
    });
    await (shares ? this.#port.send.create(start) : this.#begin(start));
  }

  async #node(identifier: string): Promise<string> {
    const id = await this.#port.nodeId(identifier);
    if (id === undefined) throw noNode(identifier);
    return id;
  }

  async #start(asked: CheckedLaunch): Promise<StartCommand> {
    this.#port.rejectBarred(asked.id);
    const graph = await this.#port.graph(asked.name, asked.node);
    if (graph === undefined) throw new NodewrightError('NOT_FOUND', `Graph definition not found for ${asked.name}`);
    const given = await this.#port.bindings(asked.node);
    const { open, encrypted, rejection } = await openLaunch(this.#port, graph, asked, given);
    const whole = { ...asked, options: open.options };
    try {
      checkRequest(graph, open.options, open.bindings, (label) => taskAtLaunch(asked, graph, label));
      await checkLaunch(graph, whole, this.#port);
      await checkNeeds(graph, whole, this.#port);
    } catch (error) {
      throw rejection(error);
    }
    return {
      id: asked.id,
      graphName: graph.name,
      definitionHash: graph.hash,
      node: asked.node,
      mailboxId: asked.mailboxId,
      domain: asked.domain ?? 'default',
      operator: asked.operator,
      ...encrypted,
      parent: asked.parent,
      ...(asked.root !== undefined && { root: asked.root, depth: asked.depth }),
      createdAt: new Date(now()).toISOString(),
    };
  }

  async #begin(start: StartCommand): Promise<void> {
    const holder = await this.#take(start);
    if (holder === start.id) return;
    const ended = await this.#port.send.syncEnded(start.mailboxId, holder);
    if (ended && (await this.#take(start)) === start.id) return;
    const violations = [{ path: 'node', message: `the workflow ${holder} is active on it` }];
    throw new NodewrightError('NODE_BUSY', BUSY, { violations });
  }

  /** @returns the workflow that now holds the node */
  async #take(start: StartCommand): Promise<string> {
    const outcome = await this.#port.send.node(start.mailboxId, { type: 'launch', start });
    // The node was deleted after it was found.
    if (outcome.row.retired) throw noNode(start.mailboxId);
    await outcome.settled;
    return outcome.row.workflow ?? '';
  }

  async get(id: string): Promise<WorkflowRow | undefined> {
    const row = await this.#port.rows.load(id);
    return row === undefined ? undefined : this.#shown(row);
  }

  async list({ filter, ...page }: Page): Promise<Paged<WorkflowRow>> {
    const sort = page.sort ?? { createdAt: 1 };
    const rows = await this.#port.stored.find(filter, { ...page, sort });
    const items = await Promise.all(rows.map((row) => this.#shown(row)));
    return { items, total: await this.#port.stored.count(filter) };
  }

  /** Returns the ids of each node's newest workflows, by node id, newest first. */
  async idsOn(nodes: readonly string[]): Promise<Map<string, string[]>> {
    const ids = new Map<string, string[]>();
    const sort = { createdAt: -1 } as const;
    for (let skip = 0; skip < IDS_OF_ALL; skip += PAGE) {
      const page = await this.#port.stored.pick(['node'], { node: { $in: [...nodes] } }, { sort, skip, limit: PAGE });
      for (const { id, node } of page) {
        const own = ids.get(node as string) ?? [];
        if (own.length < IDS_OF_NODE) ids.set(node as string, [...own, id]);
      }
      if (page.length < PAGE) break;
    }
    return ids;
  }

  async activeOn(nodeId: string): Promise<WorkflowRow | undefined> {
    const row = await this.#holder(nodeId);
    return row === undefined ? undefined : this.#shown(row);
  }

  /** Returns the workflow that holds the node, not one of its children, which share the node. */
  async #holder(nodeId: string): Promise<WorkflowRow | undefined> {
    const [holder] = await activeOn(this.#port.stored, nodeId, 1);
    return holder;
  }

  async cancel(id: string): Promise<WorkflowRow | undefined> {
    const row = await this.#port.rows.load(id);
    if (row === undefined) return undefined;
    if (!isActive(row.status)) return this.#ended(row);
    return this.#cancelled(row);
  }

  async #ended(row: WorkflowRow): Promise<WorkflowRow> {
    if (row.status === 'cancelled') return this.#shown(row);
    throw new NodewrightError(
      'WORKFLOW_ENDED',
      `the workflow ${row.id} has ended ${row.status}; it cannot be cancelled`,
    );
  }

  async release(id: string): Promise<WorkflowRow | undefined> {
    return (await this.#port.release(id)) ? this.get(id) : undefined;
  }

  async cancelOn(nodeId: string): Promise<WorkflowRow | undefined> {
    const row = await this.#holder(nodeId);
    return row === undefined ? undefined : this.#cancelled(row);
  }

  /** Cancels through the node's actor, which owns the cancellation of the workflow that holds the node. */
  async #cancelled(row: WorkflowRow): Promise<WorkflowRow> {
    await (await this.#port.send.node(row.mailboxId, { type: 'cancel', workflow: row.id })).settled;
    // Also directly, for children and workflows without a node; repeating it is harmless.
    await (await this.#port.send.workflow(row.id, { type: 'cancel' }))?.settled;
    return this.#shown((await this.#port.rows.load(row.id)) ?? row);
  }

  async remove(id: string): Promise<boolean> {
    const row = await this.#port.rows.load(id);
    if (row === undefined) return false;
    if (isActive(row.status)) {
      throw new NodewrightError(
        'WORKFLOW_ACTIVE',
        `the workflow ${id} is ${row.status}; cancel it before you delete it`,
      );
    }
    // If the process that ended it died, its node would otherwise stay busy and its end unpublished.
    if (!(await this.#port.settle(row))) {
      throw new NodewrightError('UNAVAILABLE', `the pending effects of the workflow ${id} cannot run yet; try again`);
    }
    await this.#port.removed(id);
    await this.#port.rows.remove(id);
    await this.#port.history.remove({ workflow: id });
    return true;
  }

  /** Encrypts options that are stored for a graph until it is launched. */
  encrypted(graph: string | null, options: Record<string, unknown>): Promise<Record<string, unknown>> {
    return encryptOptions(this.#port, graph, options);
  }

  async history(id: string, page: Page): Promise<Paged<HistoryEntry>> {
    const row = await this.#port.rows.load(id);
    return row === undefined ? { items: [], total: 0 } : historyPage(this.#port.history, row, page);
  }

  /** Returns a copy without secrets: options are redacted by their schemas, the graph's context by field names. */
  async #shown(row: WorkflowRow): Promise<WorkflowRow> {
    const graph = await this.#port.pinned(row.definitionHash).catch(() => undefined);
    const options = Object.fromEntries(
      Object.entries(row.options).map(([label, options]) => [label, redact(schemasOf(graph, label), options)]),
    );
    const tasks = row.tasks.map((entry) => shownEntry(row, graph, entry));
    const shown = { ...row, options, tasks, actors: withoutSecrets(row.actors) };
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

/** Placeholders for values that each task will have: the values are not known yet, but that they exist is. */
const taskAtLaunch = ({ id, node }: CheckedLaunch, graph: Graph, label: string): Record<string, unknown> => ({
  nodeId: node,
  instanceId: id,
  label,
  callback: callbackLabel(graph, label) && CALLBACK,
  callbacks: Object.fromEntries([...graph.labels.keys()].map((each) => [each, CALLBACK])),
});

const CALLBACK = callbackUrl('http://127.0.0.1/api/current', 'known-when-the-call-begins');

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

interface ChildLaunch {
  operation: string;
  child: string;
  input: ChildGraphInput;
}

interface CheckedLaunch {
  id: string;
  name: string;
  options: Record<string, unknown>;
  node: string | null;
  mailboxId: string;
  domain: string | undefined;
  operator: string | null;
  parent: StartCommand['parent'];
  root?: string;
  depth?: number;
}
