/** Names of nodes by id, for lists that have ids only. Each is read once, several together. */
import { signal } from '@preact/signals';
import { client } from './daemon-client.ts';
import { IDS_PER_REQUEST, idsInParts } from './ids-in-parts.ts';

const names = signal<ReadonlyMap<string, string>>(new Map());
const requestedIds = new Set<string>();
let wanted: string[] = [];

/** ms in which ids are gathered. */
const GATHER_MS = 30;

/** The name; the beginning of the id if it cannot be read, such as that of a deleted node. */
export function nameOfNode(id: string): string {
  const readName = names.value.get(id);
  if (readName !== undefined) return readName;
  if (!requestedIds.has(id)) {
    requestedIds.add(id);
    if (wanted.length === 0) setTimeout(() => void readNames(), GATHER_MS);
    wanted.push(id);
  }
  return '…';
}

async function readNames(): Promise<void> {
  const ids = wanted;
  wanted = [];
  for (const part of idsInParts(ids)) {
    const query = { id: part.join(','), fields: 'id,name', $top: IDS_PER_REQUEST };
    try {
      const { body } = await client.get('/nodes', { query });
      addNames(part, body);
    } catch (error) {
      if (!client.isPassing(error)) addNames(part, []);
      else for (const id of part) requestedIds.delete(id);
    }
  }
}

function addNames(ids: readonly string[], nodes: readonly { id: string; name: string }[]): void {
  const added = [
    ...ids.map((id) => [id, id.slice(0, 8)] as const),
    ...nodes.map(({ id, name }) => [id, name] as const),
  ];
  names.value = new Map([...names.value, ...added]);
}
