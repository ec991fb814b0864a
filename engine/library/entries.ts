/** Entries of what comes as JSON: definitions put through the API, and those of packs. */
import type { Entry } from './assemble.ts';
import type { Candidate } from './candidate.ts';
import type { Definition } from './packed.ts';

export const entryOf = (what: Candidate['what'], name: string, json: unknown): Entry => {
  const newest: Candidate = { what, body: { kind: 'json', json }, source: { kind: 'api' } };
  return { at: name, what, newest, inputs: [] };
};

export const entryOfPack = ({ what, name, sku, json }: Definition): Entry => {
  const newest: Candidate = { what, body: { kind: 'json', json }, source: { kind: 'pack', sku } };
  return { at: name, what, sku, newest, inputs: [] };
};

/** Of a pack's definition. */
export const keyOf = ({ what, name }: Definition) => `pack:${what}:${name}`;

export const isSame = (entry: Entry | undefined, json: unknown): boolean =>
  entry?.newest?.body.kind === 'json' && JSON.stringify(entry.newest.body.json) === JSON.stringify(json);
