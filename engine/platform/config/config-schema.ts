/**
 * The schema of the configuration file. `docs/reference/configuration.md` is generated from its descriptions and from the
 * defaults in `defaults.ts`.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { DAY_SEC, MIB } from '../../vocabulary/units.ts';
import { approvalRules } from './approvals.ts';
import { openIdSchema } from './openid-schema.ts';
import { restrictionRules } from './restrictions.ts';
import { southboundQuotas } from './southbound-quotas.ts';

const YEAR_SEC = 365 * DAY_SEC;
/** A host name or an address that can be part of a URL. */
export const HOST = '^[A-Za-z0-9.:_-]+$';
/** An address, in brackets for IPv6, and a port. */
export const ADDRESS_AND_PORT = '^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+):[0-9]{1,5}$';

const words = <T extends string>(list: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...list], description });
const text = (description: string) => Type.String({ minLength: 1, description });

export const endpointSchema = Type.Object(
  {
    address: Type.Optional(text('Address to listen on; absent: `127.0.0.1`.')),
    port: Type.Integer({ minimum: 0, maximum: 65_535, description: 'Port; 0: any free port.' }),
    httpsEnabled: Type.Optional(Type.Boolean({ description: 'https; false if absent.' })),
    httpsCert: Type.Optional(text('PEM file of the certificate; absent: one made in `dataDir`.')),
    httpsKey: Type.Optional(text('PEM file of its key; required with `httpsCert`.')),
    httpsCa: Type.Optional(
      text('PEM file of the authority that signed the certificate, for nodes that do not know it.'),
    ),
    proxiesEnabled: Type.Optional(
      Type.Boolean({
        description: 'The sender is the last entry of `X-Forwarded-For`. Only a proxy may be able to reach the port.',
      }),
    ),
    authEnabled: Type.Optional(
      Type.Boolean({ description: 'Requests need a token; absent: northbound only. Southbound it must be false.' }),
    ),
    routers: words(['northbound-api-router', 'southbound-api-router'], 'The routes of users, or those of nodes.'),
  },
  { additionalProperties: false },
);

const folders = (description: string) => Type.Array(Type.String({ minLength: 1 }), { description });
const url = (schemes: string, description: string) => Type.String({ pattern: `^(${schemes})://`, description });

const optional = <T extends Record<string, TSchema>>(properties: T, description?: string) =>
  Type.Partial(Type.Object(properties), {
    additionalProperties: false,
    ...(description !== undefined && { description }),
  });

const tokenKey = Type.String({ minLength: 32 });
/** Enough for a rotation that begins before the previous one has ended. */
const MAX_KEYS = 5;

/** A name, `*.name`, `*`, an address or a subnet. */
const host = Type.String({ pattern: '^(\\*|(\\*\\.)?[A-Za-z0-9_][A-Za-z0-9_.-]*|[0-9A-Fa-f:.]+(/[0-9]{1,3})?)$' });

/** The configuration file; all keys are optional. */
export const configSchema = optional({
  httpEndpoints: Type.Array(endpointSchema, { minItems: 1, description: 'The endpoints of the daemon.' }),
  healthEndpoint: Type.String({
    pattern: ADDRESS_AND_PORT,
    description:
      'Address and port, such as `127.0.0.1:9090` or `[::1]:9090`, of an endpoint with `/healthz`, `/readyz` and `/metrics`, without a token, in every role; a worker has no other. Only monitoring should reach it. Port 0: any free port.',
  }),
  enableLocalHostException: Type.Boolean({
    description: 'The first user may be created from this machine without a token.',
  }),
  dataDir: text(
    'Folder of the database, the definitions and the generated secrets; one per daemon. With less than 64 MiB of free disk, writes are rejected.',
  ),
  mongodb: url('mongodb|mongodb\\+srv', 'Document store that several daemons share; only together with `redis`.'),
  redis: url(
    'redis|rediss',
    'Server of running workflows and of the queue, which several daemons share; only together with `mongodb`.',
  ),
  redisDurability: words(
    ['always', 'everysec', 'no'],
    'The weakest `appendfsync` of Redis that is accepted. A power failure of its host loses nothing with `always`; up to two seconds of steps with `everysec`, which are then taken again, so that a task that must not run twice may run twice; everything that runs with `no`, which also accepts `appendonly no` and eviction. Absent: `always`, and a server whose settings cannot be checked is rejected.',
  ),
  redisReplicas: Type.Integer({
    minimum: 0,
    maximum: 10,
    description:
      'Number of replicas of Redis that have to acknowledge each launch, each start of a task that must not run twice, and each command to a BMC, so that none is lost or repeated when a replica is promoted. With too few replicas launches get 503, and such tasks wait.',
  }),
  amqp: url('amqp|amqps', 'Broker that events are published to; absent: no broker.'),
  graphs: folders(
    'Watched folders of graphs; absent: that of this package, and `graphs` in the working directory, if it exists at the start. A list replaces both: name `node_modules/nodewright/graphs` too for the included graphs.',
  ),
  tasks: folders(
    'Watched folders of tasks; absent: that of this package, and `tasks` in the working directory, if it exists at the start. A list replaces both: name `node_modules/nodewright/tasks` too for the included tasks.',
  ),
  // HS256 needs a key as long as its hash; a shorter one weakens the signature.
  authTokenSecret: Type.Union([tokenKey, Type.Array(tokenKey, { minItems: 1, maxItems: MAX_KEYS })], {
    description:
      'Key of login tokens, or a list of keys: the first signs, all are accepted ([rotation](../operate/keys.md)). Absent: generated at the first start and stored.',
  }),
  authTokenExpireIn: Type.Integer({
    minimum: 1,
    maximum: 10 * YEAR_SEC,
    description: 'Seconds that a login token is valid.',
  }),
  // Shorter intervals would flood the broker.
  heartbeatIntervalSec: Type.Number({
    minimum: 0,
    maximum: DAY_SEC,
    not: { exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
    description: 'Seconds between the heartbeats of a process.',
  }),
  eventRetentionDays: Type.Number({
    minimum: 0,
    maximum: 36_500,
    description: 'Days for which `GET /events` has an event, also fractions; 0: for ever.',
  }),
  servicePublicIp: Type.String({
    pattern: HOST,
    maxLength: 253,
    description: 'Address under which nodes and BMCs reach the daemon, as in `{{ api.base }}`.',
  }),
  taskConcurrency: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    description: 'Concurrent activities of a process.',
  }),
  // With less, code that waits for the processor would be mistaken for code that never returns.
  stepLimitMs: Type.Integer({
    minimum: 0,
    maximum: 600_000,
    not: { exclusiveMinimum: 0, exclusiveMaximum: 100 },
    description: 'Milliseconds that a step of a workflow may block the daemon; then its workflow is quarantined.',
  }),
  // A body is one string in memory, and V8 limits strings to 512 MiB.
  bodyLimit: Type.Integer({
    minimum: 1,
    maximum: 256 * MIB,
    description: 'Bytes of a request body; larger bodies get 413.',
  }),
  packLimit: Type.Integer({
    minimum: 1,
    maximum: 64 * 1024 * MIB,
    description: 'Bytes of a pack or file; larger ones get 413. Unpacked, a pack may be eight times as large.',
  }),
  packCode: Type.Boolean({
    description:
      'Packs may contain code, which runs with the rights of the daemon; users who may change SKUs then have them too.',
  }),
  auditRetentionDays: Type.Number({
    minimum: 0,
    maximum: 36_500,
    description: 'Days that entries of the [audit log](../operate/audit.md) are kept, also fractions; 0: without end.',
  }),
  workflowRetentionDays: Type.Number({
    minimum: 0,
    maximum: 36_500,
    description: 'Days that workflows are kept after their end, also fractions; 0: without end.',
  }),
  certificateRetentionDays: Type.Number({
    minimum: 0,
    maximum: 36_500,
    description:
      'Days that [certificates](../operate/erase.md#the-certificate) of erased drives are kept, also of deleted workflows; also fractions; 0: without end.',
  }),
  catalogRetentionDays: Type.Number({
    minimum: 0,
    maximum: 36_500,
    description:
      'Days that catalogs are kept, also fractions; 0: without end. The latest of each source of a node stays, and never more ' +
      'than ten.',
  }),
  consoleLines: Type.Integer({
    minimum: 100,
    maximum: 200_000,
    description: 'Lines that are kept of the [console](../operate/machine-console.md) of each machine.',
  }),
  consoleRetentionDays: Type.Number({
    minimum: 0,
    maximum: 36_500,
    description:
      'Days that lines of consoles are kept, also fractions; 0: without end, but never more than `consoleLines`.',
  }),
  log: optional(
    {
      level: words(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'The lowest level that is logged.'),
    },
    'Options of the log.',
  ),
  shellCommands: Type.Array(Type.String({ pattern: '^/' }), {
    description: 'Absolute paths of the executables that `Task.Shell.Command` may run.',
  }),
  approvals: approvalRules,
  restrictions: restrictionRules,
  otlp: Type.String({
    pattern: '^https?://[^/@?#]+(/[^@?#]*)?$',
    maxLength: 1_000,
    description:
      'URL of a collector that receives the spans of workflows by OTLP over HTTP, without `/v1/traces`; absent: none are sent ([how](../operate/traces.md)).',
  }),
  oidc: openIdSchema,
  discoveryGraph: Type.String({ minLength: 1, description: 'The graph that runs on new nodes.' }),
  childGraphs: optional(
    {
      maxDepth: Type.Integer({ minimum: 1, maximum: 100, description: 'Levels.' }),
      maxDescendants: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Workflows on all levels together.' }),
    },
    'Limits for the child workflows of a workflow; more fail as `TOO_MANY_CHILDREN`.',
  ),
  obm: optional(
    {
      concurrency: Type.Integer({ minimum: 1, maximum: 100, description: 'Concurrent commands to one BMC.' }),
      timeoutMs: Type.Integer({ minimum: 1_000, maximum: 600_000, description: 'Timeout of one command.' }),
      failures: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Missing answers that open the circuit.' }),
      backoffMs: Type.Integer({
        minimum: 1,
        maximum: DAY_SEC * 1_000,
        description: 'How long the circuit stays open.',
      }),
      cipherSuite: Type.Integer({ minimum: 0, maximum: 17, description: 'IPMI cipher suite.' }),
    },
    'Limits for requests to BMCs, per BMC and process.',
  ),
  egress: optional(
    {
      allow: Type.Array(host, { description: 'Permitted, also if `deny` or the defaults forbid it.' }),
      deny: Type.Array(host, { description: 'Forbidden; `*` is every host that `allow` does not have.' }),
    },
    'Hosts to which REST tasks, installation sources and web hooks may send requests: names, `*.example.com`, addresses, subnets. ' +
      'Link-local addresses are forbidden by default, and so is loopback, unless northbound listens on loopback only.',
  ),
  southboundKeys: words(
    ['accept', 'require'],
    'Whether requests of nodes need the key from the boot of their node ([keys](../operate/security.md#keys)).',
  ),
  southboundQuotas,
  env: Type.Record(
    Type.String(),
    Type.Unsafe<unknown>({
      if: { type: 'object', anyOf: [{ required: ['tasks'] }, { required: ['hosts'] }] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: Type.Object(
        {
          value: Type.Union([
            Type.String(),
            Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
          ]),
          tasks: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
          hosts: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
        },
        { additionalProperties: false },
      ),
    }),
    {
      description:
        'Values for `{{ env.x }}`. A secret has limits: `{ value, tasks, hosts }`, the names of the tasks that may use it, ' +
        'and the hosts that they may send it to ([Security](../operate/security.md#secrets)).',
    },
  ),
});

export type ConfigFile = Static<typeof configSchema>;

/** The keys that can be changed at run time, all optional (`settings.ts`). */
export const changeableConfig = Type.Pick(configSchema, [
  'enableLocalHostException',
  'authTokenExpireIn',
  'heartbeatIntervalSec',
  'servicePublicIp',
  'log',
  'env',
]);
export type ChangeableConfig = Static<typeof changeableConfig>;
/** All other keys of the file. */
export const fixedConfig = Object.keys(configSchema.properties).filter((key) => !(key in changeableConfig.properties));
