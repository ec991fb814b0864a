/** Which node a server is: the one with one of its MACs, else the one with its serial number. */
import type { Client } from '../client.ts';
import { annotationText } from './annotations.ts';
import type { ParkedServer } from './parked-server.ts';

export interface ServerNode {
  id: string;
  name: string;
}

const NODE_FIELDS = 'id,name,serial';
/** More than one is a conflict; these are named. */
const NODES_NAMED = 5;

/** @returns undefined: there is none; a sentence: it is not certain */
export async function nodeOfServer(
  client: Client,
  { macs, serial }: Pick<ParkedServer, 'macs' | 'serial'>,
): Promise<ServerNode | string | undefined> {
  const query = { fields: NODE_FIELDS, $top: NODES_NAMED };
  const byMac =
    macs.length === 0 ? [] : (await client.get('/nodes', { query: { ...query, identifiers: macs.join(',') } })).body;
  if (byMac.length > 1) return `its MACs are those of several nodes: ${namesOf(byMac)}`;
  const [node] = byMac;
  if (node !== undefined) {
    if (serial !== undefined && node.serial !== undefined && node.serial !== serial)
      return annotationText(
        `its serial number is ${serial.slice(0, 100)}, but that of the node ${node.name} is ${node.serial}: was it swapped?`,
      );
    return node;
  }
  if (serial === undefined) return undefined;
  const bySerial = (await client.get('/nodes', { query: { ...query, serial } })).body;
  if (bySerial.length > 1) return `its serial number is that of several nodes: ${namesOf(bySerial)}`;
  return bySerial[0];
}

const namesOf = (nodes: readonly ServerNode[]): string => annotationText(nodes.map(({ name }) => name).join(', '));

/** Creates the node of a server. A repetition finds it by its MACs. */
export async function createServerNode(
  client: Client,
  { name, macs }: Pick<ParkedServer, 'name' | 'macs'>,
): Promise<ServerNode> {
  const body = { type: 'compute', name: name.replace(/^.*\//, ''), identifiers: macs } as const;
  return (await client.post('/nodes', { body })).body as ServerNode;
}
