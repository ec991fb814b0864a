/**
 * Prepares a launch: everything that can reject it, before anything is changed (an unknown graph, invalid options, a
 * failed `checkLaunch` of a task, a missing obm), and the values with which the workflow starts.
 */
import type { StartCommand } from '../../durable/actors/messages.ts';
import { schemasOf } from '../../durable/runtime/opening.ts';
import type { Runtime } from '../../durable/runtime/runtime.ts';
import { callbackLabel } from '../../durable/step/callbacks.ts';
import type { CodeWatch } from '../../durable/watchdog/watchdog.ts';
import { checkRequest, optionsAtLaunch } from '../../library/options/options.ts';
import type { Graph } from '../../library/types.ts';
import { provenanceOf } from '../../library/versions/provenance.ts';
import { now } from '../../platform/lib/clock.ts';
import { pause } from '../../platform/lib/pause.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { callbackUrl } from '../../vocabulary/callback.ts';
import { redact } from '../../vocabulary/conceal.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import type { Bindings } from './bindings.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { InventoryPort } from './inventory-port.ts';
import { TaskCalls } from './launch-checks.ts';
import { effectsOf, type LaunchEffects } from './launch-effects.ts';
import { checkNeeds } from './launch-needs.ts';
import { encryptOptions, openLaunch } from './launch-secrets.ts';
import { graphsIn, LaunchTrees, mayChangePower } from './launch-tree.ts';
import type { NodeGraphs } from './node-graphs.ts';

export class LaunchPreparation {
  readonly #runtime: Pick<Runtime, 'barred' | 'versions'>;
  readonly #graphs: NodeGraphs;
  readonly #bindings: Bindings;
  readonly #inventory: InventoryPort;
  readonly #vault: Vault;
  readonly #tasks: TaskCalls;

  constructor(
    runtime: Pick<Runtime, 'barred' | 'versions'>,
    graphs: NodeGraphs,
    bindings: Bindings,
    inventory: InventoryPort,
    vault: Vault,
    watchdog: CodeWatch,
  ) {
    this.#runtime = runtime;
    this.#graphs = graphs;
    this.#bindings = bindings;
    this.#inventory = inventory;
    this.#vault = vault;
    this.#tasks = new TaskCalls(inventory.catalogs, vault, watchdog);
  }

  /** @throws NodewrightError QUARANTINED when an earlier launch under this id killed the daemon; or the rejection */
  async prepare(launch: CheckedLaunch): Promise<Omit<StartCommand, 'traceparent'>> {
    const { id, node, mailboxId, domain = 'default', operator, discovery, parent, launcherRoles } = launch;
    this.#runtime.barred.reject(id);
    const graph = await this.graphOf(launch);
    await this.#runtime.versions.reject(provenanceOf(graph));
    const bindings = await this.#bindings.atLaunch(node);
    const { open, encrypted, rejection } = await openLaunch(this.#vault, this.#graphs, graph, launch, bindings);
    const whole = { ...launch, options: open.options };
    try {
      checkRequest(graph, open.options, open.bindings, tasksAtLaunch(launch, graph));
      await this.#tasks.check(graph, whole);
      await checkNeeds(graph, whole, this.#graphs, this.#inventory);
    } catch (error) {
      throw rejection(error);
    }
    return {
      id,
      graphName: graph.name,
      definitionHash: graph.hash,
      node,
      mailboxId,
      domain,
      operator,
      ...encrypted,
      parent,
      ...(discovery && { discovery }),
      ...(launcherRoles && { launcherRoles }),
      ...retryIn(launch),
      ...originIn(launch),
      ...(launch.root !== undefined && { root: launch.root, depth: launch.depth }),
      createdAt: new Date(now()).toISOString(),
    };
  }

  /** Returns the graph that would run. @throws NodewrightError NOT_FOUND */
  async graphOf(launch: Pick<CheckedLaunch, 'retry' | 'name' | 'node' | 'definitionHash'>): Promise<Graph> {
    const { retry, name, node, definitionHash } = launch;
    if (retry === undefined && definitionHash !== undefined) return this.#graphs.pinnedGraph(definitionHash);
    const graph = retry?.graph ?? (await this.#graphs.graph(name, node));
    if (graph === undefined) throw new NodewrightError('NOT_FOUND', `Graph definition not found for ${name}`);
    return graph;
  }

  /** Returns the options of each label as far as they are known at launch, without secrets. */
  async shownOptions(graph: Graph, launch: CheckedLaunch): Promise<Map<string, JsonObject>> {
    const bindings = { ...(await this.#bindings.atLaunch(launch.node)), task: { nodeId: launch.node } };
    const shown = new Map<string, JsonObject>();
    for (const label of graph.labels.values()) {
      await pause();
      const conceal = (options: JsonObject) => redact(schemasOf(graph, label.label), options) as JsonObject;
      shown.set(label.label, optionsAtLaunch(graph, label, launch.options, bindings, conceal));
    }
    return shown;
  }

  /** Returns what each label would destroy on the node, and do to its power; also by a graph that it runs. */
  async effects(graph: Graph, launch: CheckedLaunch): Promise<Map<string, LaunchEffects>> {
    const tree = await new LaunchTrees(launch.node, this.#graphs).of(graph, launch.options);
    return effectsOf(tree, launch, this.#tasks, this.#inventory.catalogs);
  }

  /** Returns what the launch would run on its node, and destroy there. @throws NodewrightError NOT_FOUND (graph) */
  async plannedWork(launch: Pick<CheckedLaunch, 'id' | 'name' | 'node' | 'options' | 'retry' | 'definitionHash'>) {
    const tree = await new LaunchTrees(launch.node, this.#graphs).of(await this.graphOf(launch), launch.options);
    const effects = [...(await effectsOf(tree, launch, this.#tasks, this.#inventory.catalogs)).values()];
    const hashes = new Map(graphsIn(tree).map(({ name, hash }) => [name, hash]));
    const drives = effects.flatMap((each) => each.drives ?? []).map(({ name, serial }) => ({ name, serial }));
    return {
      node: launch.node,
      definitions: [...hashes].map(([graph, hash]) => ({ graph, hash })),
      isDestructive: effects.some(({ destructive }) => destructive),
      drives: [...new Map(drives.map((drive) => [drive.name, drive])).values()],
      hasUnknownDrives: effects.some(({ hasUnknownDrives }) => hasUnknownDrives === true),
    };
  }

  /** Whether one of the tasks changes the power of the node, or may, because a graph that it runs is not known yet. */
  async mayChangePower(graph: Graph, launch: CheckedLaunch): Promise<boolean> {
    return mayChangePower(await new LaunchTrees(launch.node, this.#graphs).of(graph, launch.options));
  }

  /**
   * Encrypts the options of launches on many nodes. @param isEncrypted they are already, by this function
   * @throws NodewrightError NOT_FOUND (graph), INVALID_OPTIONS
   */
  async optionsToStore(name: string, options: JsonObject, isEncrypted?: true): Promise<JsonObject> {
    await this.graphOf({ name, node: null });
    if (isEncrypted) return options;
    return this.encryptOptions(name, options, 'options');
  }

  /** Encrypts options that are stored for a graph until it is launched. */
  encryptOptions(graph: string | null, options: JsonObject, at?: string): Promise<JsonObject> {
    return encryptOptions(this.#vault, this.#graphs, graph, options, at);
  }
}

/** Absent lists stay absent in the row. */
function retryIn({ retry }: CheckedLaunch): Pick<StartCommand, 'retryOf' | 'carried' | 'acknowledged'> {
  if (retry === undefined) return {};
  const { retryOf, carried, acknowledged } = retry;
  return { retryOf, carried, ...(acknowledged.length > 0 && { acknowledged }) };
}

type LaunchOrigin = Pick<StartCommand, 'rollout' | 'rolloutPhase' | 'batch' | 'rule'>;

function originIn({ rollout, batch, rule }: CheckedLaunch): LaunchOrigin {
  return {
    ...(rollout !== undefined && { rollout: rollout.id, rolloutPhase: rollout.phase }),
    ...(batch !== undefined && { batch }),
    ...(rule !== undefined && { rule }),
  };
}

/** Placeholders for values that each task will have: the values are not known yet, but that they exist is. */
function tasksAtLaunch({ id, node }: CheckedLaunch, graph: Graph): (label: string) => JsonObject {
  const callbacks = Object.fromEntries([...graph.labels.keys()].map((label) => [label, CALLBACK]));
  return (label) => ({
    nodeId: node,
    instanceId: id,
    label,
    get callback() {
      return callbackLabel(graph, label) && CALLBACK;
    },
    callbacks,
  });
}

const CALLBACK = callbackUrl('http://127.0.0.1/api/current', 'known-when-the-call-begins');
