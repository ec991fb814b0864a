/** Events as the engine publishes them. */
import { randomUUID } from 'node:crypto';
import { type EventPayload, type ListedEvent, publicationOf } from '../../../engine/vocabulary/event.ts';

export const nodeEvent = (change: Partial<EventPayload> = {}): EventPayload => ({
  id: randomUUID(),
  version: '1.0',
  type: 'node',
  action: 'updated',
  severity: 'information',
  typeId: 'n',
  createdAt: new Date().toISOString(),
  nodeId: 'n',
  data: { nodeId: 'n' },
  ...change,
});

export const published = (...events: EventPayload[]) => events.map((event) => publicationOf(event as ListedEvent));
