/** The names of many nodes. */
import type { Client } from './client.ts';

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
