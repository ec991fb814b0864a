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
import { codeOf } from '../../vocabulary/thrown.ts';
import type { EgressLists } from '../lib/egress.ts';
import { type Arguments, readArguments } from './arguments.ts';
import type { ConfigFile } from './config-schema.ts';
import { defaults, ownFolders } from './defaults.ts';
import { type HttpEndpoint, readEndpoints, readHealthEndpoint } from './endpoints.ts';
import { readEnvironment } from './environment.ts';
import { quotaDefaults, type SouthboundQuotas } from './southbound-quotas.ts';
import { check, rejectConfig } from './violations.ts';

export { type Changeable, type ConfigFile, changeableConfig, configSchema, fixedConfig } from './config-schema.ts';

export interface Config extends Arguments {
  readonly httpEndpoints: readonly HttpEndpoint[];
  /** Health and metrics without a token, in every role; absent: only on the other endpoints. */
  readonly healthEndpoint: HttpEndpoint | undefined;
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
  /** The first signs, all are accepted. Absent: generated at the first start and stored in dataDir. */
  readonly authTokenSecret: readonly string[] | undefined;
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
  /** 0: entries are kept without end. */
  readonly auditRetentionDays: number;
  /** May be a fraction; 0: they are kept. */
  readonly workflowRetentionDays: number;
  /** May be a fraction; 0: they are kept. The latest catalogs are always kept. */
  readonly catalogRetentionDays: number;
  readonly log: { readonly level: string };
  /** Absolute paths of the executables that `Task.Shell.Command` may start. */
  readonly shellCommands: readonly string[];
  /** The name of the graph that runs on new nodes. */
  readonly discoveryGraph: string;
  /** Maximum levels and total number of child workflows of a workflow. */
  readonly childGraphs: { readonly maxDepth: number; readonly maxDescendants: number };
  /** Limits for BMCs, documented in `hardware/obm/obm-drivers.ts`. */
  readonly obm: {
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly failures: number;
    readonly backoffMs: number;
    readonly cipherSuite: number;
  };
  /** Hosts, for requests to URLs of users (`platform/lib/egress.ts`). */
  readonly egress: EgressLists;
  /** Whether a southbound request needs the key that the boot of its node delivered. */
  readonly southboundKeys: 'accept' | 'require';
  readonly southboundQuotas: SouthboundQuotas;
  /** Values for `{{ env.x }}`. */
  readonly env: Readonly<Record<string, unknown>>;
}

/**
 * @param overrides override the file, for callers that start the daemon from code
 * @param argv the arguments of the process (`--role api`, `--hold <id>`)
 * @param warn receives lines about settings that work but should be changed
 * @throws NodewrightError CONFIG_INVALID with one line
 */
export function readConfig(
  env: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
  overrides: ConfigFile = {},
  argv: readonly string[] = [],
  warn: (line: string) => void = () => {},
): Config {
  const { source, content } = readFile(env, cwd);
  const file = check(source, content);
  const said = check('environment and arguments', { ...readEnvironment(env, cwd, warn), ...overrides });
  const all = { ...defaults, ...file, ...said };
  const inCwd = (path: string) => resolve(cwd, path);
  const started = readArguments(argv);
  const httpEndpoints = readEndpoints('httpEndpoints' in said ? 'arguments' : source, all.httpEndpoints, inCwd);
  return freeze({
    ...started,
    httpEndpoints,
    healthEndpoint: readHealthEndpoint(source, all.healthEndpoint, httpEndpoints),
    enableLocalHostException: all.enableLocalHostException,
    dataDir: inCwd(all.dataDir),
    mongodb: all.mongodb,
    redis: all.redis,
    redisDurability: all.redisDurability,
    redisReplicas: all.redisReplicas,
    amqp: all.amqp,
    graphs: all.graphs?.map(inCwd) ?? ownFolders('graphs', cwd),
    tasks: all.tasks?.map(inCwd) ?? ownFolders('tasks', cwd),
    authTokenSecret: all.authTokenSecret === undefined ? undefined : [all.authTokenSecret].flat(),
    authTokenExpireIn: all.authTokenExpireIn,
    heartbeatIntervalSec: all.heartbeatIntervalSec,
    eventRetentionDays: all.eventRetentionDays,
    servicePublicIp: all.servicePublicIp,
    taskConcurrency: all.taskConcurrency,
    stepLimitMs: all.stepLimitMs,
    bodyLimit: all.bodyLimit,
    packLimit: all.packLimit,
    packCode: all.packCode,
    auditRetentionDays: all.auditRetentionDays,
    workflowRetentionDays: all.workflowRetentionDays,
    catalogRetentionDays: all.catalogRetentionDays,
    log: { ...defaults.log, ...all.log },
    shellCommands: [...all.shellCommands],
    discoveryGraph: all.discoveryGraph,
    childGraphs: { ...defaults.childGraphs, ...all.childGraphs },
    obm: { ...defaults.obm, ...all.obm },
    egress: { allow: [], deny: [], ...all.egress },
    southboundKeys: all.southboundKeys,
    southboundQuotas: { ...quotaDefaults, ...all.southboundQuotas },
    env: structuredClone({ ...file.env, ...said.env }),
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

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  }
  return value;
}
