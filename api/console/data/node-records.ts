/** One node: its record, and which events may have changed it or what hangs on it. */
import type { LogEvent } from '../../client/follow-events.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';
import { type LiveValue, useLive } from './live.ts';

export type ShownNode = GetAnswer<'/nodes/:identifier'>;

/** Why nothing can be launched on a node that a workflow holds. */
export const busyText = ({ name }: { name: string }): string =>
  `The node is busy with ${name}: the next workflow can be launched when it has ended.`;

/** Matches events of any kind that concern this node. */
const concernsNodeOf =
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

/** Progress of a task changes nothing but the workflow. */
const changesMore = ({ type, action }: LogEvent): boolean => type !== 'graph' || action !== 'progress.updated';

/**
 * Reads of the node's dependents, again after events with the node.
 * @param isOfWork they change with each task too
 */
export const useOfNode = <T>(what: string, id: string, read: () => Promise<T>, isOfWork = false): LiveValue<T> =>
  useLive(`${what} ${id}`, read, (event) => concernsNodeOf(id)(event) && (isOfWork || changesMore(event)));
