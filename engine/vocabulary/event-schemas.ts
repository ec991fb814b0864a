/** The JSON Schemas of events, from their list. */
import { severities } from './event.ts';
import { type EventMeaning, eventList } from './event-list.ts';

export interface EventSchema {
  /** `<type>.<action>`. */
  name: string;
  type: string;
  action: string;
  meaning: EventMeaning;
  schema: Record<string, unknown>;
}

export const eventSchemas = (): EventSchema[] =>
  Object.entries(eventList).flatMap(([type, actions]) =>
    Object.entries<EventMeaning>(actions).map(([action, meaning]) => ({
      name: `${type}.${action}`,
      type,
      action,
      meaning,
      schema: schemaOf(type, action, meaning),
    })),
  );

/** Types of events that belong to a team, or to none. */
const ownedTypes: ReadonlySet<string> = new Set(['graph', 'node', 'rollout', 'schedule', 'ticket']);

function schemaOf(type: string, action: string, { typeId, data, isOpen }: EventMeaning): Record<string, unknown> {
  const properties = {
    id: { type: 'string', minLength: 1, description: 'the same in a repetition of the event' },
    version: { const: '1.0' },
    type: { const: type },
    action: { const: action },
    severity: { enum: severities },
    typeId: { type: 'string', description: typeId },
    createdAt: { type: 'string', format: 'date-time', description: 'when it happened' },
    nodeId: { type: ['string', 'null'] },
    data: { type: 'object', properties: data, additionalProperties: isOpen ?? false },
  };
  const n = { type: 'integer', minimum: 1, description: `number within the ${type}, from 1 without gaps` };
  const traceId = { type: 'string', pattern: '^[0-9a-f]{32}$', description: "the workflow's trace" };
  const owner = { type: 'string', description: 'the team that it belongs to; absent: none' };
  const numbers: Partial<Record<string, object>> = { graph: { n, traceId }, rollout: { n } };
  const owned = { ...properties, owner, ...numbers[type] };
  return {
    type: 'object',
    properties: ownedTypes.has(type) ? owned : properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** Returns the schema of an event in the log. */
export function loggedSchema({ schema }: EventSchema): Record<string, unknown> {
  const { properties, required } = schema as { properties: object; required: string[] };
  const seq = { type: 'integer', minimum: 1, description: 'position in the log of events' };
  return { ...schema, properties: { seq, ...properties }, required: ['seq', ...required] };
}
