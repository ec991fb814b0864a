/** The names of many nodes. */
import type { Client } from './client.ts';
import { isTable, type OutputFormat } from './output.ts';

/** Ids in one request: its line has at most 16 KiB. */
const IDS = 200;

/** By id. Nodes that were deleted have none. */
export async function nodeNames(
  client: Client,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, string>> {
  const nodes = await readByIds(
    ids.filter((id) => id !== null),
    async (id, $top) => (await client.get('/nodes', { query: { id, fields: 'name', $top } })).body,
  );
  return new Map([...nodes].map(([id, { name }]) => [id, name]));
}

/** Reads records by their ids, as many at a time as one request takes. @returns by id those that exist */
export async function readByIds<T extends { id: string }>(
  ids: readonly string[],
  read: (ids: string, $top: number) => Promise<readonly T[]>,
): Promise<ReadonlyMap<string, T>> {
  const wanted = [...new Set(ids)];
  const records = new Map<string, T>();
  for (let at = 0; at < wanted.length; at += IDS)
    for (const record of await read(wanted.slice(at, at + IDS).join(','), IDS)) records.set(record.id, record);
  return records;
}

export type NodeText = (id: string | null) => string | null;

/** The text for a node in a table: its name, or its id if it was deleted. Other forms have ids, and nothing is requested for them. */
export async function nodeTexts(
  client: Client,
  ids: readonly (string | null)[],
  format: OutputFormat,
): Promise<NodeText> {
  const names = isTable(format) ? await nodeNames(client, ids) : new Map<string, string>();
  return (id) => names.get(id) ?? id;
}
