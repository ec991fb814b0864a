/** The tickets of the user for a launch: another user approves its plan, then it can be launched with the ticket. */
import type { TaskOptions } from '../../client/launch-options.ts';
import { session } from './current-user.ts';
import { client } from './daemon-client.ts';
import type { LaunchNode } from './launch-node.ts';
import { type LiveValue, useLive } from './live.ts';
import type { LaunchTicket } from './ticket-match.ts';

const MAX_TICKETS = 100;

/** The open tickets that the user has asked for. @param isNeeded false: none is read */
export const useLaunchTickets = (graph: string, isNeeded: boolean): LiveValue<LaunchTicket[]> =>
  useLive(
    `tickets for ${graph} ${isNeeded}`,
    async () => {
      if (!isNeeded) return [];
      const username = session.value?.username ?? null;
      const byUser = username === null ? {} : { requestedBy: username };
      const query = { graph, ...byUser, status: 'requested,approved', sort: '-createdAt', $top: MAX_TICKETS };
      return (await client.get('/tickets', { query })).body;
    },
    ({ type }) => type === 'ticket',
  );

interface TicketedLaunch {
  graph: string;
  nodes: readonly LaunchNode[];
  options: TaskOptions;
}

/** Asks for the approval of another user. @throws RequestError */
export async function requestTicket({ graph, nodes, options }: TicketedLaunch): Promise<void> {
  const [node] = nodes;
  const targets =
    nodes.length > 1 ? { nodes: nodes.map(({ id }) => id) } : node === undefined ? {} : { nodeId: node.id };
  await client.post('/tickets', { body: { launch: { name: graph, options, ...targets } } });
}
