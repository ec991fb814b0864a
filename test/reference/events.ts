/** The page of all events, from their list, and the page of each. */
import { type EventMeaning, eventList } from '../../engine/vocabulary/event-list.ts';
import type { Entry } from './entry.ts';
import { bullets, code, fenced, pageOf } from './markdown.ts';

export function eventsPage(): string {
  return pageOf(
    'Every event',
    'Events are published to the topic exchange `on.events` and posted to web hooks, at least once and with the same `id` in a repeat. The routing key is `<type>.<action>.<severity>.<typeId>.<nodeId>`; an event without a node has no last segment. Severity is `information` unless the text says otherwise.',
    'The body is JSON: `id`, `version` (`1.0`), `type`, `action`, `severity`, `typeId`, `createdAt`, `nodeId` (or null), `data`. Events of a workflow also have `n`, their number within the workflow, from 1 without gaps, and `traceId`, its [trace](../operate/traces.md).',
    'All events but those of `hook` are also in [the log of events](../integrate/event-log.md), with their position `seq`. `/api/current/asyncapi.json` has a JSON Schema of each.',
    'A notification is not an event: its parameters are published under the key `notification.<node>`, a broadcast under `notification`.',
    ...Object.entries(eventList).flatMap(([type, actions]) =>
      Object.entries<EventMeaning>(actions).flatMap(([action, meaning]) => sectionOf(`${type}.${action}`, meaning)),
    ),
  );
}

export const eventEntries = (): Entry[] =>
  Object.entries(eventList).flatMap(([type, actions]) =>
    Object.entries<EventMeaning>(actions).map(([action, { when, typeId, data }]) => ({
      name: `${type}.${action}`,
      parts: [
        ['Meaning', when],
        ['Body', `${code('typeId')}: ${typeId}. ${code('data')} has:`, fieldsOf(data)],
        [
          'How to listen',
          `Bind a queue to the exchange ${code('on.events')} with the key ${code(`${type}.${action}.#`)}, create a web hook, or:`,
          fenced('sh', `nw events --type ${type} --action ${action} -f`),
        ],
      ],
      declared: 'engine/vocabulary/event-list.ts',
      sought: new RegExp(`type: '${type}'[^}]{0,200}action: '${action}'`),
    })),
  );

const sectionOf = (name: string, { when, typeId, data }: EventMeaning): string[] => [
  `## ${name}`,
  `${when} ${code('typeId')}: ${typeId}.`,
  fieldsOf(data),
];

const fieldsOf = (data: EventMeaning['data']): string =>
  bullets(Object.entries(data).map(([field, { description }]) => `${code(field)}: ${description}`));
