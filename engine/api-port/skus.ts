/** The port of the API to SKUs. */
import { type Static, Type } from 'typebox';
import type { Page, PagedList } from './page.ts';
import { anyObject, nonEmpty, orNull, time } from './schemas.ts';

const RULES = 100;
/** Maximum characters; longer than any pattern that a person writes. */
const EXPRESSION = 1_024;

const list = Type.Optional(Type.Array(Type.Unknown(), { maxItems: 1_000 }));
const part = Type.Optional(Type.String({ maxLength: 4_096, description: 'a part of a text, or an element of a list' }));
const bound = Type.Optional(
  Type.Union([
    Type.Number(),
    Type.String({ maxLength: 100, pattern: '^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?$' }),
  ]),
);
const expression = Type.Optional(
  Type.String({
    maxLength: EXPRESSION,
    description: 'a JavaScript regular expression, not anchored; without look-around and back-references',
  }),
);

const rule = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: 'source.key.key; without an operator: a value exists',
    }),
    equals: Type.Optional(Type.Unknown()),
    in: list,
    notIn: list,
    contains: part,
    notContains: part,
    greaterThan: bound,
    lessThan: bound,
    min: bound,
    max: bound,
    regex: expression,
    notRegex: expression,
  },
  { additionalProperties: false, title: 'SkuRule' },
);

const rules = Type.Array(rule, { minItems: 1, maxItems: RULES, description: 'all of them must match' });
// An index entry holds at most 2,000 bytes.
const name = Type.String({ minLength: 1, maxLength: 256 });
const graph = { discoveryGraphName: nonEmpty, discoveryGraphOptions: anyObject };
const optional = {
  discoveryGraphName: Type.Optional(orNull(nonEmpty)),
  discoveryGraphOptions: Type.Optional(orNull(anyObject)),
};

export const newTag = Type.Object({ name, rules }, { additionalProperties: false });

export const tagRecord = Type.Object(
  { id: nonEmpty, name, rules: Type.Array(rule), createdAt: time, updatedAt: time },
  { title: 'Tag' },
);

export const newSku = Type.Object({ name, rules, ...optional }, { additionalProperties: false });
export const skuChange = Type.Partial(newSku, { additionalProperties: false });

const packInfo = Type.Object(
  { version: orNull(Type.String()), description: orNull(Type.String()), size: Type.Integer(), sha256: nonEmpty },
  { title: 'PackInfo' },
);

const fields = { ...graph, packInfo };

export const skuRecord = Type.Object(
  {
    id: nonEmpty,
    name,
    rules,
    ...Type.Partial(Type.Object(fields)).properties,
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Sku' },
);

/** At least one of the two is required. */
export const matchQuestion = Type.Object(
  { rules: Type.Optional(rules), nodeId: Type.Optional(nonEmpty) },
  { additionalProperties: false, anyOf: [{ required: ['rules'] }, { required: ['nodeId'] }] },
);

const ruleVerdict = Type.Object(
  {
    path: Type.String(),
    /** null: the rule has no operator and only requires that the value exists. */
    operator: orNull(Type.String()),
    expected: Type.Unknown(),
    exists: Type.Boolean(),
    value: Type.Unknown(),
    passed: Type.Boolean(),
  },
  { title: 'RuleVerdict' },
);
const rulesVerdict = Type.Object({ matched: Type.Boolean(), rules: Type.Array(ruleVerdict) });
const skuVerdict = Type.Object({ id: Type.String(), name, ...rulesVerdict.properties });

export const matchAnswer = Type.Union([
  Type.Object({ nodeId: Type.String(), ...rulesVerdict.properties }),
  Type.Object({
    nodeId: Type.String(),
    sku: orNull(Type.String()),
    skus: Type.Array(skuVerdict),
  }),
  Type.Object({ nodes: Type.Array(Type.String()) }),
]);

/** A condition on a catalog value; without an operator, the value must exist. The operators are those of the interface. */
export type SkuRule = Static<typeof rule>;

export type PackInfo = Static<typeof packInfo>;

/** The graph runs on a node when it is discovered with this SKU; null: none. It need not exist yet. */
export type SkuRecord = Omit<Static<typeof skuRecord>, keyof typeof optional | 'packInfo'> &
  Required<Pick<NewSku, keyof typeof optional>> & { packInfo?: PackInfo | null };
export type NewSku = Static<typeof newSku>;

/** null removes the graph or its options. */
export type SkuChange = Static<typeof skuChange>;

/** A tag that nodes get by rules on their catalogs, as SKUs have them. */
export type TagRecord = Static<typeof tagRecord>;
export type NewTag = Static<typeof newTag>;

/** The result of one operator of a rule for a node; long values are truncated. */
export type RuleVerdict = Static<typeof ruleVerdict>;
export type RulesVerdict = Static<typeof rulesVerdict>;
export type SkuVerdict = Static<typeof skuVerdict>;

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

export interface Tags {
  list(page: Page): Promise<PagedList<TagRecord>>;
  get(name: string): Promise<TagRecord | undefined>;
  /** All nodes that match get the tag afterwards. @throws NodewrightError INVALID (a rule), DUPLICATE, CONFLICT (too many) */
  create(input: NewTag): Promise<TagRecord>;
  /** Deletes the rule; nodes keep the tag. @returns false if there is no such rule */
  remove(name: string): Promise<boolean>;
}

export interface Skus {
  list(page: Page): Promise<PagedList<SkuRecord>>;
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
  explainAll(node: string, page: Page): Promise<PagedList<SkuVerdict> & { sku: string | null }>;
  /** Returns the matching nodes of a page of nodes; `total` counts all nodes. @throws NodewrightError INVALID */
  matching(rules: readonly SkuRule[], page: Page): Promise<PagedList<string>>;
}
