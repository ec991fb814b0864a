/**
 * Subscribes this service to a BMC's Redfish alerts (DSP0266, 13.5; EventDestination). A correct subscription is kept,
 * so a repeat changes nothing; outdated and duplicate subscriptions of this service are deleted.
 *
 * Output: `{ subscription, created, removed, destination }`.
 */
import { bmcRetry, defineTask, PermanentError, Type } from 'nodewright/define';
import {
  type Ask,
  type Json,
  linkIn,
  membersOf,
  needsService,
  SERVICE_ROOT,
  serviceOf,
  serviceOptions,
  text,
  unsupportedBy,
} from '../engine/hardware/redfish/service.ts';

const ALERTS = '/api/2.0/notification/alerts';
const EVENT_TYPES = ['ResourceAdded', 'StatusChange', 'Alert'];

/** The body of a subscription; further fields that a BMC accepts are allowed. */
const dataFields = {
  Context: Type.Optional(text),
  Description: Type.Optional(text),
  Destination: Type.Optional(Type.String({ pattern: '^https?://' })),
  EventTypes: Type.Optional(Type.Array(text, { minItems: 1, maxItems: 20 })),
  Id: Type.Optional(text),
  Name: Type.Optional(text),
  Protocol: Type.Optional(text),
};

const data = Type.Object(dataFields, { description: 'Fields of the subscription; each has a default.' });

const optionsSchema = Type.Object(
  {
    ...serviceOptions,
    data: Type.Optional(data),
    alertServer: Type.Optional(
      Type.String({ pattern: '^https?://', description: 'URL under which the BMC reaches this service.' }),
    ),
  },
  { additionalProperties: false },
);

export default defineTask({
  injectableName: 'Task.Redfish.Alert.Subscribe',
  friendlyName: 'Subscribe to Redfish alerts',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  options: { alertServer: '{{ api.server }}' },
  run: async (scope) => {
    const { url, data: given = {}, alertServer } = scope.input;
    const { origin, ask } = await serviceOf(scope);
    const wanted = wantedOf(given, alertServer, origin);
    const path = url === undefined ? await subscriptionsOf(ask) : new URL(url).pathname;
    return subscriptionAt(ask, path, wanted);
  },
});

interface WantedSubscription extends Json {
  Context: string;
  Destination: string;
  EventTypes: string[];
  Protocol: string;
}

function wantedOf(given: Json, server: string | undefined, origin: string): WantedSubscription {
  const usual = { Context: 'nodewright', Name: 'nodewright', EventTypes: EVENT_TYPES, Protocol: 'Redfish' };
  const Destination = given.Destination ?? (server === undefined ? undefined : `${server}${ALERTS}`);
  if (typeof Destination !== 'string' || (isLoopback(Destination) && !isLoopback(origin))) {
    const message = `the BMC cannot send to ${Destination ?? 'nowhere'}; set servicePublicIp in the configuration, or data.Destination`;
    throw new PermanentError(message, 'DESTINATION_UNKNOWN');
  }
  return { ...usual, ...given, Destination };
}

const isLoopback = (url: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

/** Returns the path of the subscriptions, from the event service. Enables the service if it is disabled. */
async function subscriptionsOf(ask: Ask): Promise<string> {
  const root = await ask({ method: 'GET', path: SERVICE_ROOT });
  const path = linkIn(root.EventService);
  if (path === undefined) throw unsupportedBy('the BMC has no EventService, so it sends no alerts');
  const service = await ask({ method: 'GET', path });
  if (service.ServiceEnabled === false) await ask({ method: 'PATCH', path, body: { ServiceEnabled: true } });
  const subscriptions = linkIn(service.Subscriptions);
  if (subscriptions !== undefined) return subscriptions;
  throw unsupportedBy(`${path} of the BMC names no Subscriptions`);
}

async function subscriptionAt(ask: Ask, path: string, wanted: WantedSubscription) {
  const ownSubscriptions = (await membersOf(ask, path)).filter((each) => isOurs(each, wanted));
  const [keptSubscription] = ownSubscriptions.filter((each) => isAsWanted(each, wanted));
  // The new one is created first: otherwise alerts in between would be lost.
  if (keptSubscription === undefined) await ask({ method: 'POST', path, body: wanted });
  const stale = ownSubscriptions.filter((one) => one !== keptSubscription).flatMap((one) => linkIn(one) ?? []);
  for (const one of stale) await ask({ method: 'DELETE', path: one });
  const subscription = keptSubscription ?? (await membersOf(ask, path)).find((each) => isAsWanted(each, wanted));
  return {
    subscription: linkIn(subscription) ?? null,
    created: keptSubscription === undefined,
    removed: stale,
    destination: wanted.Destination,
  };
}

const endOf = (destination: unknown): string =>
  typeof destination === 'string' && URL.canParse(destination) ? new URL(destination).pathname : '';

/** Returns true for a subscription of this service: it has our context and our path. Others are not changed. */
const isOurs = (body: Json, wanted: WantedSubscription): boolean =>
  body.Context === wanted.Context && endOf(body.Destination) === endOf(wanted.Destination);

/** Event types are ignored if the BMC does not report them. */
function isAsWanted({ Destination, Protocol, EventTypes: types }: Json, wanted: WantedSubscription): boolean {
  const same = !Array.isArray(types) || sortedJson(types) === sortedJson(wanted.EventTypes);
  return Destination === wanted.Destination && Protocol === wanted.Protocol && same;
}

const sortedJson = (types: readonly unknown[]): string => JSON.stringify([...types].sort());
