/** Baselines: what the nodes of a SKU must have, who differs, and the rollout that would change it. Nothing here starts one. */
import { randomUUID } from 'node:crypto';
import type {
  BaselineChange,
  BaselineRecord,
  BaselineRollout,
  Baselines,
  DriftRecord,
  DriftState,
  NewBaseline,
  ProposableState,
} from '../../api-port/baselines.ts';
import type { Page, PagedList } from '../../api-port/page.ts';
import { goalViolations } from '../../hardware/baseline/baseline-options.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError, rejectViolations, type Violation } from '../../vocabulary/errors.ts';
import type { BaselineDrift } from './baseline-drift.ts';
import { BASELINES, baselineRecordOf, type StoredBaseline } from './stored-baseline.ts';

/** Targets of one rollout. */
const TARGETS = 10_000;
const GRAPH = 'Graph.Baseline.Apply';

export interface BaselinesScope {
  stored: Collection<StoredBaseline>;
  drift: BaselineDrift;
  isSku(id: string): Promise<boolean>;
  /** Makes a change of baselines, after which all nodes are compared again (`baseline-reports.ts`). */
  comparing<T>(change: () => Promise<T>): Promise<T>;
}

type CheckedBaseline = Pick<BaselineRecord, 'sku' | 'firmware' | 'bios' | 'inBand'>;

const stateTexts: Readonly<Record<ProposableState, string>> = {
  differs: 'known to differ from',
  unknown: 'without a catalog that is compared with',
};

const time = (): string => new Date(now()).toISOString();

export class BaselineRequests implements Baselines {
  readonly #scope: BaselinesScope;

  constructor(scope: BaselinesScope) {
    this.#scope = scope;
  }

  async list({ filter, ...page }: Page): Promise<PagedList<BaselineRecord>> {
    const { stored } = this.#scope;
    const items = await stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: items.map(baselineRecordOf), total: await stored.count(filter) };
  }

  async get(id: string): Promise<BaselineRecord | undefined> {
    const stored = await this.#scope.stored.get(id);
    return stored && baselineRecordOf(stored);
  }

  async create({ firmware = [], bios = {}, inBand = [], ...given }: NewBaseline, by?: string): Promise<BaselineRecord> {
    const { stored, comparing } = this.#scope;
    const at = time();
    const times = { createdAt: at, updatedAt: at };
    const record = { id: randomUUID(), ...given, firmware, bios, inBand, ...times, createdBy: by ?? null };
    await this.#check(record);
    if ((await stored.count({})) >= BASELINES)
      throw new NodewrightError('CONFLICT', `there are ${BASELINES} baselines; remove one first`);
    await comparing(() => stored.insert({ ...record, bios: JSON.stringify(bios) }));
    return record;
  }

  async change(id: string, { bios, ...change }: BaselineChange): Promise<BaselineRecord | undefined> {
    const before = await this.get(id);
    if (before === undefined) return undefined;
    await this.#check({ ...before, ...change, bios: bios ?? before.bios });
    const set = { ...change, ...(bios !== undefined && { bios: JSON.stringify(bios) }), updatedAt: time() };
    const { comparing, stored: baselines } = this.#scope;
    const stored = await comparing(() => baselines.update({ id }, { $set: set }));
    return stored && baselineRecordOf(stored);
  }

  async remove(id: string): Promise<boolean> {
    const { comparing, stored } = this.#scope;
    return (await stored.get(id)) !== undefined && (await comparing(() => stored.remove({ id }))) > 0;
  }

  async drift(id: string, page: Page, state?: DriftState): Promise<PagedList<DriftRecord> | undefined> {
    const baseline = await this.get(id);
    return baseline && this.#scope.drift.page(baseline, page, state);
  }

  async rollout(id: string, wanted: ProposableState): Promise<BaselineRollout | undefined> {
    const baseline = await this.get(id);
    if (baseline === undefined) return undefined;
    const { name, firmware, bios, inBand } = baseline;
    const nodes: string[] = [];
    for await (const { node, state } of this.#scope.drift.all(baseline)) {
      if (state === wanted) nodes.push(node);
      if (nodes.length === TARGETS) break;
    }
    if (nodes.length === 0)
      throw new NodewrightError(
        'CONFLICT',
        `no node is ${stateTexts[wanted]} the baseline ${name}; its drift says why`,
      );
    return { name, graph: GRAPH, options: { compare: { firmware, bios, inBand } }, targets: { nodes } };
  }

  /** @throws NodewrightError INVALID, NOT_FOUND */
  async #check(baseline: CheckedBaseline): Promise<void> {
    rejectViolations(baselineViolations(baseline));
    const { sku } = baseline;
    if (!(await this.#scope.isSku(sku))) throw new NodewrightError('NOT_FOUND', `Could not find SKU ${sku}`);
  }
}

/** Violations that no schema shows. */
function baselineViolations({ firmware, bios, inBand }: CheckedBaseline): Violation[] {
  const isEmpty = firmware.length + Object.keys(bios).length + inBand.length === 0;
  const ofContent = isEmpty
    ? [{ path: 'firmware', message: 'is empty, as are bios and inBand; expected one of them' }]
    : [];
  // The names that Redfish permits (AttributeRegistry).
  const ofBios = Object.keys(bios)
    .filter((name) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
    .map((name) => ({ path: 'bios', message: `has ${JSON.stringify(name)}; expected names of letters, digits and _` }));
  return [...ofContent, ...goalViolations({ firmware, inBand }), ...ofBios];
}
