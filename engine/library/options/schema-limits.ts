/**
 * Limits for user-supplied JSON Schemas, so that neither compiling nor validating can block the thread.
 *
 * 1. A schema has a weight: its objects, with each `$ref` expanded, and its patterns. References multiply (a chain of
 *    ten, each used twice, makes a thousand), so the weight limits the time.
 * 2. A `$ref` points to a location within the schema (`#/...`), without cycles.
 * 3. `uniqueItems` compares all pairs of items, so it requires a `maxItems`.
 */

import { costOf } from '../../platform/patterns/patterns.ts';
import { isObject, type JsonObject, listIn, objectIn, property } from '../../vocabulary/json.ts';
import { keyOfPart } from '../../vocabulary/json-pointer.ts';
import { Rejection } from './rejection.ts';

/** For one schema; it compiles in about 100 ms. */
const WEIGHT_LIMIT = 1_000;
/** For all schemas together in a pack or a graph. */
export const WEIGHTS_LIMIT = 5_000;
/** Size of a pattern that takes as long to compile as one object of a schema. */
const PATTERN_UNIT = 20;
const UNIQUE_LIMIT = 1_000;

/** @returns the weight @throws Rejection */
export function weigh(schema: object): number {
  return new Scale(schema).weight();
}

class Scale {
  readonly #root: object;
  /** By the object that a `$ref` points to. */
  readonly #sizes = new Map<object, number | 'open'>();
  #weight = 0;

  constructor(root: object) {
    this.#root = root;
  }

  weight(): number {
    return this.#of(this.#root, this.#root);
  }

  #of(value: unknown, base: object): number {
    if (Array.isArray(value)) return sum(value.map((inner) => this.#of(inner, base)));
    if (!isObject(value)) return 0;
    const schema = value;
    const inside = typeof schema.$id === 'string' ? schema : base;
    checkUnique(schema);
    const ownSize =
      1 + patternWeight(schema) + (typeof schema.$ref === 'string' ? this.#referredSize(schema.$ref, inside) : 0);
    // Stops early, because a rejected schema need not be counted completely.
    this.#weight += ownSize;
    if (this.#weight > WEIGHT_LIMIT) throw tooHeavy();
    return ownSize + sum(Object.values(schema).map((inner) => this.#of(inner, inside)));
  }

  #referredSize(ref: string, base: object): number {
    const target = targetOf(ref, base);
    const knownSize = this.#sizes.get(target);
    if (knownSize === 'open')
      throw new Rejection(`the $ref '${ref}', which is part of a cycle`, 'a schema without cycles');
    if (knownSize !== undefined) return knownSize;
    this.#sizes.set(target, 'open');
    const weight = this.#of(target, base);
    this.#sizes.set(target, weight);
    return weight;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const tooHeavy = () =>
  new Rejection(
    `a schema with more than ${WEIGHT_LIMIT} objects, with each $ref and pattern expanded`,
    'a smaller schema',
  );

function patternWeight({ pattern, patternProperties }: JsonObject): number {
  const keys =
    typeof patternProperties === 'object' && patternProperties !== null ? Object.keys(patternProperties) : [];
  const patterns = typeof pattern === 'string' ? [...keys, pattern] : keys;
  return sum(patterns.slice(0, WEIGHT_LIMIT + 1).map((one) => 1 + Math.floor(costOf(one, '') / PATTERN_UNIT)));
}

function checkUnique({ uniqueItems, maxItems }: JsonObject): void {
  if (uniqueItems !== true || (typeof maxItems === 'number' && maxItems <= UNIQUE_LIMIT)) return;
  throw new Rejection('uniqueItems without a small maxItems', `maxItems of at most ${UNIQUE_LIMIT} with uniqueItems`);
}

function targetOf(ref: string, base: object): object {
  let target: unknown = ref === '#' || ref.startsWith('#/') ? base : undefined;
  for (const part of ref.split('/').slice(1)) {
    target = property(target, unescapePart(part));
  }
  if (typeof target === 'object' && target !== null) return target;
  throw new Rejection(
    `the $ref '${ref.slice(0, 100)}'`,
    'the location of an object within the schema, such as #/$defs/name',
  );
}

function unescapePart(part: string): string {
  try {
    return keyOfPart(decodeURIComponent(part));
  } catch {
    return part;
  }
}

/** Returns the weight of all schemas in a definition's JSON, including those of tasks within a graph. @throws Rejection */
export function weighDefinition(json: unknown): number {
  const { optionsSchema, tasks } = objectIn(json);
  const inner = listIn(tasks).map((task) => property(task, 'taskDefinition'));
  const schemas = [optionsSchema, ...inner.map((task) => property(task, 'optionsSchema'))];
  return schemas.reduce<number>((weight, schema) => {
    const next = weight + (typeof schema === 'object' && schema !== null ? weigh(schema) : 0);
    if (next <= WEIGHTS_LIMIT) return next;
    throw new Rejection(`schemas with more than ${WEIGHTS_LIMIT} objects in total`, 'smaller or fewer schemas');
  }, 0);
}
