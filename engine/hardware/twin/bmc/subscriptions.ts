/** Subscriptions to the alerts of a BMC, and the events that it sends (EventService). */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { BmcState, Subscription } from '../machine/machine-state.ts';
import type { Alert, Machine } from '../machine/twin-machine.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { badRequest } from './bmc-rejection.ts';
import { collectionOf, enabledStatus, linkTo, noContent, ROOT_PATH, resourceOf, timeOf } from './documents.ts';
import { BodyFields } from './fields.ts';
import { checkLoopbackUrl } from './loopback-url.ts';
import { typeOf } from './schema-versions.ts';

const EVENT_SERVICE = `${ROOT_PATH}/EventService`;
const SUBSCRIPTIONS = `${EVENT_SERVICE}/Subscriptions`;
const EVENT_STREAM = `${EVENT_SERVICE}/SSE`;

const SUBSCRIPTION_LIMIT = 16;
const eventTypes = ['StatusChange', 'ResourceUpdated', 'ResourceAdded', 'ResourceRemoved', 'Alert'] as const;
const schemes = ['http', 'https'] as const;

const subscriptionAt = ({ bmc, params }: BmcCall): Subscription | undefined =>
  bmc.subscriptions.find(({ id }) => id === params.id);

const serviceDocument = (call: BmcCall): JsonObject =>
  resourceOf(call, 'EventService', 'Event service', {
    ServiceEnabled: call.bmc.isSilenced !== true,
    Status: enabledStatus,
    DeliveryRetryAttempts: 3,
    DeliveryRetryIntervalSeconds: 30,
    EventFormatTypes: ['Event'],
    EventTypesForSubscription: eventTypes,
    ServerSentEventUri: EVENT_STREAM,
    Subscriptions: linkTo(SUBSCRIPTIONS),
    Actions: {
      '#EventService.SubmitTestEvent': { target: `${EVENT_SERVICE}/Actions/EventService.SubmitTestEvent` },
    },
  });

function subscriptionDocument(call: BmcCall): JsonObject {
  const subscription = subscriptionAt(call);
  if (subscription === undefined) return {};
  const { destination, context, protocol, eventTypes: types } = subscription;
  return resourceOf(call, 'EventDestination', 'A subscription', {
    Destination: destination,
    Context: context,
    Protocol: protocol,
    SubscriptionType: 'RedfishEvent',
    EventFormatType: 'Event',
    EventTypes: types.length === 0 ? eventTypes : types,
    Status: enabledStatus,
  });
}

const subscriptionFields = [
  ...['Destination', 'Context', 'Protocol', 'EventTypes', 'EventFormatType', 'SubscriptionType', 'Name', 'Description'],
  ...['Id', 'HttpHeaders', 'RegistryPrefixes', 'ResourceTypes', 'MessageIds', 'DeliveryRetryPolicy', 'OriginResources'],
];

async function subscribe(call: BmcCall): Promise<BmcReply> {
  const { bmc, body, machine } = call;
  const fields = new BodyFields(body, subscriptionFields);
  const wanted = {
    destination: fields.text('Destination'),
    context: fields.textOr('Context', ''),
    protocol: fields.oneOf('Protocol', ['Redfish']),
    eventTypes: fields.texts('EventTypes', eventTypes.length),
  };
  checkLoopbackUrl(call, 'Destination', wanted.destination, schemes);
  const wrong = wanted.eventTypes.find((type) => !eventTypes.some((each) => each === type));
  if (wrong !== undefined) throw badRequest('PropertyValueNotInList', wrong.slice(0, 80), 'EventTypes');
  if (bmc.subscriptions.length >= SUBSCRIPTION_LIMIT) throw badRequest('CreateLimitReachedForResource');
  bmc.lastId += 1;
  const id = String(bmc.lastId);
  bmc.subscriptions.push({ id, ...wanted });
  await machine.save();
  const path = `${SUBSCRIPTIONS}/${id}`;
  return { status: 201, headers: { Location: path }, body: subscriptionDocument({ ...call, path, params: { id } }) };
}

async function changeService(call: BmcCall): Promise<BmcReply> {
  const { bmc, body, machine } = call;
  bmc.isSilenced = new BodyFields(body, ['ServiceEnabled']).flagOr('ServiceEnabled', bmc.isSilenced !== true) === false;
  await machine.save();
  return { status: 200, body: serviceDocument(call) };
}

async function changeSubscription(call: BmcCall): Promise<BmcReply> {
  const subscription = subscriptionAt(call);
  const fields = new BodyFields(call.body, ['Context']);
  if (subscription !== undefined) subscription.context = fields.textOr('Context', subscription.context);
  await call.machine.save();
  return { status: 200, body: subscriptionDocument(call) };
}

async function unsubscribe(call: BmcCall): Promise<BmcReply> {
  const { bmc, machine } = call;
  const ended = subscriptionAt(call);
  bmc.subscriptions = bmc.subscriptions.filter((each) => each !== ended);
  await machine.save();
  return noContent;
}

const testFields = [
  ...['EventType', 'EventId', 'EventTimestamp', 'Severity', 'Message', 'MessageId', 'MessageArgs', 'OriginOfCondition'],
  ...['EventGroupId', 'MessageSeverity', 'Resolution'],
];

function submitTestEvent({ body, machine }: BmcCall): BmcReply {
  const fields = new BodyFields(body, testFields, { isAction: true });
  machine.alert({
    severity: fields.has('Severity') ? fields.oneOf('Severity', ['OK', 'Warning', 'Critical']) : 'OK',
    message: fields.textOr('Message', 'This is a test event.'),
    messageId: fields.textOr('MessageId', 'ResourceEvent.1.0.TestMessage'),
  });
  return noContent;
}

/** The subscriptions that an alert is sent to. */
export const alertReceivers = ({ isSilenced, subscriptions }: BmcState): Subscription[] =>
  isSilenced === true
    ? []
    : subscriptions.filter(({ eventTypes: types }) => types.length === 0 || types.includes('Alert'));

/** Sends alerts as server-sent events (DSP0266, 13.5). @returns ends it */
function followAlerts({ machine, bmc }: BmcCall, send: (text: string) => void): () => void {
  let id = 0;
  const follow = (alert: Alert) => {
    if (bmc.isSilenced === true) return;
    id += 1;
    const body = alertBody(machine, { context: '' }, alert, String(id), machine.around.time.now());
    send(`id: ${id}\ndata: ${JSON.stringify(body)}\n\n`);
  };
  machine.followers.add(follow);
  return () => void machine.followers.delete(follow);
}

/** The event to POST to a destination. @param id differs for each event of the BMC @param at field time */
export function alertBody(
  { facts, state }: Machine,
  { context }: Pick<Subscription, 'context'>,
  alert: Alert,
  id: string,
  at: number,
) {
  const origin = `${ROOT_PATH}/Systems/${facts.model.ids.system}`;
  return {
    '@odata.type': typeOf('Event'),
    Id: id,
    Name: 'Event',
    Context: context,
    Events: [
      {
        EventType: 'Alert',
        EventId: id,
        MemberId: '0',
        EventTimestamp: timeOf(at + (state.bmc.clockMs ?? 0)),
        Severity: alert.severity,
        MessageSeverity: alert.severity,
        Message: alert.message,
        MessageId: alert.messageId,
        MessageArgs: alert.sensor === undefined ? [] : [alert.sensor],
        OriginOfCondition: linkTo(origin),
      },
    ],
  };
}

export const subscriptionRoutes: readonly BmcRoute[] = [
  { path: EVENT_SERVICE, get: serviceDocument, patch: changeService, needs: 'ConfigureManager' },
  { path: `${EVENT_SERVICE}/Actions/EventService.SubmitTestEvent`, post: submitTestEvent },
  { path: EVENT_STREAM, follow: followAlerts },
  {
    path: SUBSCRIPTIONS,
    get: (call) =>
      collectionOf(
        call,
        'EventDestination',
        call.bmc.subscriptions.map(({ id }) => id),
      ),
    post: subscribe,
  },
  {
    path: `${SUBSCRIPTIONS}/:id`,
    has: (call) => subscriptionAt(call) !== undefined,
    get: subscriptionDocument,
    patch: changeSubscription,
    remove: unsubscribe,
  },
];
