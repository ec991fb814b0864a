/**
 * Tags by rule: nodes whose catalogs match the rules of a tag get it.
 *
 * 1. Nodes get their tags when they are classified: after each new catalog, and all nodes after a tag was created. A tag
 *    is thus given even if the process dies in the meantime.
 * 2. A tag is only added: a node keeps it when its catalogs no longer match, or when the rule is deleted, as users may
 *    have given it too.
 */
import { randomUUID } from 'node:crypto';
import type { NewTag, Page, PagedList, TagRecord, Tags } from '../../api-port/index.ts';
import { pages } from '../../platform/store/pages.ts';
import { type Collection, type CollectionSpec, DuplicateError } from '../../platform/store/port.ts';
import { NodewrightError, rejectViolations } from '../../vocabulary/errors.ts';
import type { Generation } from './generation.ts';
import { Rulebook } from './rulebook.ts';
import { ruleViolations } from './rules.ts';
import type { ClassifiedNode, SkusPort } from './skus-port.ts';

export const tagSpec: CollectionSpec = {
  name: 'tags',
  indexes: { name: 'text', createdAt: 'text', updatedAt: 'text' },
  unique: ['name'],
};

/** Maximum number of tags with rules: all rules are held in memory, and tested for each node. */
export const TAG_RULES = 1_000;
/** Limit of catalogs held in memory; some are megabytes long. */
const CATALOGS_IN_MEMORY = 100;

interface RuledTag {
  name: string;
  book: Rulebook;
}

export class TagRules implements Tags {
  readonly #stored: Collection<TagRecord>;
  readonly #generation: Generation;
  readonly #port: Pick<SkusPort, 'catalogs' | 'tag'>;
  #read = -1;
  #tags: readonly RuledTag[] = [];

  constructor(stored: Collection<TagRecord>, generation: Generation, port: Pick<SkusPort, 'catalogs' | 'tag'>) {
    this.#stored = stored;
    this.#generation = generation;
    this.#port = port;
  }

  async list({ filter, ...page }: Page): Promise<PagedList<TagRecord>> {
    const items = await this.#stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items, total: await this.#stored.count(filter) };
  }

  async get(name: string): Promise<TagRecord | undefined> {
    return (await this.#stored.find({ name }, { limit: 1 }))[0];
  }

  async create({ name, rules }: NewTag): Promise<TagRecord> {
    rejectViolations(ruleViolations(rules));
    // Otherwise the failed write would reclassify all nodes needlessly.
    if ((await this.get(name)) !== undefined) throw duplicateError();
    if ((await this.#stored.count({})) >= TAG_RULES) {
      throw new NodewrightError('CONFLICT', `there are ${TAG_RULES} tags with rules, the maximum; remove one first`);
    }
    const now = new Date().toISOString();
    const tag = { id: randomUUID(), name, rules, createdAt: now, updatedAt: now };
    try {
      await this.#generation.change(() => this.#stored.insert(tag));
    } catch (error) {
      throw error instanceof DuplicateError ? duplicateError() : error;
    }
    return tag;
  }

  async remove(name: string): Promise<boolean> {
    const tag = await this.get(name);
    if (tag === undefined) return false;
    return (await this.#generation.change(() => this.#stored.remove({ id: tag.id }))) > 0;
  }

  /** Gives the nodes the tags that their catalogs match. */
  async apply(nodes: readonly ClassifiedNode[]): Promise<void> {
    for (const { name, book } of await this.#currentTags()) {
      const open = nodes.filter(({ tags = [] }) => !tags.includes(name));
      const group = Math.max(1, Math.floor(CATALOGS_IN_MEMORY / book.sources.length));
      for (let from = 0; from < open.length; from += group)
        await this.#applyOne(name, book, open.slice(from, from + group));
    }
  }

  async #applyOne(name: string, book: Rulebook, nodes: readonly ClassifiedNode[]): Promise<void> {
    const data = await this.#port.catalogs.dataOf(
      nodes.map(({ id }) => id),
      book.sources,
    );
    for (const { id } of nodes) {
      if ((await book.choose(data.get(id) ?? new Map())) !== null) await this.#port.tag(id, [name]);
    }
  }

  /** The generation is read first: a change during the reading increases it, and the tags are read again. */
  async #currentTags(): Promise<readonly RuledTag[]> {
    const { generation } = await this.#generation.read();
    if (generation === this.#read) return this.#tags;
    const tags: RuledTag[] = [];
    for await (const { id, name, rules, createdAt } of pages(this.#stored, {})) {
      tags.push({ name, book: new Rulebook([{ id, rules, createdAt }]) });
    }
    this.#tags = tags;
    this.#read = generation;
    return tags;
  }
}

const duplicateError = () =>
  new NodewrightError('DUPLICATE', 'tag name already exists', {
    violations: [{ path: 'name', message: 'belongs to another tag with rules' }],
  });
