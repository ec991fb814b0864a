/**
 * Events as subscribers receive them: the payload of the interface document plus `id`. The id stays the same when an
 * event is sent again, so that subscribers can detect duplicates.
 */

import { shownText } from './conceal.ts';
import { type EventAction, type EventField, type EventType, eventList } from './event-list.ts';

export const severities = ['critical', 'warning', 'information'] as const;
export type Severity = (typeof severities)[number];

export interface EventPayload {
  id: string;
  version: '1.0';
  type: EventType;
  action: string;
  severity: Severity;
  typeId: string;
  /** ISO 8601: when it happened, not when it was sent. */
  createdAt: string;
  nodeId: string | null;
  /** The team that its subject belongs to, such as the node or the rollout. Absent: none. */
  owner?: string;
  /** Events of workflows and rollouts only: number within the workflow or rollout, from 1, without gaps. */
  n?: number;
  /** Events of workflows only: the workflow's trace. */
  traceId?: string;
  data: Record<string, unknown>;
}

/** An event that is published: one of the list. */
export interface ListedEvent extends EventPayload {
  action: EventAction;
  data: Partial<Record<EventField, unknown>>;
}

/** A message for the broker: routing key and body (an event's payload, or a notification's parameters). */
export interface Publication {
  id: string;
  key: string;
  body: unknown;
  /** It is stored in the log and shown; neither the broker nor web hooks receive it. */
  isQuiet?: true;
  /** Events of workflows only: the header by which a receiver continues the workflow's trace. */
  traceparent?: string;
}

/** `<type>.<action>.<severity>.<typeId>.<nodeId>`; an event without a node has no last segment. */
function routingKey(event: EventPayload): string {
  const segments = [event.type, event.action, event.severity, event.typeId];
  return (event.nodeId === null ? segments : [...segments, event.nodeId]).join('.');
}

export const publicationOf = (event: ListedEvent): Publication => ({
  id: event.id,
  key: routingKey(event),
  body: event,
});

/** @returns undefined for a notification: its key does not begin with an event type */
export const eventIn = ({ key, body }: Publication): EventPayload | undefined =>
  Object.hasOwn(eventList, key.slice(0, Math.max(0, key.indexOf('.')))) ? (body as EventPayload) : undefined;

const bodyTexts = new WeakMap<Publication, string>();

/** Returns the JSON of the body as subscribers receive it, made once for the broker and the log. */
export function bodyText(publication: Publication): string {
  const text = bodyTexts.get(publication) ?? shownText(JSON.stringify(publication.body));
  bodyTexts.set(publication, text);
  return text;
}

/** Progress as records and events show it: `percentage` reads `"25%"`. */
export interface Progress {
  value: number;
  maximum: number;
  percentage: string;
  description: string;
}

/** @param value completed steps @param maximum total steps; 0 of 0 is 0% */
export function progress(value: number, maximum: number, description: string): Progress {
  const share = maximum > 0 ? Math.min(1, Math.max(0, value / maximum)) : 0;
  return { value, maximum, percentage: `${Math.round(share * 100)}%`, description };
}
