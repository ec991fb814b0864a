/** Nodes as they are kept: found by id or identifier, changed with an event for each change. */
import { randomUUID } from 'node:crypto';
import type { NewNode, NodeChange, NodeRecord, Nodes, Page, Paged } from '../api-port/index.ts';
import { NodewrightError } from '../define/errors.ts';
import { type EventPayload, publicationOf } from '../define/event.ts';
import type { Outbox } from '../events/outbox.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';

export const nodeSpec: CollectionSpec = {
  name: 'nodes',
  indexes: { name: 'text', type: 'text', identifiers: 'texts', tags: 'texts', sku: 'text', createdAt: 'text' },
};

export interface NodesPort {
  stored: Collection<NodeRecord>;
  outbox: Outbox;
  /** The workflow that holds the node, or null. */
  holder(nodeId: string): Promise<string | null>;
  /** The node is gone, and its actor with it. */
  retire(nodeId: string): Promise<void>;
}

export class NodeRequests implements Nodes {
  readonly #port: NodesPort;

  constructor(port: NodesPort) {
    this.#port = port;
  }

  async find(identifier: string): Promise<NodeRecord | undefined> {
    const byId = await this.#port.stored.get(identifier);
    if (byId !== undefined) return byId;
    const named = await this.#port.stored.find({ identifiers: identifier }, { limit: 1, sort: { createdAt: 1 } });
    return named[0];
  }

  async list({ filter, ...page }: Page): Promise<Paged<NodeRecord>> {
    const sort = page.sort ?? { createdAt: 1 };
    return {
      items: await this.#port.stored.find(filter, { ...page, sort }),
      total: await this.#port.stored.count(filter),
    };
  }

  async create(input: NewNode): Promise<NodeRecord> {
    const identifiers = input.identifiers ?? [];
    await this.#refuseTaken(identifiers, '');
    const now = new Date().toISOString();
    const node: NodeRecord = {
      id: randomUUID(),
      type: input.type,
      name: input.name,
      autoDiscover: input.autoDiscover ?? false,
      sku: null,
      createdAt: now,
      updatedAt: now,
      identifiers,
      obms: [],
      relations: input.relations ?? [],
      tags: input.tags ?? [],
      catalogs: [],
      workflows: [],
      ...(input.service === undefined ? {} : { service: input.service }),
      ...(input.config === undefined ? {} : { config: input.config }),
    };
    await this.#port.stored.insert(node);
    await this.#tell('added', node);
    return node;
  }

  async #refuseTaken(identifiers: readonly string[], owner: string): Promise<void> {
    if (identifiers.length === 0) return;
    const filter = { identifiers: { $in: identifiers }, id: { $ne: owner } };
    const [taken] = await this.#port.stored.find(filter, { limit: 1 });
    if (taken === undefined) return;
    const shared = identifiers.filter((identifier) => taken.identifiers.includes(identifier));
    throw new NodewrightError('DUPLICATE', `the node ${taken.id} has the identifier ${shared.join(', ')} already`);
  }

  async update(id: string, change: NodeChange): Promise<NodeRecord | undefined> {
    await this.#refuseTaken(change.identifiers ?? [], id);
    const $set = { ...change, updatedAt: new Date().toISOString() };
    const node = await this.#port.stored.update({ id }, { $set });
    if (node !== undefined) await this.#tell('updated', node);
    return node;
  }

  async remove(id: string): Promise<boolean> {
    const holder = await this.#port.holder(id);
    if (holder !== null) {
      throw new NodewrightError('WORKFLOW_ACTIVE', `the workflow ${holder} is active on the node; cancel it first`);
    }
    const node = await this.#port.stored.get(id);
    if (node === undefined || (await this.#port.stored.remove({ id })) === 0) return false;
    await this.#port.retire(id);
    await this.#tell('removed', node);
    return true;
  }

  #tell(action: string, node: NodeRecord): Promise<void> {
    const event: EventPayload = {
      id: randomUUID(),
      version: '1.0',
      type: 'node',
      action,
      severity: 'information',
      typeId: node.id,
      createdAt: new Date().toISOString(),
      nodeId: node.id,
      data: { nodeId: node.id, nodeType: node.type },
    };
    return this.#port.outbox.publish([publicationOf(event)]);
  }
}
