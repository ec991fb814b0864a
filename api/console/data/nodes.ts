/** Names of nodes by id, for lists that have ids only. Each is read once, several together. */
import { signal } from '@preact/signals';
import { client } from './daemon-client.ts';

const names = signal<ReadonlyMap<string, string>>(new Map());
const requestedIds = new Set<string>();
let wanted: string[] = [];

/** ms in which ids are gathered. */
const GATHER_MS = 30;
const IDS_PER_REQUEST = 100;

/** The name, or the id until it is known. */
export function nameOfNode(id: string): string {
  const knownName = names.value.get(id);
  if (knownName !== undefined) return knownName;
  if (!requestedIds.has(id)) {
    requestedIds.add(id);
    if (wanted.length === 0) setTimeout(() => void readNames(), GATHER_MS);
    wanted.push(id);
  }
  return id.slice(0, 8);
}

async function readNames(): Promise<void> {
  const ids = wanted;
  wanted = [];
  for (let first = 0; first < ids.length; first += IDS_PER_REQUEST) {
    const query = { id: ids.slice(first, first + IDS_PER_REQUEST).join(','), fields: 'id,name', $top: IDS_PER_REQUEST };
    const answer = await client.get('/nodes', { query }).catch(() => undefined);
    if (answer !== undefined)
      names.value = new Map([...names.value, ...answer.body.map(({ id, name }) => [id, name] as const)]);
    else for (const id of ids) requestedIds.delete(id);
  }
}
