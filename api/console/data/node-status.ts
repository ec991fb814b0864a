/** The one state of a server that matters most: the same in the list of nodes, the heat map and the picture of a rack. */
import type { ListedNode } from './listed-node.ts';

export const serverStatuses = ['busy', 'failed', 'free'] as const;
export type ServerStatus = (typeof serverStatuses)[number];

/** `failed`: no workflow holds it, and its last one of a day failed. */
export const statusOfServer = ({ active, hasFailed }: Pick<ListedNode, 'active' | 'hasFailed'>): ServerStatus =>
  active !== null ? 'busy' : hasFailed === true ? 'failed' : 'free';

/** With its health and its holds. */
export function stateOfServer(node: Pick<ListedNode, 'health' | 'held' | 'active' | 'hasFailed'>): string {
  const status = statusOfServer(node);
  if (node.health === 'critical') return node.health;
  if (status !== 'free') return status;
  if (node.held.length > 0) return 'held';
  return node.health === 'warning' ? node.health : status;
}
