/** SKUs, as the API asks for them. */
import type { Fault } from '../define/errors.ts';
import type { Page, Paged } from './page.ts';

/** A value of a catalog, and what it must be; without an operator: that it is there. The words are the interface's. */
export interface SkuRule {
  /** The catalog's source, then keys in its data, with dots between. */
  path: string;
  equals?: unknown;
  in?: unknown[];
  notIn?: unknown[];
  contains?: string;
  notContains?: string;
  /** The bounds: a number, or one written as a string. */
  greaterThan?: number | string;
  lessThan?: number | string;
  min?: number | string;
  max?: number | string;
  /** JavaScript regular expressions, not anchored. */
  regex?: string;
  notRegex?: string;
}

export interface SkuRecord {
  id: string;
  name: string;
  rules: SkuRule[];
  /** Runs on a node that is discovered as one of this SKU; null: none does. It need not exist yet. */
  discoveryGraphName: string | null;
  discoveryGraphOptions: Record<string, unknown> | null;
  /** Of the pack that it has. */
  packInfo?: PackInfo | null;
  /** Rules with patterns that are not supported, taken by an earlier version: they match nothing. */
  unsupported?: Fault[];
  createdAt: string;
  updatedAt: string;
}

export interface PackInfo {
  /** As config.json has them, for display. */
  version: string | null;
  description: string | null;
  /** Bytes of the archive, and its checksum, hexadecimal. */
  size: number;
  sha256: string;
}

export type NewSku = Pick<SkuRecord, 'name' | 'rules'> &
  Partial<Pick<SkuRecord, 'discoveryGraphName' | 'discoveryGraphOptions'>>;

/** null takes a graph or its options away. */
export type SkuChange = Partial<NewSku>;

/** SKU packs: what a SKU brings for its nodes. An archive is read once, from its beginning, and no further than allowed. */
export interface Packs {
  /**
   * Makes the SKU that the pack describes.
   * @param check throws when this is not what a client may say of a new SKU
   * @throws NodewrightError INVALID (what is wrong with the pack), TOO_LARGE, DUPLICATE (name), CONFLICT
   */
  register(archive: AsyncIterable<Uint8Array>, check: (sku: unknown) => void): Promise<SkuRecord>;
  /** In place of the one that the SKU has. @throws as `register` @returns undefined: there is no such SKU */
  put(id: string, archive: AsyncIterable<Uint8Array>): Promise<SkuRecord | undefined>;
  /** Harmless when it has none. @returns false: there is no such SKU */
  remove(id: string): Promise<boolean>;
}

/** What one operator of a rule says of a node. */
export interface RuleVerdict {
  path: string;
  /** null: the rule has none, and asks only whether the value is there. */
  operator: string | null;
  /** One that is long is cut. */
  expected: unknown;
  exists: boolean;
  /** null when there is none; one that is long is cut. */
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
  /** @throws NodewrightError INVALID, DUPLICATE @returns undefined: there is no such SKU */
  update(id: string, change: SkuChange): Promise<SkuRecord | undefined>;
  /** @returns false when it is not there */
  remove(id: string): Promise<boolean>;
  /** What the rules say of a node. @throws NodewrightError INVALID */
  explain(rules: readonly SkuRule[], node: string): Promise<RulesVerdict>;
  /** What a page of SKUs say of a node, and which of all of them it has to have; null: none. */
  explainAll(node: string, page: Page): Promise<Paged<SkuVerdict> & { sku: string | null }>;
  /** Those of a page of nodes that match; `total` counts all nodes. @throws NodewrightError INVALID */
  matching(rules: readonly SkuRule[], page: Page): Promise<Paged<string>>;
}
