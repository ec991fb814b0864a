/** Requests about SKUs. `inventory/skus/` assigns them to nodes. */
import { randomUUID } from 'node:crypto';
import type { Page, PagedList } from '../../api-port/index.ts';
import type { NewSku, RulesVerdict, SkuChange, SkuRecord, SkuRule, Skus, SkuVerdict } from '../../api-port/skus.ts';
import { DuplicateError } from '../../platform/store/port.ts';
import { NodewrightError, rejectViolations } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import type { CatalogsBySource } from './paths.ts';
import { Rulebook } from './rulebook.ts';
import { checksOf, explain, ruleViolations } from './rules.ts';
import type { OpenSkus } from './skus.ts';
import { SKUS, type StoredPack, type StoredSku } from './stored-sku.ts';

/** Encrypts the secrets in the options of a graph, which need not exist yet. */
export type EncryptOptions = (graph: string | null, options: JsonObject) => Promise<JsonObject>;

/** Limit of catalogs held in memory. */
const CATALOGS_IN_MEMORY = 100;
const nothing: CatalogsBySource = new Map();

/** The packs, as the requests for SKUs need them. */
interface PacksOfSkus {
  /** Notifies all daemons that packs changed. */
  announce(): Promise<void>;
  /** Deletes a pack that its SKU no longer refers to. */
  forget(pack: StoredPack): Promise<void>;
}

export class SkuRequests implements Skus {
  readonly #skus: OpenSkus['requests'];
  readonly #encrypt: EncryptOptions | undefined;
  readonly #packs: PacksOfSkus | undefined;

  /** @param encrypt absent: nothing is encrypted. @param packs absent: no SKU has a pack */
  constructor(skus: OpenSkus['requests'], encrypt?: EncryptOptions, packs?: PacksOfSkus) {
    this.#skus = skus;
    this.#encrypt = encrypt;
    this.#packs = packs;
  }

  async list({ filter, ...page }: Page): Promise<PagedList<SkuRecord>> {
    const { stored } = this.#skus;
    const items = await stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: items, total: await stored.count(filter) };
  }

  get(id: string): Promise<SkuRecord | undefined> {
    return this.#skus.stored.get(id);
  }

  /** @param more further fields, such as a pack */
  async create(input: NewSku, more: Partial<StoredSku> = {}): Promise<SkuRecord> {
    await this.reject(input);
    const now = new Date().toISOString();
    const none = { discoveryGraphName: null, discoveryGraphOptions: null };
    const options = await this.#encryptOptions(input, null);
    const sku: StoredSku = { id: randomUUID(), ...none, ...input, ...options, ...more, createdAt: now, updatedAt: now };
    await this.#write(() => this.#skus.stored.insert(sku));
    return sku;
  }

  /** Throws the errors of `create` that can be known in advance. */
  async reject({ name, rules }: NewSku): Promise<void> {
    rejectViolations(ruleViolations(rules));
    await this.#rejectTaken(name, '');
    if ((await this.#skus.stored.count({})) < SKUS) return;
    throw new NodewrightError('CONFLICT', `there are ${SKUS} SKUs, the maximum; remove one first`);
  }

  async update(id: string, change: SkuChange): Promise<SkuRecord | undefined> {
    const { stored } = this.#skus;
    rejectViolations(ruleViolations(change.rules ?? []));
    const before = await stored.get(id);
    if (before === undefined) return undefined;
    const options = await this.#encryptOptions(change, before.discoveryGraphName);
    if (change.name !== undefined) await this.#rejectTaken(change.name, id);
    return this.#write(() =>
      stored.update({ id }, { $set: { ...change, ...options, updatedAt: new Date().toISOString() } }),
    );
  }

  async remove(id: string): Promise<boolean> {
    const { stored } = this.#skus;
    const sku = await stored.get(id);
    if (sku === undefined) return false;
    if ((await this.#write(() => stored.remove({ id }))) === 0) return false;
    if (sku.pack && this.#packs !== undefined) {
      await this.#packs.announce();
      await this.#packs.forget(sku.pack);
    }
    return true;
  }

  async #encryptOptions({ discoveryGraphName, discoveryGraphOptions: options }: SkuChange, before: string | null) {
    if (this.#encrypt === undefined || options === undefined || options === null) return {};
    return { discoveryGraphOptions: await this.#encrypt(discoveryGraphName ?? before, options) };
  }

  /** Checked before the write, which would otherwise reclassify all nodes needlessly. */
  async #rejectTaken(name: string, owner: string): Promise<void> {
    const [otherSku] = await this.#skus.stored.find({ name }, { limit: 1 });
    if (otherSku !== undefined && otherSku.id !== owner) throw duplicateError(otherSku.id);
  }

  async #write<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await this.#skus.generation.change(write);
    } catch (error) {
      throw error instanceof DuplicateError ? duplicateError() : error;
    }
  }

  async explain(rules: readonly SkuRule[], node: string): Promise<RulesVerdict> {
    rejectViolations(ruleViolations(rules));
    const checks = checksOf(rules);
    const catalogs = await this.#catalogsOf(node, sourcesOf(checks));
    return explain(checks, catalogs);
  }

  async explainAll(node: string, page: Page): Promise<PagedList<SkuVerdict> & { sku: string | null }> {
    const book = await this.#skus.cache.currentRulebook();
    const { items, total } = await this.list(page);
    const each = items.map(({ id, name, rules }) => ({ id, name, checks: checksOf(rules) }));
    const sources = new Set([...book.sources, ...sourcesOf(each.flatMap(({ checks }) => checks))]);
    const catalogs = await this.#catalogsOf(node, [...sources]);
    const verdicts: SkuVerdict[] = [];
    for (const { id, name, checks } of each) verdicts.push({ id, name, ...(await explain(checks, catalogs)) });
    return { items: verdicts, total, sku: await book.choose(catalogs) };
  }

  async #catalogsOf(node: string, sources: readonly string[]): Promise<CatalogsBySource> {
    return (await this.#skus.catalogs.dataOf([node], sources)).get(node) ?? nothing;
  }

  async matching(rules: readonly SkuRule[], { filter, ...page }: Page): Promise<PagedList<string>> {
    rejectViolations(ruleViolations(rules));
    const { nodes, catalogs } = this.#skus;
    const book = new Rulebook([{ id: 'given', rules: [...rules], createdAt: '' }]);
    const classifiedNodes = await nodes.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    const size = Math.max(1, Math.floor(CATALOGS_IN_MEMORY / book.sources.length));
    const items: string[] = [];
    for (let from = 0; from < classifiedNodes.length; from += size) {
      const ids = classifiedNodes.slice(from, from + size).map(({ id }) => id);
      const data = await catalogs.dataOf(ids, book.sources);
      const chosen = await Promise.all(ids.map((id) => book.choose(data.get(id) ?? nothing)));
      items.push(...ids.filter((_, at) => chosen[at] !== null));
    }
    return { items, total: await nodes.count(filter) };
  }
}

const sourcesOf = (checks: ReturnType<typeof checksOf>): string[] => [
  ...new Set(checks.map(({ path }) => path.source)),
];

/** @param otherId id of the SKU that has the name, unless it got it a moment ago */
const duplicateError = (otherId?: string) =>
  new NodewrightError('DUPLICATE', 'duplicate name found', {
    violations: [
      {
        path: 'name',
        message: `belongs to ${otherId === undefined ? 'another SKU' : `the SKU ${otherId}`}; choose another name, or change that SKU`,
      },
    ],
  });
