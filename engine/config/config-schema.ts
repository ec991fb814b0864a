/** The schema of the configuration file, and the reference of all keys; defaults are in `defaults.ts`. */
import { type Static, type TSchema, Type } from 'typebox';
import { southboundQuotas } from './southbound-quotas.ts';

export const MIB = 1024 * 1024;
const DAY_SEC = 86_400;
const YEAR_SEC = 365 * DAY_SEC;
/** A host name or an address that can be part of a URL. */
export const HOST = '^[A-Za-z0-9.:_-]+$';

const words = <T extends string>(list: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...list] });

export const endpointSchema = Type.Object(
  {
    address: Type.Optional(Type.String({ minLength: 1 })),
    /** 0: any free port. */
    port: Type.Integer({ minimum: 0, maximum: 65_535 }),
    httpsEnabled: Type.Optional(Type.Boolean()),
    httpsCert: Type.Optional(Type.String({ minLength: 1 })),
    httpsKey: Type.Optional(Type.String({ minLength: 1 })),
    httpsCa: Type.Optional(Type.String({ minLength: 1 })),
    proxiesEnabled: Type.Optional(Type.Boolean()),
    authEnabled: Type.Optional(Type.Boolean()),
    routers: words(['northbound-api-router', 'southbound-api-router']),
  },
  { additionalProperties: false },
);

const folders = Type.Array(Type.String({ minLength: 1 }));
const url = (schemes: string) => Type.String({ pattern: `^(${schemes})://` });

const optional = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Partial(Type.Object(properties), { additionalProperties: false });

/** The configuration file; all keys are optional. */
export const configSchema = optional({
  httpEndpoints: Type.Array(endpointSchema, { minItems: 1 }),
  enableLocalHostException: Type.Boolean(),
  dataDir: Type.String({ minLength: 1 }),
  mongodb: url('mongodb|mongodb\\+srv'),
  redis: url('redis|rediss'),
  amqp: url('amqp|amqps'),
  graphs: folders,
  tasks: folders,
  // HS256 needs a key as long as its hash; a shorter one weakens the signature.
  authTokenSecret: Type.String({ minLength: 32 }),
  authTokenExpireIn: Type.Integer({ minimum: 1, maximum: 10 * YEAR_SEC }),
  // Shorter intervals would flood the broker.
  heartbeatIntervalSec: Type.Number({
    minimum: 0,
    maximum: DAY_SEC,
    not: { exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
    description: `0 (off), or 0.1 to ${DAY_SEC}`,
  }),
  servicePublicIp: Type.String({ pattern: HOST, maxLength: 253 }),
  taskConcurrency: Type.Integer({ minimum: 1, maximum: 10_000 }),
  // With less, code that waits for the processor would be mistaken for code that never returns.
  stepLimitMs: Type.Integer({
    minimum: 0,
    maximum: 600_000,
    not: { exclusiveMinimum: 0, exclusiveMaximum: 100 },
    description: '0 (off), or 100 to 600000',
  }),
  // A body is one string in memory, and V8 limits strings to 512 MiB.
  bodyLimit: Type.Integer({ minimum: 1, maximum: 256 * MIB }),
  packLimit: Type.Integer({ minimum: 1, maximum: 64 * 1024 * MIB }),
  packCode: Type.Boolean(),
  log: optional({ level: words(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']) }),
  shellCommands: Type.Array(Type.String({ pattern: '^/' })),
  discoveryGraph: Type.String({ minLength: 1 }),
  childGraphs: optional({
    maxDepth: Type.Integer({ minimum: 1, maximum: 100 }),
    maxDescendants: Type.Integer({ minimum: 1, maximum: 100_000 }),
  }),
  obm: optional({
    concurrency: Type.Integer({ minimum: 1, maximum: 100 }),
    timeoutMs: Type.Integer({ minimum: 1_000, maximum: 600_000 }),
    failures: Type.Integer({ minimum: 1, maximum: 1_000 }),
    restMs: Type.Integer({ minimum: 1, maximum: DAY_SEC * 1_000 }),
    cipherSuite: Type.Integer({ minimum: 0, maximum: 17 }),
  }),
  southboundKeys: words(['accept', 'require']),
  southboundQuotas,
  env: Type.Record(Type.String(), Type.Unknown()),
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
export type Changeable = Static<typeof changeableConfig>;
/** All other keys of the file. */
export const fixedConfig = Object.keys(configSchema.properties).filter((key) => !(key in changeableConfig.properties));
