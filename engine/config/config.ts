/**
 * The configuration: read once, validated once, frozen. It defines every default and every rejection; no other part of
 * the daemon reads a file or an environment variable to configure itself.
 *
 * 1. An invalid file stops the start with one line that names the file, the key, the value found and what to do.
 * 2. A value that may be secret (URLs, keys, the token secret, `env`) never appears in a message.
 * 3. Paths in the result are absolute.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Static } from 'typebox';
import { codeOf } from '../define/thrown.ts';
import { type Arguments, readArguments } from './arguments.ts';
import type { ConfigFile, endpointSchema } from './config-schema.ts';
import { defaults, ownFolders } from './defaults.ts';
import { quotaDefaults, type SouthboundQuotas } from './southbound-quotas.ts';
import { check, rejectConfig } from './violations.ts';

export { type Changeable, type ConfigFile, changeableConfig, configSchema, fixedConfig } from './config-schema.ts';

export interface HttpEndpoint {
  readonly address: string;
  readonly port: number;
  readonly httpsEnabled: boolean;
  /** Absolute paths of PEM files; both or none. */
  readonly httpsCert: string | undefined;
  readonly httpsKey: string | undefined;
  /** PEM file of the authority that signed the certificate, for machines that do not know it. */
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
  /** The weakest `appendfsync` that is accepted; absent: `always`, which has to be known. */
  readonly redisDurability: 'always' | 'everysec' | 'no' | undefined;
  /** The number of replicas that launches and claims of `once` activities wait for. */
  readonly redisReplicas: number;
  readonly amqp: string | undefined;
  readonly graphs: readonly string[];
  readonly tasks: readonly string[];
  /** Absent: generated at the first start and stored in dataDir. */
  readonly authTokenSecret: string | undefined;
  /** Seconds. */
  readonly authTokenExpireIn: number;
  /** Seconds; 0 disables it. */
  readonly heartbeatIntervalSec: number;
  /** 0: for ever. */
  readonly eventRetentionDays: number;
  readonly servicePublicIp: string | undefined;
  readonly taskConcurrency: number;
  /** ms that an author's code may block the main thread; 0: no limit. */
  readonly stepLimitMs: number;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly packLimit: number;
  /** Whether graphs and tasks in SKU packs may be code, which runs in the daemon. */
  readonly packCode: boolean;
  readonly log: { readonly level: string };
  /** Absolute paths of the executables that `Task.Shell.Command` may start. */
  readonly shellCommands: readonly string[];
  /** The name of the graph that runs on new nodes. */
  readonly discoveryGraph: string;
  /** Maximum levels and total number of child workflows of a workflow. */
  readonly childGraphs: { readonly maxDepth: number; readonly maxDescendants: number };
  /** Limits for BMCs, documented in `obm/obm-drivers.ts`. */
  readonly obm: {
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly failures: number;
    readonly restMs: number;
    readonly cipherSuite: number;
  };
  /** Whether a southbound request needs the key that the boot of its node delivered. */
  readonly southboundKeys: 'accept' | 'require';
  readonly southboundQuotas: SouthboundQuotas;
  /** Values for `{{ env.x }}`. */
  readonly env: Readonly<Record<string, unknown>>;
}

/**
 * @param overrides override the file, for callers that start the daemon from code
 * @param argv the arguments of the process (`--role api`, `--hold <id>`)
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
    redisDurability: all.redisDurability,
    redisReplicas: all.redisReplicas,
    amqp: all.amqp,
    graphs: all.graphs?.map(inCwd) ?? ownFolders.graphs,
    tasks: all.tasks?.map(inCwd) ?? ownFolders.tasks,
    authTokenSecret: all.authTokenSecret,
    authTokenExpireIn: all.authTokenExpireIn,
    heartbeatIntervalSec: all.heartbeatIntervalSec,
    eventRetentionDays: all.eventRetentionDays,
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
    southboundKeys: all.southboundKeys,
    southboundQuotas: { ...quotaDefaults, ...all.southboundQuotas },
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
    const code = codeOf(error);
    if (!named && code === 'ENOENT') return { source: 'defaults', content: {} };
    return rejectConfig(
      source,
      `cannot be read (${code}); ${named ? 'correct NODEWRIGHT_CONFIG' : 'make it readable'}`,
    );
  }
  try {
    return { source, content: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    return rejectConfig(source, 'is not JSON; correct it');
  }
}

/** Environment variables that override keys of the file. */
export const urlVariables = { mongodb: 'MONGODB_URL', redis: 'REDIS_URL', amqp: 'AMQP_URL' } as const;

const urlsOf = (env: NodeJS.ProcessEnv): ConfigFile =>
  Object.fromEntries(
    Object.entries(urlVariables)
      .map(([key, name]) => [key, env[name]])
      .filter(([, value]) => value),
  );

type EndpointFile = Static<typeof endpointSchema>;

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
      rejectConfig(
        source,
        `${where}.authEnabled is true, expected false: nodes that boot from southbound have no token`,
      );
    }
    if ((httpsCert === undefined) !== (httpsKey === undefined)) {
      rejectConfig(source, `${where} has one of httpsCert and httpsKey, expected both or none`);
    }
    if (httpsCa !== undefined && httpsCert === undefined) {
      rejectConfig(
        source,
        `${where} has httpsCa without the httpsCert that it signed; add httpsCert or remove httpsCa`,
      );
    }
    const twin = taken.get(`${address}:${port}`);
    if (port !== 0 && twin !== undefined) {
      rejectConfig(
        source,
        `${where}.port is ${port} at ${address}, already used by httpEndpoints.${twin}; change one of them`,
      );
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
