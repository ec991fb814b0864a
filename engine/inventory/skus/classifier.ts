/**
 * Assigns each node the SKU, and the tags, that its catalogs match. Code that changes an input has the nodes classified afterwards: a
 * catalog its node, a SKU all nodes.
 *
 * 1. A node's SKU changes by compare-and-set, in one write with its pending event (`events/outbox/pending-events.ts`), which is
 *    published before the node is classified again: a node's changes are published in their order.
 * 2. After each change the node is classified again: the correct SKU may have changed during classification, and an
 *    earlier reader may have missed the change. Until then the node stays `skuPending`, so that another process
 *    completes the classification if this one dies.
 * 3. The nodes of a page are changed in one request. If a concurrent change prevented one of them, the nodes are read
 *    again, and those that are not settled are classified again.
 * 4. A node that cannot be classified delays no other. It is reported, and stays `skuPending`: a later pass tries again.
 */
import { randomUUID } from 'node:crypto';
import { completeEvents, isComplete, type PendingEvent } from '../../events/outbox/pending-event.ts';
import { type PendingUpdate, pendingOf } from '../../events/outbox/pending-events.ts';
import { togetherOrAlone } from '../../platform/lib/together-or-alone.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { Choices, type ReadCatalogs } from './choices.ts';
import { actionOf, isSkuChange, skuChangeEvent } from './events.ts';
import type { SkuCache } from './sku-cache.ts';
import type { ClassifiedNode, SkusPort } from './skus-port.ts';
import type { TagRules } from './tag-rules.ts';

/** Limit of nodes classified together. */
const NODES_PER_GROUP = 100;
/** Limit of classifications of one node in a row, each caused by a concurrent change. */
const LOOKS = 50;

type ClassifierPort = Pick<SkusPort, 'nodes' | 'pending' | 'publisher' | 'moved' | 'classified' | 'failed'> & {
  catalogs: ReadCatalogs;
  /** Called before nodes are stored as classified, so that a crash repeats it. */
  settled(nodes: readonly ClassifiedNode[]): Promise<void>;
};

type MovedNode = ClassifiedNode & Required<Pick<ClassifiedNode, 'skuMove'>>;

interface NodeChange {
  before: ClassifiedNode;
  update: PendingUpdate;
  /** The node after its SKU changed. Absent: the node has the correct SKU, and is settled. */
  after?: MovedNode;
}

interface Classification {
  /** The number of nodes whose SKU changed. */
  changed: number;
  /** By the id of each node that could not be classified. */
  errors: ReadonlyMap<string, unknown>;
}

export class Classifier {
  readonly #port: ClassifierPort;
  readonly #cache: SkuCache;
  readonly #tags: Pick<TagRules, 'apply'>;
  #closed = false;

  constructor(port: ClassifierPort, cache: SkuCache, tags: Pick<TagRules, 'apply'>) {
    this.#port = port;
    this.#tags = tags;
    this.#cache = cache;
  }

  /**
   * @param nodes read just before, at most `NODES_PER_GROUP`
   * @throws UNAVAILABLE when the daemon stops; the next classification of the nodes does the rest
   */
  async classify(nodes: readonly ClassifiedNode[]): Promise<Classification> {
    let changed = 0;
    const errors = await togetherOrAlone(nodes, async (some) => {
      changed += await this.#classifyTogether(some);
    });
    for (const [{ id }, error] of errors) {
      this.#port.failed(error);
      await this.#port.nodes.update({ id }, { $set: { skuPending: true } });
    }
    return { changed, errors: new Map([...errors].map(([{ id }, error]) => [id, error])) };
  }

  async #classifyTogether(nodes: readonly ClassifiedNode[]): Promise<number> {
    await this.#tags.apply(nodes);
    const choices = new Choices(this.#port.catalogs, this.#cache);
    const moved = new Set<string>();
    let remainingNodes = nodes;
    for (let look = 0; remainingNodes.length > 0; look += 1) {
      if (look === LOOKS)
        throw new NodewrightError(
          'CONFLICT',
          `gave up after ${LOOKS} concurrent changes to the SKU of ${remainingNodes[0]?.id}`,
        );
      if (this.#closed)
        throw new NodewrightError('UNAVAILABLE', 'the daemon is stopping; another one classifies the nodes');
      await this.#port.publisher.send(remainingNodes.flatMap((node) => pendingChanges(node)));
      const skuOf = await choices.of(remainingNodes.map(({ id }) => id));
      remainingNodes = await this.#save(remainingNodes.flatMap((node) => changeOf(node, skuOf(node.id)) ?? []));
      for (const { id } of remainingNodes) moved.add(id);
    }
    await this.#port.classified(nodes.map(({ id }) => id));
    return moved.size;
  }

  /** Running classifications stop before their next iteration. */
  close(): void {
    this.#closed = true;
  }

  /** @returns the errors of the nodes that could not be classified, by id */
  async byId(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const errors = new Map<string, unknown>();
    const each = [...new Set(ids)];
    for (let from = 0; from < each.length; from += NODES_PER_GROUP) {
      const nodes = await this.#port.nodes.find({ id: { $in: each.slice(from, from + NODES_PER_GROUP) } });
      for (const [id, error] of (await this.classify(nodes)).errors) errors.set(id, error);
    }
    return errors;
  }

  /** @returns the nodes that have to be classified again */
  async #save(changes: readonly NodeChange[]): Promise<readonly ClassifiedNode[]> {
    if (changes.length === 0) return [];
    await this.#port.settled(changes.flatMap(({ before, after }) => (after === undefined ? before : [])));
    const savedCount = await this.#port.pending.updateEach(changes.map(({ update }) => update));
    const moved = changes.flatMap(({ after }) => after ?? []);
    if (savedCount === changes.length) {
      this.#countChanges(moved);
      return moved;
    }
    const currentNodes = await this.#port.nodes.find({ id: { $in: changes.map(({ before }) => before.id) } });
    const now = new Map(currentNodes.map((node) => [node.id, node]));
    this.#countChanges(moved.filter((after) => isMoved(after, now.get(after.id))));
    const settled = new Set(changes.filter((change) => isSettled(change, now)).map(({ before }) => before.id));
    return currentNodes.filter(({ id }) => !settled.has(id));
  }

  #countChanges(moved: readonly MovedNode[]): void {
    for (const { sku, skuMove } of moved) this.#port.moved(actionOf({ from: skuMove.from, to: sku }));
  }
}

/** @returns undefined when the node has its SKU and is settled */
function changeOf(node: ClassifiedNode, sku: string | null): NodeChange | undefined {
  const as = { id: node.id, filter: { sku: node.sku, 'skuMove.number': node.skuMove?.number ?? null } };
  if (sku === node.sku) {
    if (node.skuPending !== true) return undefined;
    return {
      before: node,
      update: { ...as, update: { $set: { skuPending: false } }, published: pendingChanges(node) },
    };
  }
  const at = new Date().toISOString();
  const move = { number: (node.skuMove?.number ?? 0) + 1, from: node.sku, at };
  const changed = { sku, skuMove: { ...move, token: randomUUID() }, skuPending: true };
  const event = completeEvents([skuChangeEvent({ ...move, node: node.id, type: node.type, to: sku })]);
  return {
    before: node,
    update: { ...as, update: { $set: { ...changed, updatedAt: at } }, event },
    after: { ...node, ...changed, pending: { ...node.pending, [event.id]: event } },
  };
}

const isMoved = ({ sku, skuMove }: MovedNode, now: ClassifiedNode | undefined): boolean =>
  now?.sku === sku && now.skuMove?.number === skuMove.number && now.skuMove.token === skuMove.token;

/** The sweep may have deleted the published events in the meantime; the node is then classified once more. */
function isSettled({ before, after }: NodeChange, now: ReadonlyMap<string, ClassifiedNode>): boolean {
  const node = now.get(before.id);
  if (after !== undefined || node === undefined) return false;
  return node.skuPending !== true && node.sku === before.sku && node.skuMove?.number === before.skuMove?.number;
}

/** Returns the unpublished changes of a node's SKU. */
const pendingChanges = (node: ClassifiedNode): PendingEvent[] =>
  pendingOf(node).filter((event) => isComplete(event) && event.events.every(isSkuChange));
