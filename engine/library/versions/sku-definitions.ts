/**
 * Definitions from a SKU's pack. They are registered as `Name::<sku id>` and override `Name` on nodes of that SKU: at
 * launch, and in the graphs that run there, including graphs from other sources.
 */
import { validator } from '../../platform/validation/validator.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { objectIn } from '../../vocabulary/json.ts';
import { definitionName } from '../forms/definition-name.ts';
import { Rejection } from '../options/rejection.ts';
import type { Authorship } from '../types.ts';

export interface Definition {
  what: 'graph' | 'task';
  /** The registered name. */
  name: string;
  sku: string;
  /** One of the two: the list-of-tasks JSON, or the text of a module. */
  json?: unknown;
  text?: string;
  /** The name by the path of its file, for a graph without one of its own. */
  byPath?: string;
  /** Its file in the pack. */
  file?: string;
  put?: Authorship;
  /** Why the file cannot be read; it has neither JSON nor a text then. */
  rejection?: { found: string; expected: string; violations?: readonly Violation[] };
}

export const skuDefinitionName = (name: string, sku: string): string => `${name}::${sku}`;

/** Returns the name without a SKU. */
export const plainName = (registered: string): string => registered.split('::', 1)[0] as string;

/** Returns the plain name; undefined if it belongs to another SKU, or to none. */
export function nameBehind(registered: string, sku: string): string | undefined {
  const suffix = skuDefinitionName('', sku);
  return registered.endsWith(suffix) ? registered.slice(0, -suffix.length) : undefined;
}

/** @param json as in the pack @throws Rejection */
export function namedFor(sku: string, what: Definition['what'], json: unknown): Definition {
  const plain = objectIn(json);
  const { injectableName } = plain;
  if (!validator.accepts(definitionName, injectableName) || injectableName.includes('::')) {
    throw new Rejection('a definition without a valid name', "an injectableName without '::'");
  }
  const name = skuDefinitionName(injectableName, sku);
  return { what, name, sku, json: { ...plain, injectableName: name } };
}
