/** The port of the API to SKUs. */
import type { Page, Paged } from './page.ts';

/**
 * A condition on a catalog value; without an operator, the value must exist. The operators are those of the interface.
 */
export interface SkuRule {
  /** The catalog's source and the keys in its data, separated by dots. */
  path: string;
  equals?: unknown;
  in?: unknown[];
  notIn?: unknown[];
  contains?: string;
  notContains?: string;
  /** Bounds: a number, or a string with a number. */
  greaterThan?: number | string;
  lessThan?: number | string;
  min?: number | string;
  max?: number | string;
  /** Unanchored JavaScript regular expressions. */
  regex?: string;
  notRegex?: string;
}

export interface SkuRecord {
  id: string;
  name: string;
  rules: SkuRule[];
  /** The graph that runs on a node when it is discovered with this SKU; null: none. It need not exist yet. */
  discoveryGraphName: string | null;
  discoveryGraphOptions: Record<string, unknown> | null;
  /** About the SKU's pack. */
  packInfo?: PackInfo | null;
  createdAt: string;
  updatedAt: string;
}

export interface PackInfo {
  /** From config.json, for display. */
  version: string | null;
  description: string | null;
  /** Size of the archive in bytes, and its checksum, hexadecimal. */
  size: number;
  sha256: string;
}

export type NewSku = Pick<SkuRecord, 'name' | 'rules'> &
  Partial<Pick<SkuRecord, 'discoveryGraphName' | 'discoveryGraphOptions'>>;

/** null removes the graph or its options. */
export type SkuChange = Partial<NewSku>;

/** SKU packs: files and definitions for a SKU's nodes. An archive is read once, as a stream, up to the size limit. */
export interface Packs {
  /**
   * Creates the SKU that the pack describes.
   * @param by the user
   * @param check throws if a client may not create such a SKU
   * @throws NodewrightError INVALID (what is wrong with the pack), TOO_LARGE, DUPLICATE (name), CONFLICT
   */
  register(archive: AsyncIterable<Uint8Array>, check: (sku: unknown) => void, by?: string): Promise<SkuRecord>;
  /** Replaces the SKU's pack. @throws as `register` @returns undefined if there is no such SKU */
  put(id: string, archive: AsyncIterable<Uint8Array>, by?: string): Promise<SkuRecord | undefined>;
  /** Deletes the SKU's pack, if any. @returns false if there is no such SKU */
  remove(id: string): Promise<boolean>;
}

/** A tag that nodes get by rules on their catalogs, as SKUs have them. */
export interface TagRecord {
  id: string;
  name: string;
  rules: SkuRule[];
  createdAt: string;
  updatedAt: string;
}

export type NewTag = Pick<TagRecord, 'name' | 'rules'>;

export interface Tags {
  list(page: Page): Promise<Paged<TagRecord>>;
  get(name: string): Promise<TagRecord | undefined>;
  /** All nodes that match get the tag afterwards. @throws NodewrightError INVALID (a rule), DUPLICATE, CONFLICT (too many) */
  create(input: NewTag): Promise<TagRecord>;
  /** Deletes the rule; nodes keep the tag. @returns false if there is no such rule */
  remove(name: string): Promise<boolean>;
}

/** The result of one operator of a rule for a node. */
export interface RuleVerdict {
  path: string;
  /** null: the rule has no operator and only requires that the value exists. */
  operator: string | null;
  /** Truncated if long. */
  expected: unknown;
  exists: boolean;
  /** null if there is none; truncated if long. */
  value: unknown;
  passed: boolean;
}

export interface RulesVerdict {
  matched: boolean;
  rules: RuleVerdict[];
}

export interface SkuVerdict extends RulesVerdict {
  id: string;
  name: string;
}

export interface Skus {
  list(page: Page): Promise<Paged<SkuRecord>>;
  get(id: string): Promise<SkuRecord | undefined>;
  /** @throws NodewrightError INVALID (a rule), DUPLICATE (name), CONFLICT (too many) */
  create(input: NewSku): Promise<SkuRecord>;
  /** @throws NodewrightError INVALID, DUPLICATE @returns undefined if there is no such SKU */
  update(id: string, change: SkuChange): Promise<SkuRecord | undefined>;
  /** @returns false if there is no such SKU */
  remove(id: string): Promise<boolean>;
  /** Returns the result of the rules for a node. @throws NodewrightError INVALID */
  explain(rules: readonly SkuRule[], node: string): Promise<RulesVerdict>;
  /** Returns the results of a page of SKUs for a node, and which of all SKUs the node should have; null: none. */
  explainAll(node: string, page: Page): Promise<Paged<SkuVerdict> & { sku: string | null }>;
  /** Returns the matching nodes of a page of nodes; `total` counts all nodes. @throws NodewrightError INVALID */
  matching(rules: readonly SkuRule[], page: Page): Promise<Paged<string>>;
}
