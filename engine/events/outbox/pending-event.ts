/** Pending events: events that are stored with the change that they describe, until they have been published. */
import { randomUUID } from 'node:crypto';
import { now } from '../../platform/lib/clock.ts';
import { type ListedEvent, type Publication, publicationOf } from '../../vocabulary/event.ts';
import type { ActionOf } from '../../vocabulary/event-list.ts';

interface StoredEvent {
  /** Its key in the document. */
  id: string;
  /** ISO 8601. */
  at: string;
}

/** An event about a node, whose type is looked up at its publication; `id` and `at` are those of the event. */
export interface NodeEvent extends StoredEvent {
  action: ActionOf<'node'>;
  node: string;
  /** Set when the node is being deleted: its type cannot be looked up later. */
  nodeType?: string;
  /** The team of the node, set when `nodeType` is; absent: none. */
  owner?: string;
}

/** Complete events of one change, in their order. */
export interface CompleteEvents extends StoredEvent {
  events: readonly ListedEvent[];
  /** As of a publication. */
  isQuiet?: true;
}

export type PendingEvent = NodeEvent | CompleteEvents;

/** The pending events of a saved change. */
export interface UnpublishedEvents {
  events: readonly PendingEvent[];
  /** Called after all of them have been published: deletes them. */
  published(): Promise<unknown>;
}

export const nodeEvent = (
  action: ActionOf<'node'>,
  node: string,
  nodeType?: string,
  owner?: string | null,
): NodeEvent => ({
  id: randomUUID(),
  action,
  node,
  at: new Date(now()).toISOString(),
  ...(nodeType !== undefined && { nodeType }),
  ...(typeof owner === 'string' && { owner }),
});

/** @param events at least one; the id of the first is the key */
export function completeEvents(events: readonly ListedEvent[]): CompleteEvents {
  const [first] = events as readonly [ListedEvent];
  return { id: first.id, at: first.createdAt, events };
}

export const quietIf = (isQuiet: boolean, events: CompleteEvents): CompleteEvents =>
  isQuiet ? { ...events, isQuiet } : events;

export const completePublications = ({ events, isQuiet }: CompleteEvents): Publication[] =>
  events.map((event) => (isQuiet ? { ...publicationOf(event), isQuiet } : publicationOf(event)));

export const isComplete = (event: PendingEvent): event is CompleteEvents => 'events' in event;

/** Returns the nodes that the events are about. */
export const nodesIn = (events: readonly PendingEvent[]): string[] =>
  events.flatMap((event) => (isComplete(event) ? [] : [event.node]));

/** @param owner the team that the node belongs to; undefined: none */
export const nodePublication = (
  { id, action, node, at }: NodeEvent,
  nodeType: string,
  owner: string | undefined,
): Publication =>
  publicationOf({
    id,
    version: '1.0',
    type: 'node',
    action,
    severity: 'information',
    typeId: node,
    createdAt: at,
    nodeId: node,
    ...(owner !== undefined && { owner }),
    data: { nodeId: node, nodeType },
  });
