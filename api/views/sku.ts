/** The API records of a SKU and of match explanations. */
import { Type } from 'typebox';
import type { SkuRecord } from '../../engine/api-port/index.ts';
import { anyObject, nonEmpty, orNull, redacted, time } from './common.ts';
import { projection } from './projection.ts';

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
export const tagView = projection(tagRecord);

export const newSku = Type.Object({ name, rules, ...optional }, { additionalProperties: false });
export const skuChange = Type.Partial(newSku, { additionalProperties: false });

const packInfo = Type.Object(
  { version: orNull(Type.String()), description: orNull(Type.String()), size: Type.Integer(), sha256: nonEmpty },
  { title: 'PackInfo' },
);

const own = { ...graph, packInfo };

export const skuRecord = Type.Object(
  {
    id: nonEmpty,
    name,
    rules,
    ...Type.Partial(Type.Object(own)).properties,
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Sku' },
);

/** null is left out. */
export const skuView = projection(skuRecord, {
  discoveryGraphName: ({ discoveryGraphName: name }: SkuRecord) => name ?? undefined,
  discoveryGraphOptions: ({ discoveryGraphOptions: options }: SkuRecord) => redacted(options) ?? undefined,
  packInfo: ({ packInfo }: SkuRecord) => packInfo ?? undefined,
});

/** At least one of the two is required. */
export const matchQuestion = Type.Object(
  { rules: Type.Optional(rules), nodeId: Type.Optional(nonEmpty) },
  { additionalProperties: false, anyOf: [{ required: ['rules'] }, { required: ['nodeId'] }] },
);

const ruleVerdict = Type.Object(
  {
    path: Type.String(),
    operator: orNull(Type.String()),
    expected: Type.Unknown(),
    exists: Type.Boolean(),
    value: Type.Unknown(),
    passed: Type.Boolean(),
  },
  { title: 'RuleVerdict' },
);
const verdict = { matched: Type.Boolean(), rules: Type.Array(ruleVerdict) };

export const matchAnswer = Type.Union([
  Type.Object({ nodeId: Type.String(), ...verdict }),
  Type.Object({
    nodeId: Type.String(),
    sku: orNull(Type.String()),
    skus: Type.Array(Type.Object({ id: Type.String(), name, ...verdict })),
  }),
  Type.Object({ nodes: Type.Array(Type.String()) }),
]);
