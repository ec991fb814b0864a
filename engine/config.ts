/**
 * The configuration: read once, checked once, frozen. It owns every default and every refusal; nothing else in the
 * daemon looks at a file or a variable of the environment to find out how to run.
 *
 * 1. A file that is wrong stops the start: one line that names the file, the key, what was found and what to do.
 * 2. A value that may be secret (URLs, keys, the token secret, `env`) never stands in a message.
 * 3. Paths in the result are absolute.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import { type Static, type TSchema, Type } from 'typebox';
import { type Arguments, readArguments } from './arguments.ts';
import { NodewrightError } from './define/errors.ts';
import { inPackage } from './define/place.ts';

const MIB = 1024 * 1024;
const DAY_SEC = 86_400;
const YEAR_SEC = 365 * DAY_SEC;
/** A name or an address, as it may be part of a URL. */
const HOST = '^[A-Za-z0-9.:_-]+$';

const words = <T extends string>(list: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...list] });

const Endpoint = Type.Object(
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

/** What a file may say; every key may be absent. */
export const configSchema = optional({
  httpEndpoints: Type.Array(Endpoint, { minItems: 1 }),
  enableLocalHostException: Type.Boolean(),
  dataDir: Type.String({ minLength: 1 }),
  mongodb: url('mongodb|mongodb\\+srv'),
  redis: url('redis|rediss'),
  amqp: url('amqp|amqps'),
  graphs: folders,
  tasks: folders,
  // HS256 takes a key as long as its hash; a shorter one is weaker than the signature.
  authTokenSecret: Type.String({ minLength: 32 }),
  authTokenExpireIn: Type.Integer({ minimum: 1, maximum: 10 * YEAR_SEC }),
  // Oftener, heartbeats would flood the broker.
  heartbeatIntervalSec: Type.Number({
    minimum: 0,
    maximum: DAY_SEC,
    not: { exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
    description: `0 (off), or 0.1 to ${DAY_SEC}`,
  }),
  servicePublicIp: Type.String({ pattern: HOST, maxLength: 253 }),
  taskConcurrency: Type.Integer({ minimum: 1, maximum: 10_000 }),
  // Less, and code that only waits for the processor would be taken for code that never returns.
  stepLimitMs: Type.Integer({
    minimum: 0,
    maximum: 600_000,
    not: { exclusiveMinimum: 0, exclusiveMaximum: 100 },
    description: '0 (off), or 100 to 600000',
  }),
  // A body is one text in memory, and V8 makes none of 512 MiB.
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
  env: Type.Record(Type.String(), Type.Unknown()),
});

export type ConfigFile = Static<typeof configSchema>;

/** What may be changed while the daemon runs; a partial of it (`settings.ts`). */
export const changeableConfig = Type.Pick(configSchema, [
  'enableLocalHostException',
  'authTokenExpireIn',
  'heartbeatIntervalSec',
  'servicePublicIp',
  'log',
  'env',
]);
export type Changeable = Static<typeof changeableConfig>;
/** The others that a file may hold. */
export const fixedConfig = Object.keys(configSchema.properties).filter((key) => !(key in changeableConfig.properties));

export interface HttpEndpoint {
  readonly address: string;
  readonly port: number;
  readonly httpsEnabled: boolean;
  /** Absolute paths of PEM files; both or none. */
  readonly httpsCert: string | undefined;
  readonly httpsKey: string | undefined;
  /** Of the authority that signed the certificate, where machines do not know it. */
  readonly httpsCa: string | undefined;
  readonly proxiesEnabled: boolean;
  readonly authEnabled: boolean;
  readonly routers: 'northbound-api-router' | 'southbound-api-router';
}

export interface Config extends Arguments {
  readonly httpEndpoints: readonly HttpEndpoint[];
  readonly enableLocalHostException: boolean;
  readonly dataDir: string;
  readonly mongodb: string | undefined;
  readonly redis: string | undefined;
  readonly amqp: string | undefined;
  readonly graphs: readonly string[];
  readonly tasks: readonly string[];
  /** Absent: made at the first start and kept in dataDir. */
  readonly authTokenSecret: string | undefined;
  /** Seconds. */
  readonly authTokenExpireIn: number;
  /** Seconds; 0 is off. */
  readonly heartbeatIntervalSec: number;
  readonly servicePublicIp: string | undefined;
  readonly taskConcurrency: number;
  /** ms that an author's code may hold the main thread; 0: for ever. */
  readonly stepLimitMs: number;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly packLimit: number;
  /** Graphs and tasks of SKU packs may be code, which runs as the daemon. */
  readonly packCode: boolean;
  readonly log: { readonly level: string };
  /** Absolute paths of the executables that `Task.Shell.Command` may start. */
  readonly shellCommands: readonly string[];
  /** The name of the graph that runs on nodes that are new. */
  readonly discoveryGraph: string;
  /** How many levels of child workflows a workflow may have, and how many of them in all. */
  readonly childGraphs: { readonly maxDepth: number; readonly maxDescendants: number };
  /** How BMCs are spoken to; `obm/obms.ts` says what each means. */
  readonly obm: {
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly failures: number;
    readonly restMs: number;
    readonly cipherSuite: number;
  };
  /** Values for `{{ env.x }}`. */
  readonly env: Readonly<Record<string, unknown>>;
}

/** Each default, with its reason. */
const defaults = {
  // Loopback only: a fresh install has no user yet, so nothing outside this machine may reach it.
  httpEndpoints: [
    { port: 8080, routers: 'northbound-api-router' },
    { port: 9080, routers: 'southbound-api-router' },
  ],
  // Without it nobody could make the first user.
  enableLocalHostException: true,
  dataDir: './data',
  // A working day's shift and a night: long enough not to log in twice a day.
  authTokenExpireIn: 86_400,
  // Listeners that miss three of these know within half a minute that the daemon is gone.
  heartbeatIntervalSec: 10,
  // Calls mostly wait for a machine; a hundred of them keep one process busy, not drowned.
  taskConcurrency: 100,
  // A step takes a millisecond, and clients are answered within 10 s.
  stepLimitMs: 5_000,
  // The largest catalogs in the field are 2 MiB.
  bodyLimit: 10 * MIB,
  // A pack may bring a boot image of a node agent, but not an operating system.
  packLimit: 256 * MIB,
  // Whoever may change SKUs may not have code run by the daemon, unless its owner says that they are the same people.
  packCode: false,
  log: { level: 'info' },
  // No command: what may run on this machine is for its owner to say.
  shellCommands: [],
  discoveryGraph: 'Graph.SKU.Discovery',
  // A graph that runs itself would fill the store; a rack has some fifty nodes, and graphs seldom nest deeper than three.
  childGraphs: { maxDepth: 8, maxDescendants: 1_000 },
  // BMCs are small computers: many lose what comes third. One that is dead is left alone for half a minute at first. Cipher
  // suite 3 is what every IPMI 2.0 BMC has.
  obm: { concurrency: 2, timeoutMs: 20_000, failures: 3, restMs: 30_000, cipherSuite: 3 },
  env: {},
} satisfies ConfigFile;

/** Where the daemon's own graphs and tasks are, whatever directory it is started from. */
const ownFolders = { graphs: [inPackage('graphs')], tasks: [inPackage('tasks')] };

/** Keys whose value never stands in a message. */
const SECRET = /^(mongodb|redis|amqp|authTokenSecret|env)\b/;

const validate = new Ajv({ verbose: true }).compile(configSchema);

const refuse = (source: string, what: string): never => {
  throw new NodewrightError('CONFIG_INVALID', `${source}: ${what}`);
};

/**
 * @param overrides laid over what the file says, for whoever starts the daemon from code
 * @param argv the process's own arguments (`--role api`, `--hold <id>`)
 * @throws NodewrightError CONFIG_INVALID with one line
 */
export function readConfig(
  env: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
  overrides: ConfigFile = {},
  argv: readonly string[] = [],
): Config {
  const { source, content } = readFile(env, cwd);
  const file = check(source, content);
  const said = check('environment and arguments', { ...urlsOf(env), ...overrides });
  const all = { ...defaults, ...file, ...said };
  const inCwd = (path: string) => resolve(cwd, path);
  const started = readArguments(argv);
  return freeze({
    ...started,
    httpEndpoints: readEndpoints('httpEndpoints' in said ? 'arguments' : source, all.httpEndpoints, inCwd),
    enableLocalHostException: all.enableLocalHostException,
    dataDir: inCwd(all.dataDir),
    mongodb: all.mongodb,
    redis: all.redis,
    amqp: all.amqp,
    graphs: all.graphs?.map(inCwd) ?? ownFolders.graphs,
    tasks: all.tasks?.map(inCwd) ?? ownFolders.tasks,
    authTokenSecret: all.authTokenSecret,
    authTokenExpireIn: all.authTokenExpireIn,
    heartbeatIntervalSec: all.heartbeatIntervalSec,
    servicePublicIp: all.servicePublicIp,
    taskConcurrency: all.taskConcurrency,
    stepLimitMs: all.stepLimitMs,
    bodyLimit: all.bodyLimit,
    packLimit: all.packLimit,
    packCode: all.packCode,
    log: { ...defaults.log, ...all.log },
    shellCommands: [...all.shellCommands],
    discoveryGraph: all.discoveryGraph,
    childGraphs: { ...defaults.childGraphs, ...all.childGraphs },
    obm: { ...defaults.obm, ...all.obm },
    env: structuredClone(all.env),
  });
}

function readFile(env: NodeJS.ProcessEnv, cwd: string): { source: string; content: unknown } {
  const named = env.NODEWRIGHT_CONFIG;
  const source = named ? resolve(cwd, named) : join(cwd, 'config.json');
  let text: string;
  try {
    text = readFileSync(source, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (!named && code === 'ENOENT') return { source: 'defaults', content: {} };
    return refuse(source, `cannot be read (${code}); ${named ? 'correct NODEWRIGHT_CONFIG' : 'make it readable'}`);
  }
  try {
    return { source, content: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    return refuse(source, 'is not JSON; correct it');
  }
}

const urlsOf = (env: NodeJS.ProcessEnv): ConfigFile =>
  Object.fromEntries(
    [
      ['mongodb', env.MONGODB_URL],
      ['redis', env.REDIS_URL],
      ['amqp', env.AMQP_URL],
    ].filter(([, value]) => value),
  );

function check(source: string, content: unknown): ConfigFile {
  if (validate(content)) return content as ConfigFile;
  const [fault] = validate.errors ?? [];
  return refuse(source, fault ? faultLine(fault) : 'is not a valid configuration');
}

/** `httpEndpoints.0.port is "x", expected integer`: one line for one fault. */
function faultLine({ instancePath, keyword, params, data, parentSchema }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const where = path === '' ? 'the configuration' : path;
  if (keyword === 'additionalProperties') {
    const key = [path, params.additionalProperty].filter(Boolean).join('.');
    return `${key} is not a known key; correct or remove it`;
  }
  if (keyword === 'required') return `${where} has no ${params.missingProperty}; add it`;
  return `${where} is ${shown(where, data)}, expected ${expectation(keyword, params, parentSchema)}`;
}

const shown = (path: string, value: unknown): string => {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (SECRET.test(path)) return `a ${typeof value} that is not shown`;
  return JSON.stringify(value).slice(0, 100);
};

function expectation(keyword: string, params: Record<string, unknown>, schema: ErrorObject['parentSchema']): string {
  switch (keyword) {
    case 'not':
      return String(schema?.description);
    case 'type':
      return String(params.type);
    case 'enum':
      return `one of ${(params.allowedValues as string[]).join(', ')}`;
    case 'pattern':
      if (params.pattern === '^/') return 'an absolute path';
      return params.pattern === HOST ? 'a host name or an address' : `a URL that matches ${params.pattern}`;
    case 'minimum':
    case 'maximum':
      return `${params.comparison} ${params.limit}`;
    case 'minLength':
      return `at least ${params.limit} characters`;
    case 'maxLength':
      return `at most ${params.limit} characters`;
    case 'minItems':
      return `at least ${params.limit} of them`;
    default:
      return `something else (${keyword})`;
  }
}

type EndpointFile = Static<typeof Endpoint>;

function readEndpoints(
  source: string,
  endpoints: readonly EndpointFile[],
  inCwd: (path: string) => string,
): HttpEndpoint[] {
  const taken = new Map<string, number>();
  return endpoints.map((endpoint, index) => {
    const where = `httpEndpoints.${index}`;
    const northbound = endpoint.routers === 'northbound-api-router';
    const { httpsCert, httpsKey, httpsCa, port, address = '127.0.0.1', authEnabled = northbound } = endpoint;
    if (!northbound && authEnabled) {
      refuse(source, `${where}.authEnabled is true, expected false: nodes that boot from southbound have no token`);
    }
    if ((httpsCert === undefined) !== (httpsKey === undefined)) {
      refuse(source, `${where} has one of httpsCert and httpsKey, expected both or none`);
    }
    if (httpsCa !== undefined && httpsCert === undefined) {
      refuse(source, `${where} has httpsCa without httpsCert, which it has to have signed; add it or remove httpsCa`);
    }
    const twin = taken.get(`${address}:${port}`);
    if (port !== 0 && twin !== undefined) {
      refuse(source, `${where}.port is ${port} at ${address}, which httpEndpoints.${twin} has too; change one`);
    }
    taken.set(`${address}:${port}`, index);
    return {
      address,
      port,
      httpsEnabled: endpoint.httpsEnabled ?? false,
      httpsCert: httpsCert === undefined ? undefined : inCwd(httpsCert),
      httpsKey: httpsKey === undefined ? undefined : inCwd(httpsKey),
      httpsCa: httpsCa === undefined ? undefined : inCwd(httpsCa),
      proxiesEnabled: endpoint.proxiesEnabled ?? false,
      authEnabled,
      routers: endpoint.routers,
    };
  });
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  }
  return value;
}
