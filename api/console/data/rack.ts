/** Reads the rack, or the enclosure, that a node is in, with all that is in it. */
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';
import { readLastStates } from './failed-nodes.ts';
import { IDS_PER_REQUEST, idsInParts } from './ids-in-parts.ts';
import { stateOfServer } from './node-status.ts';

export type RackRecord = Pick<
  GetAnswer<'/nodes'>[number],
  'id' | 'name' | 'type' | 'sku' | 'tags' | 'relations' | 'active' | 'health' | 'held'
>;

export interface Rack {
  top: RackRecord;
  known: ReadonlyMap<string, RackRecord>;
  /** By node; that of its workflow if one is active. Absent: free. */
  states: ReadonlyMap<string, string>;
  /** It has more nodes, which are not read. */
  isCut: boolean;
}

const NODE_FIELDS = 'id,name,type,sku,tags,relations,active,health,held';
/** The most nodes that are read. */
const MAX_NODES = 400;
/** Containers around each other. */
const DEEPEST = 4;

const relatedIds = ({ relations }: RackRecord, ...types: string[]): string[] =>
  relations.filter(({ relationType }) => types.includes(relationType)).flatMap(({ targets }) => targets);

/** @throws RequestError */
export async function readRack(node: RackRecord): Promise<Rack> {
  let top = node;
  for (let step = 0; step < DEEPEST; step += 1) {
    const [outer] = await readNodes(relatedIds(top, 'containedBy', 'enclosedBy').slice(0, 1));
    if (outer === undefined) break;
    top = outer;
  }
  const recordsById = new Map<string, RackRecord>();
  let isCut = false;
  let wanted = [top];
  for (let step = 0; step < DEEPEST && wanted.length > 0; step += 1) {
    const ids = wanted.flatMap((one) => relatedIds(one, 'contains', 'encloses', ...(step > 0 ? ['poweredBy'] : [])));
    const missing = [...new Set(ids)].filter((id) => id !== top.id && !recordsById.has(id));
    const room = MAX_NODES - recordsById.size;
    isCut ||= missing.length > room;
    wanted = await readNodes(missing.slice(0, room));
    for (const one of wanted) recordsById.set(one.id, one);
  }
  return { top, known: recordsById, states: await readStates([...recordsById.values()]), isCut };
}

async function readStates(nodes: readonly RackRecord[]): Promise<ReadonlyMap<string, string>> {
  const last = await readLastStates(nodes.map(({ id }) => id));
  const stateOf = (node: RackRecord): string => {
    const state = stateOfServer({ ...node, ...(last.get(node.id) === 'failed' && { hasFailed: true }) });
    return state === 'busy' ? (last.get(node.id) ?? 'running') : state;
  };
  return new Map(nodes.map((node) => [node.id, stateOf(node)] as const).filter(([, state]) => state !== 'free'));
}

/** Those that exist. */
async function readNodes(ids: readonly string[]): Promise<RackRecord[]> {
  const records: RackRecord[] = [];
  for (const part of idsInParts(ids)) {
    const query = { id: part.join(','), fields: NODE_FIELDS, $top: IDS_PER_REQUEST };
    records.push(...(await client.get('/nodes', { query })).body);
  }
  return records;
}
