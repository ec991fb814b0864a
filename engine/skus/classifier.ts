/**
 * Assigns each node the SKU that its catalogs match. Code that changes an input has the nodes classified afterwards: a
 * catalog its node, a SKU all nodes.
 *
 * 1. A node's SKU changes by compare-and-set, in one write with its pending event (`outbox/pending-events.ts`), which is
 *    published before the node is classified again: a node's changes are published in their order.
 * 2. After each change the node is classified again: the correct SKU may have changed during classification, and an
 *    earlier reader may have missed the change. Until then the node stays `skuUntold`, so that another process
 *    completes the classification if this one dies.
 * 3. Catalogs are read for a few nodes at a time, and only those that a rule refers to.
 */
import { NodewrightError } from '../define/errors.ts';
import { completeEvents, isComplete, type PendingEvent } from '../outbox/pending-event.ts';
import { pendingOf } from '../outbox/pending-events.ts';
import { actionOf, isSkuChange, skuChangeEvent } from './events.ts';
import type { Rulebook } from './rulebook.ts';
import type { SkuCache } from './sku-cache.ts';
import type { ClassifiedNode, SkusPort } from './skus-port.ts';

/** Limit of catalogs held in memory; some are megabytes long. */
const CATALOGS = 100;
/** Limit of nodes classified together. */
const NODES = 100;
/** Limit of classifications of one node in a row, each caused by a concurrent change. */
const LOOKS = 50;

type Classified = Pick<SkusPort, 'nodes' | 'pending' | 'publisher' | 'moved'> & {
  catalogs: Pick<SkusPort['catalogs'], 'dataOf'>;
};

export class Classifier {
  readonly #port: Classified;
  readonly #cache: SkuCache;
  #closed = false;

  constructor(port: Classified, cache: SkuCache) {
    this.#port = port;
    this.#cache = cache;
  }

  /**
   * @param nodes read just before, at most `NODES`
   * @returns the number of nodes whose SKU changed
   * @throws UNAVAILABLE when the daemon stops; the next classification of the nodes does the rest
   */
  async classify(nodes: readonly ClassifiedNode[]): Promise<number> {
    const moved = new Set<string>();
    let left = nodes;
    for (let look = 0; left.length > 0; look += 1) {
      if (look === LOOKS)
        throw new NodewrightError('CONFLICT', `gave up after ${LOOKS} concurrent changes to the SKU of ${left[0]?.id}`);
      if (this.#closed)
        throw new NodewrightError('UNAVAILABLE', 'the daemon is stopping; another one classifies the nodes');
      await this.#port.publisher.send(left.flatMap((node) => pendingMoves(node)));
      const wanted = await this.#wanted(left);
      const open = await Promise.all(left.map((node) => this.#take(node, wanted.get(node.id) ?? null)));
      const again = left.filter((_, at) => open[at]).map(({ id }) => id);
      for (const id of again) moved.add(id);
      left = again.length === 0 ? [] : await this.#port.nodes.find({ id: { $in: again } });
    }
    return moved.size;
  }

  /** Running classifications stop before their next iteration. */
  close(): void {
    this.#closed = true;
  }

  async byId(ids: readonly string[]): Promise<void> {
    const each = [...new Set(ids)];
    for (let from = 0; from < each.length; from += NODES) {
      await this.classify(await this.#port.nodes.find({ id: { $in: each.slice(from, from + NODES) } }));
    }
  }

  /** @returns the SKU that each node should have, by node id */
  async #wanted(nodes: readonly ClassifiedNode[]): Promise<Map<string, string | null>> {
    const book = await this.#cache.current();
    const wanted = new Map<string, string | null>();
    if (book.size === 0) return wanted;
    const group = Math.max(1, Math.floor(CATALOGS / book.sources.length));
    for (let from = 0; from < nodes.length; from += group) {
      const ids = nodes.slice(from, from + group).map(({ id }) => id);
      for (const [id, sku] of await this.#choices(ids, book)) wanted.set(id, sku);
    }
    return wanted;
  }

  async #choices(ids: readonly string[], book: Rulebook): Promise<[string, string | null][]> {
    const catalogs = await this.#port.catalogs.dataOf(ids, book.sources);
    const choose = async (id: string): Promise<[string, string | null]> => [
      id,
      await book.choose(catalogs.get(id) ?? new Map()),
    ];
    return Promise.all(ids.map(choose));
  }

  /** @returns whether the node has to be classified again */
  async #take(node: ClassifiedNode, sku: string | null): Promise<boolean> {
    const { pending } = this.#port;
    const as = { id: node.id, sku: node.sku, 'skuMove.number': node.skuMove?.number ?? null };
    if (sku === node.sku) {
      if (node.skuUntold !== true) return false;
      const moves = pendingMoves(node).filter(({ id }) => node.untold?.[id] !== undefined);
      const settled = { $set: { skuUntold: false } };
      if ((await pending.delete(as, settled, moves)) !== undefined) return false;
      // The sweep may have published and deleted the events meanwhile.
      return moves.length === 0 || (await pending.delete(as, settled, [])) === undefined;
    }
    const at = new Date().toISOString();
    const move = { number: (node.skuMove?.number ?? 0) + 1, from: node.sku, at };
    const $set = { sku, skuMove: { ...move, pends: true }, skuUntold: true, updatedAt: at };
    const event = skuChangeEvent({ ...move, node: node.id, type: node.type, to: sku });
    const saved = await pending.update(as, { $set }, completeEvents([event]));
    if (saved !== undefined) this.#port.moved(actionOf({ from: node.sku, to: sku }));
    return true;
  }
}

/** Returns the unpublished changes of a node's SKU. In a node of an earlier version, `skuMove` is the last of them. */
function pendingMoves(node: ClassifiedNode): PendingEvent[] {
  const pending = pendingOf(node).filter((event) => isComplete(event) && event.events.every(isSkuChange));
  const { id, type, sku, skuMove, skuUntold } = node;
  if (skuUntold !== true || skuMove === undefined || skuMove.pends) return pending;
  return [completeEvents([skuChangeEvent({ ...skuMove, node: id, type, to: sku })]), ...pending];
}
