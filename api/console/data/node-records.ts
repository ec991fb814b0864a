/** One node: its record, and which events may have changed it or what hangs on it. */
import type { LogEvent } from '../../client/follow-events.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';
import { type LiveValue, useLive } from './live.ts';

export type ShownNode = GetAnswer<'/nodes/:identifier'>;

/** Matches events of any kind that concern this node. */
const concernsNodeOf =
  (id: string) =>
  ({ nodeId }: LogEvent): boolean =>
    nodeId === id;

/** @param identifier of the address: an id, a MAC, another identifier, or a name that only one node has */
export function useNode(identifier: string): LiveValue<ShownNode> {
  const live: LiveValue<ShownNode> = useLive(
    `node ${identifier}`,
    () => {
      const readId = live.value.peek()?.id;
      return readId === undefined ? readNode(identifier) : nodeOf(readId);
    },
    (event) => concernsNodeOf(live.value.peek()?.id ?? identifier)(event),
  );
  return live;
}

const nodeOf = async (identifier: string): Promise<ShownNode> =>
  (await client.get('/nodes/:identifier', { params: { identifier } })).body;

/** The holds of a node: who keeps others from it, and why. */
export const useHolds = (id: string): LiveValue<GetAnswer<'/nodes/:identifier/holds'>> =>
  useOfNode(
    'holds',
    id,
    async () => (await client.get('/nodes/:identifier/holds', { params: { identifier: id } })).body,
  );

const NODE_ID = /^[\da-f]{24}$/;

/** A person who types an address knows a machine by its name. The list is asked first: a 404 would be an error in the log of the browser. */
async function readNode(identifier: string): Promise<ShownNode> {
  if (NODE_ID.test(identifier)) return nodeOf(identifier);
  const query = { name: identifier, fields: 'id', $top: 2 };
  const [named, ...others] = (await client.get('/nodes', { query })).body;
  return nodeOf(named === undefined || others.length > 0 ? identifier : named.id);
}

/** Progress of a task changes nothing but the workflow. */
const changesMore = ({ type, action }: LogEvent): boolean => type !== 'graph' || action !== 'progress.updated';

/**
 * Reads of the node's dependents, again after events with the node.
 * @param isOfWork they change with each task too
 */
export const useOfNode = <T>(what: string, id: string, read: () => Promise<T>, isOfWork = false): LiveValue<T> =>
  useLive(`${what} ${id}`, read, (event) => concernsNodeOf(id)(event) && (isOfWork || changesMore(event)));
