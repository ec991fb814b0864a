/** How the nodes of a SKU differ from a baseline, by their latest catalogs: of discoveries, or of the last comparison or update. */
import type { BaselineRecord, DriftRecord, DriftState } from '../../api-port/baselines.ts';
import type { CatalogRecord, Page, PagedList } from '../../api-port/index.ts';
import { deviceDrift, deviceSources } from '../../hardware/firmware/device-drift.ts';
import type { StoredNode } from '../../inventory/nodes/stored-node.ts';
import { groupBy } from '../../platform/lib/group-by.ts';
import { pause } from '../../platform/lib/pause.ts';
import { groups, pages, picking } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { baselineDifferences } from '../../vocabulary/baseline-differences.ts';
import { listIn, property } from '../../vocabulary/json.ts';

export interface DriftScope {
  storedNodes: Pick<Collection<StoredNode>, 'pick' | 'count'>;
  catalogs: { latestOfSources(page: Page): Promise<PagedList<CatalogRecord>> };
}

type Goal = Pick<BaselineRecord, 'sku' | 'firmware' | 'bios' | 'inBand'>;
type PickedNode = Pick<StoredNode, 'id' | 'name'>;

/** Nodes whose catalogs are in memory together. */
const TOGETHER = 25;
const FIRMWARE = 'redfish-firmware';
const BIOS = 'redfish-bios';

export class BaselineDrift {
  readonly #scope: DriftScope;

  constructor(scope: DriftScope) {
    this.#scope = scope;
  }

  /** @param page in the order of the ids of nodes */
  async page(goal: Goal, { skip, limit }: Page, state?: DriftState): Promise<PagedList<DriftRecord>> {
    if (state !== undefined) return this.#inState(goal, { skip, limit }, state);
    const { storedNodes } = this.#scope;
    const nodes = await storedNodes.pick(['name'], ofSku(goal), { sort: { id: 1 }, skip, limit });
    return { items: await this.of(goal, nodes), total: await storedNodes.count(ofSku(goal)) };
  }

  /** @param nodes of the SKU of the goal */
  async of(goal: Goal, nodes: readonly PickedNode[]): Promise<DriftRecord[]> {
    const records: DriftRecord[] = [];
    for (let from = 0; from < nodes.length; from += TOGETHER)
      records.push(...(await this.#judge(goal, nodes.slice(from, from + TOGETHER))));
    return records;
  }

  /** All nodes are judged, because the state is in no index. */
  async #inState(goal: Goal, { skip, limit }: Pick<Page, 'skip' | 'limit'>, state: DriftState) {
    const items: DriftRecord[] = [];
    let total = 0;
    for await (const record of this.all(goal)) {
      if (record.state !== state) continue;
      if (total >= skip && items.length < limit) items.push(record);
      total += 1;
    }
    return { items, total };
  }

  async *all(goal: Goal): AsyncGenerator<DriftRecord> {
    const nodes = pages(picking(this.#scope.storedNodes, ['name']), ofSku(goal));
    for await (const group of groups(nodes, TOGETHER)) {
      yield* await this.#judge(goal, group);
      await pause();
    }
  }

  async #judge(goal: Goal, nodes: readonly PickedNode[]): Promise<DriftRecord[]> {
    const sources = [
      ...(goal.firmware.length > 0 ? [FIRMWARE] : []),
      ...(Object.keys(goal.bios).length > 0 ? [BIOS] : []),
      ...deviceSources(goal.inBand),
    ];
    const filter = { node: { $in: nodes.map(({ id }) => id) }, source: { $in: sources } };
    const limit = nodes.length * sources.length;
    const { items } =
      limit === 0 ? { items: [] } : await this.#scope.catalogs.latestOfSources({ filter, skip: 0, limit });
    const byNode = new Map(groupBy(items, ({ node }) => node));
    return nodes.map((node) => driftOf(goal, node, sources, byNode.get(node.id) ?? []));
  }
}

const ofSku = ({ sku }: Goal) => ({ sku });

function driftOf(
  goal: Goal,
  { id: node, name }: PickedNode,
  sources: readonly string[],
  catalogs: readonly CatalogRecord[],
): DriftRecord {
  const dataOf = (source: string) => catalogs.find((catalog) => catalog.source === source)?.data;
  const [readAt = null] = catalogs.map(({ createdAt }) => createdAt).sort();
  const devices = deviceDrift(goal.inBand, dataOf);
  const lacks = [...new Set([...sources.filter((source) => dataOf(source) === undefined), ...devices.lacks])];
  if (lacks.length > 0) return { node, name, state: 'unknown', differences: devices.differences, lacks, readAt };
  const machine = { components: listIn(dataOf(FIRMWARE)), attributes: property(dataOf(BIOS), 'Attributes') };
  const differences = [...baselineDifferences(goal, machine), ...devices.differences];
  return { node, name, state: differences.length > 0 ? 'differs' : 'matches', differences, lacks, readAt };
}
