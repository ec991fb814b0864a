/**
 * The creation of a rollout: its nodes are found, put in order and in phases, and frozen.
 *
 * The targets are stored before the rollout exists: its row is a draft until all are there. A process that dies in between leaves a
 * draft, which the dispatcher removes.
 */
import { randomInt } from 'node:crypto';
import type { Nodes } from '../../api-port/index.ts';
import type { RolloutRequest } from '../../api-port/rollouts.ts';
import { checkSharedRequest } from '../../library/options/options.ts';
import type { Graph } from '../../library/types.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { type NamedNodesScope, namedNodes } from '../requests/named-nodes.ts';
import type { StoredWindow } from '../windows/window-requests.ts';
import { firstState } from './first-state.ts';
import { turnsOf } from './rollout-estimate.ts';
import { type PlannableNode, planTargets } from './rollout-plan.ts';
import { limitedGroups, type RolloutState, sumCounts } from './rollout-state.ts';
import { newTarget } from './rollout-targets.ts';
import { below, type StoredRollout, type StoredTarget } from './stored-rollout.ts';

export interface CreationScope extends NamedNodesScope {
  rollouts: Collection<StoredRollout>;
  stored: Collection<StoredTarget>;
  windows: Pick<Collection<StoredWindow>, 'get'>;
  nodes: Pick<Nodes, 'list' | 'idOf' | 'ownedBy'>;
  graphs: {
    /** Returns the graph that the name means on nodes of the SKU; null: without one. */
    graphOfSku(name: string, sku: string | null): Promise<Graph | undefined>;
  };
  /** Rejects an unknown graph, and returns the options with their secrets encrypted, unless they are already. */
  prepare(name: string, options: Record<string, unknown>, isEncrypted?: true): Promise<Record<string, unknown>>;
}

const IDS_PER_PAGE = 500;
const SEEDS = 2 ** 31;

/** A rollout and its targets before they are stored. */
export interface NewRollout {
  rollout: StoredRollout;
  targets: StoredTarget[];
}

interface KnownNode extends PlannableNode {
  sku: string | null;
}

export class RolloutCreation {
  readonly #port: CreationScope;

  constructor(port: CreationScope) {
    this.#port = port;
  }

  /** @throws NodewrightError NOT_FOUND, INVALID, INVALID_OPTIONS; nothing is stored */
  async draft(id: string, at: string, request: RolloutRequest, isEncrypted?: true): Promise<NewRollout> {
    const {
      graph,
      seed = randomInt(SEEDS),
      order = {},
      limits = {},
      gates = [],
      operator = null,
      window = null,
      ticket = null,
    } = request;
    const { phases = [{ size: 'rest' }], definition = 'pinned', onBusy = 'wait', onHeld = 'skip' } = request;
    if (window !== null && (await this.#port.windows.get(window)) === undefined) throw unknownWindow(window);
    const options = await this.#port.prepare(graph, request.options ?? {}, isEncrypted);
    const nodes = await this.#nodes(request);
    const sample = request.sample === undefined ? {} : { sample: request.sample };
    const { targets, sizes } = planTargets(nodes, { seed, order, phases, ...sample });
    const graphs = await this.#graphs(graph, nodes);
    const [first, ...others] = new Set(nodes.flatMap(({ sku }) => graphs.get(sku) ?? []));
    if (first !== undefined) checkSharedRequest([first, ...others], options);
    const definitionHash = graphs.get(null)?.hash ?? '';
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const stored = targets.map((target) => {
      const { parents = {}, sku = null } = byId.get(target.node) ?? {};
      const groups = limitedGroups(limits, parents);
      const hash = graphs.get(sku)?.hash ?? definitionHash;
      return newTarget(id, { ...target, groups, ...(hash !== definitionHash && { definitionHash: hash }) });
    });
    const shape = { id, gates, limits, onBusy, onHeld };
    const state = firstState(
      shape,
      phases.map(({ size, advance = 'auto' }, index) => ({ size, advance, targets: sizes[index] ?? 0 })),
    );
    const rollout: StoredRollout = {
      id,
      version: 1,
      name: request.name ?? graph,
      graph,
      definition,
      definitionHash,
      options,
      seed,
      order,
      state,
      domain: request.domain ?? null,
      createdBy: operator,
      ...(request.team !== undefined && { owner: request.team }),
      ...(request.launcherRoles && { launcherRoles: request.launcherRoles }),
      window,
      ticket,
      status: 'running',
      effects: [{ kind: 'event', event: startOf(state, at) }],
      turns: sizes.map((_, phase) =>
        turnsOf(
          stored.filter((target) => target.phase === phase),
          limits,
        ),
      ),
      steps: 0,
      pending: false,
      isDraft: true,
      createdAt: at,
      updatedAt: at,
    };
    return { rollout, targets: stored };
  }

  /** Stores the draft; the rollout exists when it resolves. */
  async store({ rollout, targets }: NewRollout): Promise<void> {
    await this.#port.rollouts.insert(rollout);
    for (let from = 0; from < targets.length; from += IDS_PER_PAGE)
      await this.#port.stored.insertMissing(targets.slice(from, from + IDS_PER_PAGE));
    await this.#port.rollouts.update({ id: rollout.id }, { $set: { isDraft: false, pending: true } });
  }

  async #nodes({ nodes, team, excludeRollouts = [] }: RolloutRequest): Promise<KnownNode[]> {
    const ids = await namedNodes(this.#port, nodes, 'targets.nodes', team);
    for (const rollout of excludeRollouts) {
      const excluded = await this.#port.rollouts.get(rollout);
      const isReached = team === undefined || excluded?.owner === team;
      if (excluded === undefined || excluded.isDraft || !isReached) throw unknownRollout(rollout);
      for await (const { node } of pages(this.#port.stored, { rollout })) ids.delete(node);
    }
    const all = [...ids];
    const plannable: KnownNode[] = [];
    for (let from = 0; from < all.length; from += IDS_PER_PAGE) {
      const filter = { id: { $in: all.slice(from, from + IDS_PER_PAGE) } };
      const page = { skip: 0, limit: IDS_PER_PAGE, filter, fields: ['id', 'sku', 'relations'] };
      for (const { id, sku, relations } of (await this.#port.nodes.list(page)).items) {
        const parents = Object.fromEntries(relations.map(({ relationType, targets }) => [relationType, targets]));
        plannable.push({ id, sku: sku ?? null, parents });
      }
    }
    return plannable;
  }

  /** Returns the graph by SKU: a SKU may have a graph of its own under the name. */
  async #graphs(name: string, nodes: readonly KnownNode[]): Promise<Map<string | null, Graph>> {
    const graphs = new Map<string | null, Graph>();
    for (const sku of new Set([null, ...nodes.map((node) => node.sku)])) {
      const graph = await this.#port.graphs.graphOfSku(name, sku);
      if (graph !== undefined) graphs.set(sku, graph);
    }
    return graphs;
  }

  /** Removes a rollout: first its row, which is what makes it exist. */
  async remove(id: string): Promise<void> {
    await this.#port.rollouts.remove({ id });
    await this.#port.stored.remove({ id: below(id) });
  }
}

function unknownWindow(id: string): NodewrightError {
  const message = `no window has the id ${id}`;
  return new NodewrightError('NOT_FOUND', message, { violations: [{ path: 'window', message }] });
}

const unknownRollout = (id: string) => new NodewrightError('NOT_FOUND', `no rollout has the id ${id}`);

function startOf({ phases }: RolloutState, at: string) {
  return {
    n: 1,
    at,
    action: 'started',
    severity: 'information',
    status: 'running',
    phase: 0,
    counts: sumCounts(phases),
    reason: null,
  } as const;
}
