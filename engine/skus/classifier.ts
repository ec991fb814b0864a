/**
 * Gives nodes the SKU that they have to have. Whoever changes what that depends on has the nodes classified
 * afterwards: a catalog its node, a SKU all of them.
 *
 * 1. A node's SKU changes by compare-and-set, in one write with the event about it (`skuMove`), which is told only then.
 *    Until it was told the node is `skuUntold`, and whoever finds it so tells it, under the same id.
 * 2. After each change it is looked once more: what the node has to have may have become another while it was found out,
 *    and who was told so may have come too early to see the change. Until then the node stays `skuUntold`, so that this
 *    is made up for when the process dies.
 * 3. Catalogs are read a few nodes at a time, and of a node only those that a rule looks into.
 */
import { NodewrightError } from '../define/errors.ts';
import type { Publication } from '../define/event.ts';
import type { Collection } from '../store/port.ts';
import { actionOf, type MoveAction, moveEvent, type SkuMove } from './events.ts';
import type { KnownSkus } from './known.ts';
import type { CatalogData } from './paths.ts';
import type { Rulebook } from './rulebook.ts';

/** The part of a node that is looked at here. */
export interface ClassifiedNode {
  id: string;
  type: string;
  sku: string | null;
  /** The last one; absent: there was none. */
  skuMove?: Pick<SkuMove, 'number' | 'from' | 'at'>;
  skuUntold?: boolean;
}

export interface ClassifierPort {
  nodes: Collection<ClassifiedNode>;
  /** @returns by node: the data of its latest catalogs from these sources */
  catalogs(nodes: readonly string[], sources: readonly string[]): Promise<Map<string, CatalogData>>;
  known: KnownSkus;
  publish(publications: readonly Publication[]): Promise<void>;
  /** Called once for each change of a node's SKU, when it is saved. */
  moved(action: MoveAction): void;
}

/** Catalogs held at once; some are megabytes long. */
const CATALOGS = 100;
/** Nodes at once. */
const NODES = 100;
/** More changes than that while one node is classified mean that something changes without end. */
const LOOKS = 50;

export class Classifier {
  readonly #port: ClassifierPort;
  #closed = false;

  constructor(port: ClassifierPort) {
    this.#port = port;
  }

  /**
   * @param nodes as they were read a moment ago, at most `NODES`
   * @returns how many got another SKU
   * @throws UNAVAILABLE; what was not done then is done by whoever classifies them next
   */
  async classify(nodes: readonly ClassifiedNode[]): Promise<number> {
    const moved = new Set<string>();
    let left = nodes;
    for (let look = 0; left.length > 0; look += 1) {
      if (look === LOOKS) throw new NodewrightError('CONFLICT', `the SKU of ${left[0]?.id} changes without end`);
      if (this.#closed) throw new NodewrightError('UNAVAILABLE', 'the daemon stops; nodes are classified by the next');
      await this.#port.publish(left.flatMap((node) => untold(node)));
      const wanted = await this.#wanted(left);
      const open = await Promise.all(left.map((node) => this.#take(node, wanted.get(node.id) ?? null)));
      const again = left.filter((_, at) => open[at]).map(({ id }) => id);
      for (const id of again) moved.add(id);
      left = again.length === 0 ? [] : await this.#port.nodes.find({ id: { $in: again } });
    }
    return moved.size;
  }

  /** What is under way ends at its next look. */
  close(): void {
    this.#closed = true;
  }

  async byId(ids: readonly string[]): Promise<void> {
    const each = [...new Set(ids)];
    for (let from = 0; from < each.length; from += NODES) {
      await this.classify(await this.#port.nodes.find({ id: { $in: each.slice(from, from + NODES) } }));
    }
  }

  /** @returns by node: the SKU that it has to have */
  async #wanted(nodes: readonly ClassifiedNode[]): Promise<Map<string, string | null>> {
    const book = await this.#port.known.current();
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
    const catalogs = await this.#port.catalogs(ids, book.sources);
    const choose = async (id: string): Promise<[string, string | null]> => [
      id,
      await book.choose(catalogs.get(id) ?? new Map()),
    ];
    return Promise.all(ids.map(choose));
  }

  /** @returns whether the node has to be looked at once more */
  async #take(node: ClassifiedNode, sku: string | null): Promise<boolean> {
    const { nodes } = this.#port;
    const as = { id: node.id, sku: node.sku, 'skuMove.number': node.skuMove?.number ?? null };
    if (sku === node.sku) {
      if (node.skuUntold !== true) return false;
      return (await nodes.update(as, { $set: { skuUntold: false } })) === undefined;
    }
    const at = new Date().toISOString();
    const skuMove = { number: (node.skuMove?.number ?? 0) + 1, from: node.sku, at };
    const saved = await nodes.update(as, { $set: { sku, skuMove, skuUntold: true, updatedAt: at } });
    if (saved !== undefined) this.#port.moved(actionOf({ from: node.sku, to: sku }));
    return true;
  }
}

const untold = ({ id, type, sku, skuMove, skuUntold }: ClassifiedNode): Publication[] =>
  skuUntold !== true || skuMove === undefined ? [] : [moveEvent({ ...skuMove, node: id, type, to: sku })];
