/**
 * Nodes as they are kept: found by id, identifier or address, changed with an event for each change. A record is put
 * together from the node's own document and from what hangs on it.
 */
import { randomUUID } from 'node:crypto';
import type { NewNode, NodeChange, NodeRecord, Nodes, Page, Paged, RelationTargets } from '../api-port/index.ts';
import { NodewrightError } from '../define/errors.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';
import type { CatalogRequests } from './catalogs.ts';
import type { LookupRequests } from './lookups.ts';
import type { TellNodes } from './node-events.ts';
import type { ObmRequests } from './obms.ts';
import type { Relations } from './relations.ts';

export const nodeSpec: CollectionSpec = {
  name: 'nodes',
  indexes: {
    ...{ name: 'text', type: 'text', identifiers: 'texts', tags: 'texts', sku: 'text', service: 'text' },
    ...{ autoDiscover: 'boolean', createdAt: 'text', updatedAt: 'text', skuUntold: 'boolean' },
  },
};

export type StoredNode = Omit<NodeRecord, 'obms' | 'relations'>;

export interface NodesPort {
  stored: Collection<StoredNode>;
  relations: Relations;
  obms: ObmRequests;
  catalogs: CatalogRequests;
  lookups: LookupRequests;
  tell: TellNodes;
  /** The workflow that holds the node, or null. */
  holder(nodeId: string): Promise<string | null>;
  /** The node is gone, and its actor with it. */
  retire(nodeId: string): Promise<void>;
}

const AT_ONCE = 500;

const now = (): string => new Date().toISOString();

/** @returns those of the ids that are nodes */
export const knownIn =
  (stored: Collection<StoredNode>) =>
  async (ids: readonly string[]): Promise<Set<string>> =>
    new Set((await stored.find({ id: { $in: [...new Set(ids)] } })).map(({ id }) => id));

export class NodeRequests implements Nodes {
  readonly #port: NodesPort;

  constructor(port: NodesPort) {
    this.#port = port;
  }

  async find(identifier: string): Promise<NodeRecord | undefined> {
    const found = await this.#stored(identifier);
    return found && (await this.#whole([found]))[0];
  }

  async idOf(identifier: string): Promise<string | undefined> {
    return (await this.#stored(identifier))?.id;
  }

  async #stored(identifier: string): Promise<StoredNode | undefined> {
    const { stored, lookups } = this.#port;
    const byId = await stored.get(identifier);
    if (byId !== undefined) return byId;
    const [named] = await stored.find({ identifiers: identifier }, { limit: 1, sort: { createdAt: 1 } });
    if (named !== undefined) return named;
    const node = await lookups.nodeOf(identifier);
    return node === undefined ? undefined : stored.get(node);
  }

  async #whole(nodes: readonly StoredNode[]): Promise<NodeRecord[]> {
    const ids = nodes.map(({ id }) => id);
    if (ids.length === 0) return [];
    const [relations, obms] = await Promise.all([this.#port.relations.of(ids), this.#port.obms.refs(ids)]);
    return nodes.map((node) => ({
      ...node,
      obms: obms.get(node.id) ?? [],
      relations: relations.get(node.id) ?? [],
    }));
  }

  async list({ filter, ...page }: Page): Promise<Paged<NodeRecord>> {
    const found = await this.#port.stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: await this.#whole(found), total: await this.#port.stored.count(filter) };
  }

  async create(input: NewNode): Promise<NodeRecord> {
    const { obms = [], relations = [], identifiers = [], tags = [], autoDiscover = false, ...given } = input;
    const id = randomUUID();
    const targets = Object.fromEntries(relations.map(({ relationType, targets: ids }) => [relationType, ids]));
    await this.#refuseTaken(identifiers, '');
    await this.#port.relations.check(id, targets);
    const times = { createdAt: now(), updatedAt: now() };
    const rest = { identifiers: [...identifiers], tags: [...new Set(tags)], autoDiscover, catalogs: [], workflows: [] };
    await this.#port.stored.insert({ id, ...given, ...rest, sku: null, ...times });
    const changed = await this.#hang(id, targets, obms);
    const [node, ...others] = await this.#byIds([id, ...changed]);
    await this.#port.tell('added', [node as NodeRecord]);
    await this.#port.tell('updated', others);
    return node as NodeRecord;
  }

  /** @returns other nodes that changed; a node whose relations are refused was never there */
  async #hang(id: string, targets: RelationTargets, obms: NonNullable<NewNode['obms']>): Promise<string[]> {
    try {
      const [, ...others] = await this.#port.relations.add(id, targets);
      for (const obm of obms) await this.#port.obms.put(id, obm);
      return others;
    } catch (error) {
      await this.#forget(id);
      await this.#port.stored.remove({ id });
      throw error;
    }
  }

  async #byIds(ids: readonly string[]): Promise<NodeRecord[]> {
    const found: StoredNode[] = [];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      found.push(...(await this.#port.stored.find({ id: { $in: ids.slice(from, from + AT_ONCE) } })));
    }
    const at = new Map(ids.map((id, index) => [id, index]));
    return this.#whole(found.sort((a, b) => (at.get(a.id) ?? 0) - (at.get(b.id) ?? 0)));
  }

  async #refuseTaken(identifiers: readonly string[], owner: string): Promise<void> {
    if (identifiers.length === 0) return;
    const filter = { identifiers: { $in: [...identifiers] }, id: { $ne: owner } };
    const [taken] = await this.#port.stored.find(filter, { limit: 1 });
    if (taken === undefined) return;
    const shared = identifiers.filter((identifier) => taken.identifiers.includes(identifier));
    throw new NodewrightError('DUPLICATE', `the node ${taken.id} has the identifier ${shared.join(', ')} already`);
  }

  async update(id: string, change: NodeChange): Promise<NodeRecord | undefined> {
    await this.#refuseTaken(change.identifiers ?? [], id);
    const tags = change.tags === undefined ? {} : { tags: [...new Set(change.tags)] };
    return this.#changed({ id }, { $set: { ...change, ...tags, updatedAt: now() } });
  }

  async #changed(filter: Record<string, unknown>, change: Record<string, Record<string, unknown>>) {
    const found = await this.#port.stored.update(filter, change);
    if (found === undefined) return undefined;
    await this.#port.tell('updated', [found]);
    return (await this.#whole([found]))[0];
  }

  async remove(id: string): Promise<boolean> {
    const holder = await this.#port.holder(id);
    if (holder !== null) {
      throw new NodewrightError('WORKFLOW_ACTIVE', `the workflow ${holder} is active on the node; cancel it first`);
    }
    const node = await this.#port.stored.get(id);
    if (node === undefined) return false;
    // What hangs on it goes first: should this break off, the node is still there to be removed again.
    const others = await this.#forget(id);
    if ((await this.#port.stored.remove({ id })) === 0) return false;
    await this.#port.retire(id);
    await this.#port.tell('removed', [node]);
    await this.#port.tell('updated', await this.#byIds(others));
    return true;
  }

  async #forget(id: string): Promise<string[]> {
    const { relations, obms, catalogs, lookups } = this.#port;
    const others = await relations.forget(id);
    await Promise.all([obms.forget(id), catalogs.forget(id), lookups.forget(id)]);
    return others;
  }

  async tag(id: string, tags: readonly string[]): Promise<string[] | undefined> {
    const change = { $addToSet: { tags: { $each: [...tags] } }, $set: { updatedAt: now() } };
    return (await this.#changed({ id }, change))?.tags;
  }

  async untag(id: string, tag: string): Promise<boolean> {
    const change = { $pull: { tags: tag }, $set: { updatedAt: now() } };
    return (await this.#changed({ id, tags: tag }, change)) !== undefined;
  }

  async untagAll(tag: string): Promise<void> {
    const change = { $pull: { tags: tag }, $set: { updatedAt: now() } };
    while ((await this.#changed({ tags: tag }, change)) !== undefined);
  }

  relate(id: string, targets: RelationTargets): Promise<NodeRecord[]> {
    return this.#related(this.#port.relations.add(id, targets));
  }

  unrelate(id: string, targets: RelationTargets): Promise<NodeRecord[]> {
    return this.#related(this.#port.relations.remove(id, targets));
  }

  async #related(change: Promise<string[]>): Promise<NodeRecord[]> {
    const nodes = await this.#byIds(await change);
    await this.#port.tell('updated', nodes);
    return nodes;
  }
}
