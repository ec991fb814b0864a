/**
 * Definitions that a SKU's pack brings. They are registered as `Name::<sku id>`, and stand for `Name` on nodes of that
 * SKU: in a launch, and in the graphs that run there, also those of others.
 */
import { Refusal } from './refusal.ts';
import type { Json } from './types.ts';

export interface Definition {
  what: 'graph' | 'task';
  /** As it is registered. */
  name: string;
  sku: string;
  /** One of the two: the list-of-tasks JSON, or the text of a module. */
  json?: unknown;
  text?: string;
}

export const packedName = (name: string, sku: string): string => `${name}::${sku}`;

/** The name that it stands for; undefined: it is of another SKU, or of none. */
export function nameBehind(registered: string, sku: string): string | undefined {
  const suffix = packedName('', sku);
  return registered.endsWith(suffix) ? registered.slice(0, -suffix.length) : undefined;
}

/** @param json as the pack has it. @throws Refusal */
export function namedFor(sku: string, what: Definition['what'], json: unknown): Definition {
  const plain = (typeof json === 'object' && json !== null ? json : {}) as Json;
  const { injectableName } = plain;
  const prefix = what === 'graph' ? 'Graph.' : 'Task.';
  if (typeof injectableName !== 'string' || !injectableName.startsWith(prefix) || injectableName.includes('::')) {
    throw new Refusal(
      'a definition without a name of its kind',
      `injectableName to start with '${prefix}', without '::'`,
    );
  }
  const name = packedName(injectableName, sku);
  return { what, name, sku, json: { ...plain, injectableName: name } };
}
