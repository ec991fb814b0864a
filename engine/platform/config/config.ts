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
import { codeOf } from '../../vocabulary/thrown-values.ts';
import type { EgressLists } from '../lib/egress.ts';
import type { ApprovalRule } from './approvals.ts';
import { type Arguments, readArguments } from './arguments.ts';
import type { ConfigFile } from './config-schema.ts';
import { defaults, ownFolders } from './defaults.ts';
import { type HttpEndpoint, readEndpoints, readHealthEndpoint } from './endpoints.ts';
import { readEnvironment } from './environment.ts';
import type { LaunchMatch } from './launch-match.ts';
import { type OpenIdConfig, readOpenId } from './openid.ts';
import type { RestrictionRule } from './restrictions.ts';
import { quotaDefaults, type SouthboundQuotas } from './southbound-quotas.ts';
import { check, rejectConfig } from './violations.ts';

export {
  type ChangeableConfig,
  type ConfigFile,
  changeableConfig,
  configSchema,
  fixedConfig,
} from './config-schema.ts';

/** An object of the file with its defaults. */
type CompletedConfig<Key extends keyof ConfigFile> = Readonly<Required<NonNullable<ConfigFile[Key]>>>;

/** The keys whose values are not those of the file. */
interface DerivedConfig extends Arguments {
  readonly httpEndpoints: readonly HttpEndpoint[];
  readonly healthEndpoint: HttpEndpoint | undefined;
  readonly graphs: readonly string[];
  readonly tasks: readonly string[];
  readonly approvals: readonly ApprovalRule[];
  readonly restrictions: readonly RestrictionRule[];
  readonly oidc: OpenIdConfig | undefined;
  /** The first signs, all are accepted. Absent: generated at the first start and stored in dataDir. */
  readonly authTokenSecret: readonly string[] | undefined;
  readonly log: CompletedConfig<'log'>;
  readonly shellCommands: readonly string[];
  readonly childGraphs: CompletedConfig<'childGraphs'>;
  readonly obm: CompletedConfig<'obm'>;
  readonly egress: EgressLists;
  readonly southboundQuotas: SouthboundQuotas;
  readonly env: Readonly<Record<string, unknown>>;
}

/** Each key as its description in the schema says. */
export type Config = DerivedConfig &
  Readonly<Omit<ConfigFile & Required<Pick<ConfigFile, keyof typeof defaults>>, keyof DerivedConfig>>;

/**
 * @param overrides override the file, for callers that start the daemon from code
 * @param argv the arguments of the process (`--role api`, `--suspend <id>`)
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
  const sourceOf = (key: keyof ConfigFile) => (key in said ? 'arguments' : source);
  const httpEndpoints = readEndpoints(sourceOf('httpEndpoints'), all.httpEndpoints, inCwd);
  return freeze({
    ...all,
    ...readArguments(argv),
    httpEndpoints,
    healthEndpoint: readHealthEndpoint(source, all.healthEndpoint, httpEndpoints),
    dataDir: inCwd(all.dataDir),
    graphs: all.graphs?.map(inCwd) ?? ownFolders('graphs', cwd),
    tasks: all.tasks?.map(inCwd) ?? ownFolders('tasks', cwd),
    approvals: readRules(sourceOf('approvals'), 'approvals', all.approvals),
    restrictions: readRules(sourceOf('restrictions'), 'restrictions', all.restrictions),
    oidc: readOpenId(sourceOf('oidc'), all.oidc, inCwd),
    authTokenSecret: all.authTokenSecret === undefined ? undefined : [all.authTokenSecret].flat(),
    log: { ...defaults.log, ...all.log },
    childGraphs: { ...defaults.childGraphs, ...all.childGraphs },
    obm: { ...defaults.obm, ...all.obm },
    egress: { allow: [], deny: [], ...all.egress },
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

/** @throws NodewrightError CONFIG_INVALID */
function readRules<Rule extends LaunchMatch>(source: string, key: string, rules: readonly Rule[]): readonly Rule[] {
  for (const [at, { graphs, destructive }] of rules.entries())
    if ((graphs === undefined) === (destructive === undefined))
      rejectConfig(source, `${key}.${at} has graphs and destructive, or neither; name one of them`);
  return rules;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  }
  return value;
}
