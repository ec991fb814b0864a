/** Events about nodes: everyone hears what changed. */
import { randomUUID } from 'node:crypto';
import { type EventPayload, publicationOf } from '../define/event.ts';
import type { Outbox } from '../events/outbox.ts';

export type TellNodes = (action: string, nodes: readonly { id: string; type: string }[]) => Promise<void>;

/** @returns publishes one event for each node, all at once */
export function nodeTeller(outbox: Outbox): TellNodes {
  return (action, nodes) => outbox.publish(nodes.map((node) => publicationOf(eventOf(action, node))));
}

const eventOf = (action: string, { id, type }: { id: string; type: string }): EventPayload => ({
  id: randomUUID(),
  version: '1.0',
  type: 'node',
  action,
  severity: 'information',
  typeId: id,
  createdAt: new Date().toISOString(),
  nodeId: id,
  data: { nodeId: id, nodeType: type },
});
