/** Events about nodes: everyone hears what changed. A note is what is kept of one until it is told. */
import { randomUUID } from 'node:crypto';
import { type Publication, publicationOf } from '../define/event.ts';
import { now } from '../runtime/clock.ts';

/** An event about a node that stands with the change that it tells of; `id` and `at` are the event's. */
export interface Note {
  id: string;
  action: string;
  node: string;
  /** Of a node that goes: nobody can look it up later. */
  nodeType?: string;
  /** ISO 8601. */
  at: string;
}

/** Notes of a change that is saved. */
export interface Untold {
  notes: readonly Note[];
  /** Called when all are told: they are kept no longer. */
  told(): Promise<unknown>;
}

export const noteOf = (action: string, node: string, nodeType?: string): Note => ({
  ...{ id: randomUUID(), action, node, at: new Date(now()).toISOString() },
  ...(nodeType !== undefined && { nodeType }),
});

export const nodePublication = ({ id, action, node, at }: Note, nodeType: string): Publication =>
  publicationOf({
    ...{ id, version: '1.0', type: 'node', action, severity: 'information', typeId: node, createdAt: at, nodeId: node },
    data: { nodeId: node, nodeType },
  });
