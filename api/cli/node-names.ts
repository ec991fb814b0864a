/** The names of many nodes. */
import type { Client } from './client.ts';
import type { OutputFormat } from './output.ts';

/** Ids in one request: its line has at most 16 KiB. */
const IDS = 200;

/** By id. Nodes that were deleted have none. */
export async function nodeNames(
  client: Client,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, string>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const names = new Map<string | null, string>();
  for (let at = 0; at < wanted.length; at += IDS) {
    const query = { id: wanted.slice(at, at + IDS).join(','), fields: 'name', $top: IDS };
    for (const { id, name } of (await client.get('/nodes', { query })).body) names.set(id, name);
  }
  return names;
}

export type NodeText = (id: string | null) => string | null;

/** The text for a node in a table: its name, or its id if it was deleted. Other forms have ids, and nothing is requested for them. */
export async function nodeTexts(
  client: Client,
  ids: readonly (string | null)[],
  format: OutputFormat,
): Promise<NodeText> {
  const names = format === 'table' || format === 'wide' ? await nodeNames(client, ids) : new Map<string, string>();
  return (id) => names.get(id) ?? id;
}
