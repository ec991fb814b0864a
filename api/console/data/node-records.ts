/** One node: its record, and which events may have changed it or what hangs on it. */
import type { LogEvent } from '../../client/follow-events.ts';
import type { Got } from '../../client/requests.ts';
import { client } from './daemon-client.ts';
import { type LiveValue, useLive } from './live.ts';

export type ShownNode = Got<'/nodes/:identifier'>;

/** Of any kind, with this node. */
export const concernsNodeOf =
  (id: string) =>
  ({ nodeId }: LogEvent): boolean =>
    nodeId === id;

/** @param identifier of the address: an id, a MAC, or another identifier */
export function useNode(identifier: string): LiveValue<ShownNode> {
  const live: LiveValue<ShownNode> = useLive(
    `node ${identifier}`,
    async () => (await client.get('/nodes/:identifier', { params: { identifier } })).body,
    (event) => concernsNodeOf(live.value.peek()?.id ?? identifier)(event),
  );
  return live;
}

/** Reads of the node's dependents, again after each event with the node. */
export const useOfNode = <T>(what: string, id: string, read: () => Promise<T>): LiveValue<T> =>
  useLive(`${what} ${id}`, read, concernsNodeOf(id));
