/** The AsyncAPI 3 document: events on AMQP, in web hooks and in the stream, from the list by which they are published. */
import { severities } from '../../engine/vocabulary/event.ts';
import { type EventSchema, eventSchemas, loggedSchema } from '../../engine/vocabulary/event-schemas.ts';

type Json = Record<string, unknown>;

/** A way of events: its channel, and the operation of the daemon on it. */
interface Way {
  id: string;
  channel: Json;
  operation: Json;
  events: readonly EventSchema[];
  /** Name of the schema of its messages. */
  schema: 'event' | 'logged';
  headers?: Json;
}

const EXCHANGE = { name: 'on.events', type: 'topic', durable: true, autoDelete: false, vhost: '/' };
const AMQP = { amqp: { is: 'routingKey', exchange: EXCHANGE, bindingVersion: '0.3.0' } };
const PERSISTENT = { amqp: { deliveryMode: 2, bindingVersion: '0.3.0' } };

/** A reference. */
const ref = (...path: string[]) => ({ $ref: `#/${path.join('/')}` });

const text = (description: string) => ({ type: 'string', description });

const hookHeaders = {
  type: 'object',
  properties: {
    'x-nodewright-event': text('id of the event'),
    'x-nodewright-timestamp': text('Unix seconds; with a secret'),
    'x-nodewright-signature': text('`sha256=` and the HMAC-SHA256 of `<timestamp>.<body>` in hex; with a secret'),
    'webhook-id': text('id of the event'),
    'webhook-timestamp': text('Unix seconds'),
    traceparent: text("of a workflow's event: W3C Trace Context"),
    'webhook-signature': text('`v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64; with a secret'),
  },
  required: ['x-nodewright-event', 'webhook-id', 'webhook-timestamp'],
};

export function asyncApi(): Json {
  const all = eventSchemas();
  const published = all.filter(({ meaning }) => !meaning.isPrivate);
  const ways = waysOf(all, published);
  const messages = Object.assign({}, ...ways.map(messagesOf), notification);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'nodewright',
      version: '2.0',
      description: 'Events and notifications that the daemon sends. Each event may arrive more than once, with one id.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: Object.assign({}, ...ways.map(channelOf), notificationChannels),
    operations: Object.assign({}, ...ways.map(operationOf), notificationOperations),
    components: {
      schemas: Object.assign({}, ...all.map(schemasOf)),
      messages,
    },
  };
}

const waysOf = (all: readonly EventSchema[], published: readonly EventSchema[]): Way[] => [
  {
    id: 'amqp',
    channel: {
      address: '{type}.{action}.{severity}.{typeId}.{nodeId}',
      title: 'Events on AMQP',
      description: 'Routing keys of the topic exchange. An event without a node has no last segment.',
      parameters: {
        type: { enum: [...new Set(published.map(({ type }) => type))], description: 'as in the event' },
        action: { description: 'as in the event; it may have dots' },
        severity: { enum: [...severities], description: 'as in the event' },
        typeId: { description: 'as in the event; it may have dots' },
        nodeId: { description: 'as in the event; absent if it is null' },
      },
      bindings: AMQP,
    },
    operation: { title: 'Publish an event', bindings: PERSISTENT },
    events: published,
    schema: 'event',
  },
  {
    id: 'hook',
    channel: {
      address: null,
      title: 'Web hooks',
      description: 'The url of each hook whose filters select the event: POST /api/current/hooks.',
    },
    operation: { title: 'Post an event', bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } } },
    events: all,
    schema: 'event',
    headers: hookHeaders,
  },
  {
    id: 'stream',
    channel: {
      address: '/api/current/events/stream',
      title: 'Server-Sent Events',
      description:
        'Blocks with `id: <seq>`, `event: <type>.<action>` and `data:` with the payload; `Last-Event-ID` continues after a position. `GET /api/current/events` lists the same.',
    },
    operation: { title: 'Stream an event', bindings: { http: { method: 'GET', bindingVersion: '0.3.0' } } },
    events: published,
    schema: 'logged',
  },
];

const schemaId = ({ name }: EventSchema, schema: Way['schema']): string =>
  schema === 'logged' ? `logged.${name}` : name;
const messageId = ({ id }: Way, { name }: EventSchema): string => `${id}.${name}`;

const schemasOf = (event: EventSchema): Json => ({
  [schemaId(event, 'event')]: event.schema,
  ...(!event.meaning.isPrivate && { [schemaId(event, 'logged')]: loggedSchema(event) }),
});

const messagesOf = (way: Way): Json =>
  Object.fromEntries(
    way.events.map((event) => [
      messageId(way, event),
      {
        name: event.name,
        title: event.name,
        summary: event.meaning.when,
        contentType: 'application/json',
        ...(way.headers && { headers: way.headers }),
        payload: ref('components', 'schemas', schemaId(event, way.schema)),
      },
    ]),
  );

const channelOf = (way: Way): Json => ({
  [way.id]: {
    ...way.channel,
    messages: Object.fromEntries(
      way.events.map((event) => [event.name, ref('components', 'messages', messageId(way, event))]),
    ),
  },
});

const operationOf = (way: Way): Json => ({
  [`${way.id}Send`]: {
    action: 'send',
    channel: ref('channels', way.id),
    ...way.operation,
    messages: way.events.map(({ name }) => ref('channels', way.id, 'messages', name)),
  },
});

const notification = {
  notification: {
    name: 'notification',
    title: 'notification',
    summary: 'A node reported progress. It is no event, and only on AMQP.',
    contentType: 'application/json',
    payload: { type: 'object', properties: { nodeId: text('id of the node; absent in a broadcast') } },
  },
};

const notificationMessages = { notification: ref('components', 'messages', 'notification') };

const notificationChannels = {
  notifications: {
    address: 'notification.{nodeId}',
    title: 'Notifications of a node on AMQP',
    parameters: { nodeId: { description: 'id of the node' } },
    messages: notificationMessages,
    bindings: AMQP,
  },
  broadcasts: {
    address: 'notification',
    title: 'Notifications for all nodes on AMQP',
    messages: notificationMessages,
    bindings: AMQP,
  },
};

const notificationOperations = Object.fromEntries(
  Object.keys(notificationChannels).map((id) => [
    `${id}Send`,
    {
      action: 'send',
      channel: ref('channels', id),
      title: 'Publish a notification',
      bindings: PERSISTENT,
      messages: [ref('channels', id, 'messages', 'notification')],
    },
  ]),
);
