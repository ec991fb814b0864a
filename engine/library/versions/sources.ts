/** Entries from JSON: definitions put through the API, and those of packs. */

import type { Load } from '../bundling/bundle.ts';
import { sha256 } from '../options/hash.ts';
import { Rejection } from '../options/rejection.ts';
import type { Authorship, Source } from '../types.ts';
import type { Draft } from './draft.ts';
import type { Entry } from './link.ts';
import type { Definition } from './sku-definitions.ts';

export const sourceEntry = (what: Draft['what'], name: string, json: unknown, put?: Authorship): Entry => {
  const newest: Draft = { what, body: { kind: 'json', json }, source: { kind: 'api', put } };
  return { at: name, what, newest, inputs: [] };
};

/** Code that does not load is rejected on its own and does not affect other definitions. */
export async function entryOfPack(definition: Definition, load: Load): Promise<Entry> {
  const { what, name, sku, json, text, byPath, file, put } = definition;
  const entry: Entry = { at: name, what, sku, inputs: [], ...(file !== undefined && { inPack: file }) };
  if (definition.rejection !== undefined) {
    const { found, expected, ...more } = definition.rejection;
    return { ...entry, unread: new Rejection(found, expected, more) };
  }
  const source: Source = { kind: 'pack', sku, put };
  if (text === undefined) return { ...entry, newest: { what, body: { kind: 'json', json }, source } };
  const hash = sha256(text);
  try {
    const exported = await load({ text, hash, inputs: [], map: '' });
    return { ...entry, newest: { what, body: { kind: 'module', text, hash, exported }, source, byPath } };
  } catch (error) {
    return {
      ...entry,
      unread: error instanceof Rejection ? error : new Rejection(String(error), 'code that can be loaded'),
    };
  }
}

/** @throws Rejection */
export function nameOf(json: unknown): string {
  const name = typeof json === 'object' && json !== null && 'injectableName' in json ? json.injectableName : undefined;
  if (typeof name === 'string' && name !== '') return name;
  const violation = { path: 'injectableName', message: 'expected the name of the definition' };
  throw new Rejection('a definition without injectableName', 'an object with its name', { violations: [violation] });
}

/** The key of a pack's definition. */
export const keyOf = ({ what, name, sku }: Definition) => `pack:${what}:${sku}:${name}`;

/** Whether the entry already has this content. */
export function isSame(entry: Entry | undefined, { json, text }: Pick<Definition, 'json' | 'text'>): boolean {
  const body = entry?.newest?.body;
  if (body === undefined || text !== undefined) return body?.kind === 'module' && body.text === text;
  return body.kind === 'json' && JSON.stringify(body.json) === JSON.stringify(json);
}
