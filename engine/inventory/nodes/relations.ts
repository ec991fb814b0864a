/**
 * Relations between nodes. One document represents both sides of a pair, so that the two sides cannot differ; the
 * relations of a record are built from the documents of its node.
 */
import type { Relation, RelationTargets } from '../../api-port/index.ts';
import { relationPairs } from '../../define/node.ts';
import { type NodeEvent, nodeEvent, type UnpublishedEvents } from '../../events/outbox/pending-event.ts';
import { type HasPendingEvents, type PendingEvents, pendingIndex } from '../../events/outbox/pending-events.ts';
import { byIds, pages } from '../../platform/store/pages.ts';
import { type Collection, type CollectionSpec, DuplicateError } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { type ExistingNodes, removeFromMissing } from './dependents.ts';

type Kind = keyof typeof relationPairs;

export interface Edge extends HasPendingEvents {
  id: string;
  kind: Kind;
  from: string;
  to: string;
  /** Both nodes, so that the document is found by either. */
  ends: [string, string];
  /** Time of creation and index within the request: relations are shown in this order. */
  at: string;
  /** Relations `contains` only: the contained node again; unique, because a node has at most one container. */
  contained?: string;
}

/** Limit of relations deleted in one write. */
const EDGES_PAGE = 200;

export const relationSpec: CollectionSpec = {
  name: 'relations',
  indexes: { ends: 'texts', contained: 'text', ...pendingIndex },
  unique: ['contained'],
};

/** Nodes whose relations changed, the requested one first, and the pending events. */
export interface RelationChange {
  nodes: string[];
  unpublished: UnpublishedEvents[];
}

const kinds = Object.keys(relationPairs) as Kind[];
const inverse = new Map<string, Kind>(kinds.map((kind) => [relationPairs[kind], kind]));
const relationTypes: readonly string[] = [...kinds, ...inverse.keys()];
const order = new Map(relationTypes.map((type, at) => [type, at]));

export class Relations {
  readonly #edges: Collection<Edge>;
  readonly #pending: PendingEvents<Edge>;
  readonly #existingNodes: ExistingNodes;

  constructor(edges: Collection<Edge>, pending: PendingEvents<Edge>, existingNodes: ExistingNodes) {
    this.#edges = edges;
    this.#pending = pending;
    this.#existingNodes = existingNodes;
  }

  /** @returns the relations of each node, by node id; nodes without relations are absent */
  async of(nodes: readonly string[]): Promise<Map<string, Relation[]>> {
    const wanted = new Set(nodes);
    const targets = new Map<string, Map<string, string[]>>();
    const add = (node: string, type: string, target: string) => {
      if (!wanted.has(node)) return;
      const types = targets.get(node) ?? new Map<string, string[]>();
      types.set(type, [...(types.get(type) ?? []), target]);
      targets.set(node, types);
    };
    const edges: Edge[] = [];
    for await (const edge of pages(this.#edges, { ends: { $in: [...nodes] } })) edges.push(edge);
    for (const { kind, from, to } of edges.sort((a, b) => (a.at < b.at ? -1 : 1))) {
      add(from, kind, to);
      add(to, relationPairs[kind], from);
    }
    return new Map([...targets].map(([node, types]) => [node, shownRelations(types)]));
  }

  /**
   * Adds the relations of nodes that have none, in one request. Their own events are those of their creation.
   * @returns the other nodes. @throws NodewrightError INVALID, CONFLICT; then the caller calls `forgetNew`
   */
  async addToNew(nodes: readonly (readonly [id: string, targets: RelationTargets])[]): Promise<RelationChange> {
    const owned = nodes.flatMap(([node, targets]) => edgesOf(node, targets).map((edge) => ({ node, edge })));
    if (owned.length === 0) return { nodes: [], unpublished: [] };
    await this.#rejectSecondContainers(owned.map(({ edge }) => edge));
    const announced = new Set(nodes.map(([id]) => id));
    const others = new Set<string>();
    const edges = owned.map(({ node, edge }) => {
      const events = eventsOf(edge, node, announced);
      const other = otherEnd(edge, node);
      others.add(other);
      announced.add(other);
      return [edge, events] as const;
    });
    try {
      const unpublished = await this.#pending.insertAll(edges);
      const ends = [...others, ...new Set(owned.map(({ node }) => node))];
      await removeFromMissing(this.#existingNodes, ends, (gone) => this.#edges.remove({ ends: { $in: gone } }));
      return { nodes: [...others], unpublished };
    } catch (error) {
      if (error instanceof DuplicateError) throw containedTwice('a target');
      throw error;
    }
  }

  /** Deletes the relations of nodes whose creation failed. */
  async forgetNew(nodes: readonly string[]): Promise<void> {
    await this.#edges.remove({ ends: { $in: [...nodes] } });
  }

  /** @param all targets of new nodes @returns what is wrong with each; undefined: nothing */
  async unknownTargets(all: readonly RelationTargets[]): Promise<(string | undefined)[]> {
    const existingIds = await this.#existingNodes(all.flatMap((targets) => Object.values(targets).flat()));
    return all.map((targets) => {
      const unknownType = Object.keys(targets).find((type) => !relationTypes.includes(type));
      if (unknownType !== undefined) return unknownTypeText(unknownType);
      const unknown = Object.values(targets).flatMap((ids) => ids.filter((id) => !existingIds.has(id)));
      return unknown.length === 0 ? undefined : noSuchNodes(unknown);
    });
  }

  /**
   * Adds all of the relations, or none.
   * @throws NodewrightError INVALID, CONFLICT
   */
  async add(node: string, targets: RelationTargets): Promise<RelationChange> {
    const edges = await this.check(node, targets);
    await this.#rejectSecondContainers(edges);
    const newEdges: Edge[] = [];
    const unpublished: UnpublishedEvents[] = [];
    const announced = new Set<string>();
    try {
      for (const edge of edges) {
        const added = await this.#pending.insert(edge, eventsOf(edge, node, announced));
        if (added === undefined) continue;
        newEdges.push(edge);
        unpublished.push(added);
        for (const end of edge.ends) announced.add(end);
      }
      const nodes = changedBy(node, newEdges);
      await removeFromMissing(this.#existingNodes, nodes, (gone) => this.#edges.remove({ ends: { $in: gone } }));
      return { nodes, unpublished };
    } catch (error) {
      await this.#edges.remove({ id: { $in: newEdges.map(({ id }) => id) } });
      if (error instanceof DuplicateError) throw containedTwice('a target');
      throw error;
    }
  }

  /** Validates the targets before anything is changed. @throws NodewrightError INVALID */
  async check(node: string, targets: RelationTargets): Promise<Edge[]> {
    const edges = edgesOf(node, targets);
    const existingIds = await this.#existingNodes(edges.map((edge) => otherEnd(edge, node)));
    const unknown = edges.map((edge) => otherEnd(edge, node)).filter((id) => !existingIds.has(id));
    if (unknown.length > 0) throw relationError(noSuchNodes(unknown));
    return edges;
  }

  async #rejectSecondContainers(edges: readonly Edge[]): Promise<void> {
    const wanted = new Map(edges.flatMap(({ contained: node, id }) => (node === undefined ? [] : [[node, id]])));
    if (wanted.size < edges.filter(({ kind }) => kind === 'contains').length) throw containedTwice('a target');
    if (wanted.size === 0) return;
    for await (const edge of pages(this.#edges, { contained: { $in: [...wanted.keys()] } })) {
      if (wanted.get(edge.to) !== edge.id) throw containedTwice(edge.to);
    }
  }

  /** @throws NodewrightError INVALID */
  async remove(node: string, targets: RelationTargets): Promise<RelationChange> {
    const edges = await this.check(node, targets);
    const gone = await byIds(
      this.#edges,
      edges.map(({ id }) => id),
    );
    return { nodes: changedBy(node, gone), unpublished: await this.#remove(gone, node, new Set()) };
  }

  /** Deletes all relations of a node that is being deleted. @returns the pending events of the other nodes */
  async forget(node: string): Promise<UnpublishedEvents[]> {
    const announced = new Set([node]);
    const unpublished: UnpublishedEvents[] = [];
    for (;;) {
      const edges = await this.#edges.find({ ends: node }, { limit: EDGES_PAGE });
      unpublished.push(...(await this.#remove(edges, node, announced)));
      if (edges.length < EDGES_PAGE) return unpublished;
    }
  }

  /** @param announced nodes that need no event; they have one already */
  async #remove(edges: readonly Edge[], node: string, announced: Set<string>): Promise<UnpublishedEvents[]> {
    if (edges.length === 0) return [];
    const { unpublished } = await this.#pending.remove(edges, (edge) => {
      const events = eventsOf(edge, node, announced);
      for (const end of edge.ends) announced.add(end);
      return events;
    });
    return unpublished === undefined ? [] : [unpublished];
  }
}

/** Returns an event for each end of the edge that has none yet, the one of `node` first. */
const eventsOf = (edge: Edge, node: string, announced: ReadonlySet<string>): NodeEvent[] =>
  [node, otherEnd(edge, node)].filter((end) => !announced.has(end)).map((end) => nodeEvent('updated', end));

function shownRelations(types: Map<string, string[]>): Relation[] {
  const relations = [...types].map(([relationType, targets]) => ({ relationType, targets }));
  return relations.sort((a, b) => (order.get(a.relationType) ?? 0) - (order.get(b.relationType) ?? 0));
}

function edgesOf(node: string, targets: RelationTargets): Edge[] {
  const wanted = Object.entries(targets).flatMap(([type, ids]) => ids.map((target) => ({ type, target })));
  const now = new Date().toISOString();
  const edges = wanted.map(({ type, target }, index) => ({
    ...edgeOf(node, type, target),
    at: `${now} ${String(index).padStart(6, '0')}`,
  }));
  return [...new Map(edges.map((edge) => [edge.id, edge])).values()];
}

export function edgeOf(node: string, type: string, target: string): Omit<Edge, 'at'> {
  if (target === node) throw relationError(`${type}: a node cannot be related to itself`);
  const kind = inverse.get(type) ?? kinds.find((one) => one === type);
  if (kind === undefined) throw relationError(unknownTypeText(type));
  const [from, to] = kind === type ? [node, target] : [target, node];
  return {
    id: `${kind} ${from} ${to}`,
    kind,
    from,
    to,
    ends: [from, to],
    ...(kind === 'contains' && { contained: to }),
  };
}

const otherEnd = ({ from, to }: Edge, node: string): string => (from === node ? to : from);

const changedBy = (node: string, edges: readonly Edge[]): string[] =>
  edges.length === 0 ? [] : [node, ...new Set(edges.map((edge) => otherEnd(edge, node)))];

const noSuchNodes = (unknown: readonly string[]): string => `no such node: ${unknown.slice(0, 5).join(', ')}`;

const unknownTypeText = (type: string): string => `${type} is unknown; expected one of ${relationTypes.join(', ')}`;

const relationError = (message: string) =>
  new NodewrightError('INVALID', `relations: ${message}`, { violations: [{ path: 'relations', message }] });

const containedTwice = (node: string) =>
  new NodewrightError('CONFLICT', `${node} already has a container; remove that relation first`);
