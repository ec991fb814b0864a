import type {
  NewNode,
  NodeChange,
  NodeRecord,
  NodeState,
  Nodes,
  Page,
  PagedList,
  RelationTargets,
} from '../../api-port/index.ts';
import type { IbmService } from '../../define/node.ts';
import { holdersOf, idsOn } from '../../durable/runtime/on-node.ts';
import type { NodeRow } from '../../durable/step/node.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { EventPublisher } from '../../events/outbox/event-publisher.ts';
import { nodeEvent, nodesIn, type UnpublishedEvents } from '../../events/outbox/pending-event.ts';
import type { PendingEvents } from '../../events/outbox/pending-events.ts';
import { batch } from '../../platform/lib/batch.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { byIds, pages, picking, updateAll } from '../../platform/store/pages.ts';
import type { Collection, Filter, Update } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { namesOf } from '../../vocabulary/mac.ts';
import type { HoldRequests } from '../holds/hold-requests.ts';
import type { SouthboundKeys } from '../southbound/southbound-keys.ts';
import type { CatalogRequests } from './catalogs.ts';
import type { ExistingNodes, TouchNode } from './dependents.ts';
import type { LookupRequests } from './lookups.ts';
import { NodeCreation } from './node-creation.ts';
import type { ObmRequests } from './obm-requests.ts';
import type { PollerRequests } from './poller-requests.ts';
import type { RelationChange, Relations } from './relations.ts';
import { encryptedConfig, identifiersOf, rejectTaken, type StoredNode } from './stored-node.ts';

/** Everything that is deleted with its node. */
export interface Dependents {
  relations: Relations;
  obms: ObmRequests;
  ibms: Pick<ObmRequests<IbmService>, 'forget'>;
  catalogs: CatalogRequests;
  lookups: LookupRequests;
  pollers: PollerRequests;
  keys: Pick<SouthboundKeys, 'forget'>;
  holds: Pick<HoldRequests, 'forget' | 'kindsOn' | 'heldNodes'>;
  consoles: { forget(node: string): Promise<void> };
}

interface StoredRows {
  storedWorkflows: Pick<Collection<WorkflowRow>, 'find' | 'lastOf'>;
  storedNodes: Pick<Collection<NodeRow>, 'pick'>;
}

/** Decommissions the node: no workflow can start on it. @returns the workflow that holds and keeps it, or null */
export type Decommission = (nodeId: string) => Promise<string | null>;

/** Records of concurrent requests that are read together. */
const WHOLE_TOGETHER = 20;
/** Nodes changed in one request. */
const NODES_PAGE = 200;

const among = (ids: readonly string[], isIn: boolean): Filter => ({ id: isIn ? { $in: ids } : { $nin: ids } });

const now = (): string => new Date().toISOString();

export const existingIn =
  (stored: Collection<StoredNode>): ExistingNodes =>
  async (ids) => {
    const [one, ...others] = new Set(ids);
    if (one === undefined) return new Set();
    if (others.length === 0) return new Set((await stored.get(one)) && [one]);
    return new Set((await byIds(stored, [one, ...others])).map(({ id }) => id));
  };

export const touchIn =
  (stored: Collection<StoredNode>): TouchNode =>
  (id) =>
    stored.update({ id }, { $set: { updatedAt: now() } });

export class NodeRequests implements Nodes {
  readonly #stored: Collection<StoredNode>;
  readonly #dependents: Dependents;
  readonly #pending: PendingEvents<StoredNode>;
  readonly #publisher: EventPublisher;
  readonly #wholeRecord = batch((nodes: StoredNode[]) => this.#wholeRecords(nodes), WHOLE_TOGETHER);
  readonly #vault: Vault;
  readonly #workflows: StoredRows['storedWorkflows'];
  readonly #actors: StoredRows['storedNodes'];
  readonly #decommission: Decommission;
  readonly #creation: NodeCreation;

  constructor(
    stored: Collection<StoredNode>,
    dependents: Dependents,
    pending: PendingEvents<StoredNode>,
    publisher: EventPublisher,
    vault: Vault,
    records: StoredRows,
    decommission: Decommission,
  ) {
    this.#stored = stored;
    this.#dependents = dependents;
    this.#pending = pending;
    this.#publisher = publisher;
    this.#vault = vault;
    this.#workflows = records.storedWorkflows;
    this.#actors = records.storedNodes;
    this.#decommission = decommission;
    this.#creation = new NodeCreation({
      stored,
      pending,
      publisher,
      vault,
      relations: dependents.relations,
      obms: dependents.obms,
      touch: (ids) => this.#touch(ids),
      records: (ids) => this.#byIds(ids),
    });
  }

  async find(identifier: string): Promise<NodeRecord | undefined> {
    const storedNode = await this.#nodeNamed(identifier);
    return storedNode && this.#wholeRecord(storedNode);
  }

  async idOf(identifier: string): Promise<string | undefined> {
    return (await this.#nodeNamed(identifier))?.id;
  }

  async ownerOf(identifier: string): Promise<{ id: string; owner: string | null } | undefined> {
    const storedNode = await this.#nodeNamed(identifier);
    return storedNode && { id: storedNode.id, owner: storedNode.owner ?? null };
  }

  async ownedBy(teams: readonly string[], ids: readonly string[]): Promise<ReadonlySet<string>> {
    const nodes = await byIds(picking<StoredNode, 'owner'>(this.#stored, ['owner']), [...new Set(ids)]);
    return new Set(nodes.flatMap(({ id, owner }) => (teams.includes(owner ?? '') ? [id] : [])));
  }

  setOwner(id: string, owner: string | null, before: string | null): Promise<NodeRecord | undefined> {
    const written: Update = owner === null ? { $unset: { owner: '' } } : { $set: { owner } };
    const change = { ...written, $set: { ...written.$set, updatedAt: now() } };
    return this.#changedRecord(id, change, { owner: before });
  }

  async #nodeNamed(identifier: string): Promise<StoredNode | undefined> {
    const stored = this.#stored;
    const storedNode = (await stored.get(identifier)) ?? (await this.#nodeIdentifiedBy(identifier));
    if (storedNode !== undefined) return storedNode;
    const node = await this.#dependents.lookups.nodeOf(identifier);
    // A user's lookup may have been entered before its node was, by one of the node's identifiers.
    return node === undefined ? undefined : ((await stored.get(node)) ?? this.#nodeIdentifiedBy(node));
  }

  async #nodeIdentifiedBy(identifier: string): Promise<StoredNode | undefined> {
    const filter = { identifiers: { $in: namesOf(identifier) } };
    return (await this.#stored.find(filter, { limit: 1, sort: { createdAt: 1 } }))[0];
  }

  /** @param fields the others are not read; absent: all */
  async #wholeRecords(nodes: readonly StoredNode[], fields?: readonly string[]): Promise<NodeRecord[]> {
    const ids = nodes.map(({ id }) => id);
    if (ids.length === 0) return [];
    const read = <T>(field: keyof NodeRecord, reading: () => Promise<Map<string, T>>) =>
      fields === undefined || fields.includes(field) ? reading() : new Map<string, T>();
    const [relations, obms, catalogs, workflows, holders, held] = await Promise.all([
      read('relations', () => this.#dependents.relations.of(ids)),
      read('obms', () => this.#dependents.obms.refs(ids)),
      read('catalogs', () => this.#dependents.catalogs.idsOn(ids)),
      read('workflows', () => idsOn(this.#workflows, ids)),
      read('active', () => holdersOf(this.#actors, this.#workflows, ids)),
      read('held', () => this.#dependents.holds.kindsOn(ids)),
    ]);
    return nodes.map(
      ({
        pending: _,
        pendingCount: __,
        toDiscover: ___,
        registered: ____,
        describedBy: _____,
        switchVendor: ______,
        healthRecord,
        ...node
      }) => ({
        ...node,
        obms: obms.get(node.id) ?? [],
        relations: relations.get(node.id) ?? [],
        catalogs: catalogs.get(node.id) ?? [],
        workflows: workflows.get(node.id) ?? [],
        active: holders.get(node.id) ?? null,
        held: held.get(node.id) ?? [],
        health: healthRecord?.state ?? 'unknown',
        ...(healthRecord?.burnIn && { burnIn: healthRecord.burnIn }),
      }),
    );
  }

  async list({ filter: requestFilter, fields, ...page }: Page, state: NodeState = {}): Promise<PagedList<NodeRecord>> {
    const conditions = await this.#conditionsOf(state);
    const filter = conditions.length === 0 ? requestFilter : { $and: [requestFilter, ...conditions] };
    const [items, total] = await Promise.all([
      this.#stored
        .find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } })
        .then((storedNodes) => this.#wholeRecords(storedNodes, fields)),
      this.#stored.count(filter),
    ]);
    return { items, total };
  }

  async #conditionsOf({ busy, held }: NodeState): Promise<Filter[]> {
    const conditions: Filter[] = [];
    if (busy !== undefined) conditions.push(among(await this.#busyNodes(), busy));
    if (held !== undefined) conditions.push(await this.#heldCondition(held));
    return conditions;
  }

  async #heldCondition({ kinds, orNone }: NonNullable<NodeState['held']>): Promise<Filter> {
    const { holds } = this.#dependents;
    const free = orNone ? [among(await holds.heldNodes(), false)] : [];
    const ofKinds = kinds.length > 0 ? [among(await holds.heldNodes(kinds), true)] : [];
    const [condition = {}, other] = [...free, ...ofKinds];
    return other === undefined ? condition : { $or: [condition, other] };
  }

  async #busyNodes(): Promise<string[]> {
    const busy: string[] = [];
    for await (const { id } of pages(picking(this.#actors, ['workflow']), { workflow: { $gt: '' } })) busy.push(id);
    return busy;
  }

  create(input: NewNode): Promise<NodeRecord> {
    return this.#creation.create(input);
  }

  createAll(inputs: readonly NewNode[]): Promise<NodeRecord[]> {
    return this.#creation.createAll(inputs);
  }

  async #byIds(ids: readonly string[]): Promise<NodeRecord[]> {
    const storedNodes = await byIds(this.#stored, ids);
    const at = new Map(ids.map((id, index) => [id, index]));
    return this.#wholeRecords(storedNodes.sort((a, b) => (at.get(a.id) ?? 0) - (at.get(b.id) ?? 0)));
  }

  async update(id: string, change: NodeChange): Promise<NodeRecord | undefined> {
    const identifiers = change.identifiers && identifiersOf(change.identifiers);
    await rejectTaken(this.#stored, identifiers ?? [], id);
    const tags = change.tags === undefined ? {} : { tags: [...new Set(change.tags)] };
    const $set = {
      ...change,
      ...encryptedConfig(this.#vault, change),
      ...(identifiers && { identifiers }),
      ...tags,
      updatedAt: now(),
    };
    return this.#changedRecord(id, { $set, $unset: { registered: '' } });
  }

  async #changedRecord(id: string, change: Update, filter: Filter = {}): Promise<NodeRecord | undefined> {
    const changed = await this.#changeNode(id, change, filter);
    return changed && this.#wholeRecord(changed);
  }

  /** @param filter further conditions on the node */
  async #changeNode(id: string, change: Update, filter: Filter = {}): Promise<StoredNode | undefined> {
    const changed = await this.#pending.update({ id, ...filter }, change, nodeEvent('updated', id));
    if (changed === undefined) return undefined;
    await this.#publisher.publish([changed.unpublished], [changed.found]);
    return changed.found;
  }

  async remove(id: string): Promise<boolean> {
    const node = await this.#stored.get(id);
    if (node === undefined) return false;
    const holder = await this.#decommission(id);
    if (holder !== null) {
      throw new NodewrightError('WORKFLOW_ACTIVE', `the workflow ${holder} is active on the node; cancel it first`);
    }
    // Dependents are deleted first: if this breaks off, the node still exists and can be deleted again.
    const unpublished = await this.#forget(id);
    const { count, unpublished: removed } = await this.#pending.remove(
      [node],
      ({ type, owner }) => [nodeEvent('removed', id, type, owner)],
      id,
    );
    unpublished.push(...(await this.#forget(id)));
    await this.#touch(unpublished.flatMap(({ events }) => nodesIn(events)));
    await this.#publisher.publish(removed ? [removed, ...unpublished] : unpublished);
    return count > 0;
  }

  async #forget(id: string): Promise<UnpublishedEvents[]> {
    const { relations, obms, ibms, catalogs, lookups, pollers, keys, holds, consoles } = this.#dependents;
    const unpublished = await relations.forget(id);
    await Promise.all([obms, ibms, catalogs, lookups, pollers, keys, holds, consoles].map((each) => each.forget(id)));
    return unpublished;
  }

  async tag(id: string, tags: readonly string[]): Promise<string[] | undefined> {
    const change = { $addToSet: { tags: { $each: [...tags] } }, $set: { updatedAt: now() } };
    return (await this.#changeNode(id, change))?.tags;
  }

  /** Adds the identifiers that no node has. */
  async identify(id: string, names: readonly string[]): Promise<void> {
    const owners = await this.#stored.find({ identifiers: { $in: names.flatMap(namesOf) } });
    const used = new Set(owners.flatMap(({ identifiers }) => identifiers));
    const free = identifiersOf(names).filter((name) => !namesOf(name).some((each) => used.has(each)));
    if (free.length === 0) return;
    const change = { $addToSet: { identifiers: { $each: free } }, $set: { updatedAt: now() } };
    await this.#changeNode(id, change);
  }

  async untag(id: string, tag: string): Promise<boolean> {
    const change = { $pull: { tags: tag }, $set: { updatedAt: now() } };
    return (await this.#changeNode(id, change, { tags: tag })) !== undefined;
  }

  async untagAll(tag: string): Promise<void> {
    for (;;) {
      const storedNodes = await this.#stored.find({ tags: tag }, { limit: NODES_PAGE });
      if (storedNodes.length === 0) return;
      const update = { $pull: { tags: tag }, $set: { updatedAt: now() } };
      const unpublished = await this.#pending.changeEach(
        storedNodes.map(({ id }) => ({ id, filter: { tags: tag }, update, event: nodeEvent('updated', id) })),
      );
      await this.#publisher.publish(unpublished, storedNodes);
    }
  }

  async #touch(ids: readonly string[]): Promise<void> {
    const update = { $set: { updatedAt: now() } };
    await updateAll(
      this.#stored,
      ids.map((id) => ({ id, update })),
    );
  }

  relate(id: string, targets: RelationTargets): Promise<NodeRecord[]> {
    return this.#relationRecords(this.#dependents.relations.add(id, targets));
  }

  unrelate(id: string, targets: RelationTargets): Promise<NodeRecord[]> {
    return this.#relationRecords(this.#dependents.relations.remove(id, targets));
  }

  async #relationRecords(change: Promise<RelationChange>): Promise<NodeRecord[]> {
    const { nodes, unpublished } = await change;
    await this.#touch(nodes);
    const nodeRecords = await this.#byIds(nodes);
    await this.#publisher.publish(unpublished, nodeRecords);
    return nodeRecords;
  }
}
