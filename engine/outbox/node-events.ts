/** Node events. A `Note` is a pending event: it is stored until the event has been published. */
import { randomUUID } from 'node:crypto';
import { type Publication, publicationOf } from '../define/event.ts';
import type { ActionOf } from '../define/event-list.ts';
import { now } from '../lib/clock.ts';

/** A pending node event, stored with the change that it describes; `id` and `at` are those of the event. */
export interface Note {
  id: string;
  action: ActionOf<'node'>;
  node: string;
  /** Set when the node is being deleted: its type cannot be looked up later. */
  nodeType?: string;
  /** ISO 8601. */
  at: string;
}

/** The pending events of a saved change. */
export interface Untold {
  notes: readonly Note[];
  /** Called after all of them have been published: deletes the notes. */
  told(): Promise<unknown>;
}

export const noteOf = (action: ActionOf<'node'>, node: string, nodeType?: string): Note => ({
  id: randomUUID(),
  action,
  node,
  at: new Date(now()).toISOString(),
  ...(nodeType !== undefined && { nodeType }),
});

export const nodePublication = ({ id, action, node, at }: Note, nodeType: string): Publication =>
  publicationOf({
    id,
    version: '1.0',
    type: 'node',
    action,
    severity: 'information',
    typeId: node,
    createdAt: at,
    nodeId: node,
    data: { nodeId: node, nodeType },
  });
