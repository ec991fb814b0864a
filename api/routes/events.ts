/** /events: the log of events, and the same as a stream. */
import { Type } from 'typebox';
import { type ListFields, optionalTexts, texts, word } from '../../engine/api-port/list-filter.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';
import { severities } from '../../engine/vocabulary/event.ts';
import { eventSchemas } from '../../engine/vocabulary/event-schemas.ts';
import { workflowStatuses } from '../../engine/vocabulary/states.ts';
import { eventStream } from '../http/event-stream.ts';
import { lastEventId, streamReply } from '../http/replies.ts';
import { route } from '../http/route.ts';
import { eventRecord } from '../views/event.ts';

const DEFAULT_EVENTS = 100;
const MAX_EVENTS = 1_000;

const logged = eventSchemas().filter(({ meaning }) => !meaning.isPrivate);

const filters: ListFields = {
  type: word([...new Set(logged.map(({ type }) => type))]),
  action: word([...new Set(logged.map(({ action }) => action))]),
  ...texts('typeId'),
  ...optionalTexts('nodeId', 'owner'),
  status: word(workflowStatuses, 'data.status'),
  severity: word(severities),
};

const after = Type.Optional(
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'only events after this `seq`' }),
);

const since = Type.Optional(
  Type.String({
    format: 'date-time',
    description: 'only events that were logged at this time or later; some before it may be among them',
  }),
);

const GONE = 'The events after `after` were removed, or no event had this position yet; `oldest` is that of the oldest';

export const eventRoutes = [
  route({
    id: 'listEvents',
    summary: 'List the events of the log, oldest first; a page of rare events may be short and have a next one',
    method: 'GET',
    path: '/events',
    reach: { by: 'handler', list: 'owner' },
    resourceGroup: 'monitoring',
    query: Type.Object({ after, since, limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_EVENTS })) }),
    filters,
    answer: { status: 200, schema: Type.Array(eventRecord) },
    rejections: { 410: GONE },
    handle: async ({ engine, query, page: { filter } }) => {
      const { after: position, since: time, limit = DEFAULT_EVENTS } = query;
      if (position !== undefined && time !== undefined)
        throw invalidInput('since', 'is given with `after`; expected one of them');
      const begin = { after: position, since: time && new Date(time).toISOString() };
      const { items, next } = await engine.events.list({ ...begin, limit, filter });
      return { body: items, next: next === undefined ? undefined : { after: String(next) } };
    },
  }),
  route({
    id: 'followEvents',
    summary: 'Follow the log as Server-Sent Events; `Last-Event-ID` continues after that `seq`',
    method: 'GET',
    path: '/events/stream',
    reach: { by: 'handler', list: 'owner' },
    resourceGroup: 'monitoring',
    query: Type.Object({ after }),
    filters,
    follows: true,
    answer: { status: 200, schema: Type.String(), contentType: 'text/event-stream' },
    rejections: { 410: GONE, 429: 'Too many readers follow the events of this daemon, or too many of this user' },
    handle: async (call) => streamReply(await eventStream(call, lastEventId(call) ?? call.query.after)),
  }),
];
