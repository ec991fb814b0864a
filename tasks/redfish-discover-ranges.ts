/**
 * Discovers BMCs by Redfish as Task.Redfish.Discover does, also at addresses that no node has yet, with the options of RackHD's
 * tasks: a `uri`, or `ranges` with credentials. Addresses at which no Redfish service answers are reported; if none can be read, the task
 * fails. Certificates are checked, unless `verifySSL` is false or `ca` is given: RackHD never checks them.
 *
 * Output: `{ bmcs: [{ address, node, isNew, sku, catalogs }] }`, with `error: { code, message }` instead for one that failed.
 */
import { defineTask, secret, Type } from 'nodewright/define';
import { type DiscoveryOutput, discoveryMachine } from '../engine/hardware/redfish/discover-bmcs.ts';
import { type EndpointOptions, endpointTargets } from '../engine/hardware/redfish/endpoint-targets.ts';
import { serviceOptions, text } from '../engine/hardware/redfish/service.ts';

const name = 'Task.Redfish.Discover.Ranges';

/** RackHD names an option before a launch gives its value. */
const orNull = Type.Optional(Type.Union([text, Type.Null()]));

const credentials = Type.Optional(
  Type.Object(
    { userName: orNull, password: Type.Optional(secret(Type.Union([text, Type.Null()]))) },
    { additionalProperties: false, description: '`{ userName, password }` of ranges that have none themselves.' },
  ),
);

const deviceTypesToDiscover = Type.Optional(
  Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 16,
    description: 'SERVER, or nothing: a BMC is that of a server. Others are rejected.',
  }),
);

const range = Type.Object(
  {
    startIp: orNull,
    endIp: orNull,
    credentials,
    protocol: Type.Optional(Type.Unsafe<'http' | 'https'>({ enum: ['http', 'https'] })),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    deviceTypesToDiscover,
  },
  { additionalProperties: false },
);

const optionsSchema = Type.Object(
  {
    uri: Type.Optional(
      Type.String({ maxLength: 2_048, description: 'A service, such as `https://10.1.1.7/redfish/v1`.' }),
    ),
    username: Type.Optional({ ...text, description: 'User at `uri`; absent: that of the obm at its address.' }),
    password: Type.Optional(secret({ ...text, description: 'Password of `username`.' })),
    ranges: Type.Optional(
      Type.Array(range, {
        maxItems: 256,
        description: '`{ startIp, endIp, credentials? }`; at most 256 addresses in all.',
      }),
    ),
    credentials,
    deviceTypesToDiscover,
    inventory: Type.Optional(Type.Boolean({ description: 'Has no effect: the catalogs are always made.' })),
    budgetSec: Type.Integer({ minimum: 1, maximum: 3_600, description: 'Limit of the time for one BMC.' }),
    verifySSL: serviceOptions.verifySSL,
    ca: serviceOptions.ca,
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, DiscoveryOutput>({
  injectableName: name,
  friendlyName: 'Discover ranges of BMCs by Redfish',
  // As for Task.Redfish.Discover.
  recovery: 'idempotent',
  optionsSchema,
  options: { budgetSec: 300 },
  checkLaunch: async ({ options }) => endpointTargets(options as EndpointOptions).violations,
  machine: discoveryMachine<EndpointOptions & { budgetSec: number }>(name, endpointTargets),
});
