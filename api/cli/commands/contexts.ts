/** `nw login`, `logout`, `whoami`, `context`: daemons and tokens. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Client } from '../client.ts';
import { addressOf, type ConnectionOptions, chosenContext, connecting, withClient } from '../connection.ts';
import { type Context, readContexts, writeContexts } from '../contexts.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { showList, showRecord } from '../output.ts';
import { askPassword, askText } from '../prompts.ts';
import { inform, printableText } from '../terminal.ts';

interface LoginOptions extends ConnectionOptions {
  user?: string;
  passwordStdin?: boolean;
  oidc?: boolean;
}

export function addContextCommands(root: Command): void {
  connecting(root.command('login'))
    .description('gets a token for a daemon, and keeps it in a context')
    .option('-u, --user <name>', 'user name; asked for if absent')
    .option('--password-stdin', 'reads the password from the standard input')
    .option('--oidc', "logs in at the daemon's provider of OpenID Connect, in a browser on any machine")
    .action(login);
  connecting(root.command('logout')).description('ends the token, and removes the context').action(logout);
  connecting(root.command('whoami')).description('shows the daemon and the user of commands').action(whoami);
  const context = root.command('context').description('the daemons that you have logged in to');
  connecting(context.command('list', { isDefault: true }))
    .description('lists contexts')
    .action(list);
  context.command('use <name>').description('makes a context the current one').action(use);
}

/** The name of a context is given, or it is the host of its daemon. */
const nameOf = ({ context }: ConnectionOptions, url: string): string => context ?? new URL(url).host;

async function login(options: LoginOptions): Promise<void> {
  // A context that does not exist is made.
  const { context: _, ...given } = options;
  const { contexts } = readContexts();
  const knownContext = options.context === undefined ? undefined : contexts[options.context];
  const { url, ca } = addressOf({ ...given, url: given.url ?? knownContext?.url });
  const client = new Client({ url, token: undefined, ca });
  try {
    const access = options.oidc
      ? await accessByProvider(client, ca)
      : await accessByPassword(client, options, knownContext?.user);
    keepContext(nameOf(options, url), { url, ...access, ...(ca !== undefined && { ca: resolve(ca) }) });
  } finally {
    await client.close();
  }
}

type AccessByLogin = Pick<Context, 'token' | 'user' | 'renewal'>;

async function accessByPassword(
  client: Client,
  options: LoginOptions,
  lastUser: string | undefined,
): Promise<AccessByLogin> {
  const user = options.user ?? (await askText('User', lastUser));
  const password = await askPassword(`Password of ${user}`, options.passwordStdin === true);
  const { body } = await client.post('/login', { body: { username: user, password } }).catch(wrongPassword);
  return { token: body.token, user };
}

async function accessByProvider(client: Client, ca: string | undefined): Promise<AccessByLogin> {
  const { oidc } = (await client.get('/login/methods')).body;
  if (oidc === null)
    throw new CommandError(`${client.url} has no provider of OpenID Connect; log in with a password: nw login`);
  const { logInByDevice, sessionAt } = await import('../provider/provider-session.ts');
  const issued = await logInByDevice(await sessionAt(oidc, ca), oidc.scopes);
  const userClient = new Client({ url: client.url, token: issued.token, ca });
  try {
    const { username } = (await userClient.get('/login/user').catch(unacceptedToken(issued.token, oidc))).body;
    return { ...issued, user: String(username) };
  } finally {
    await userClient.close();
  }
}

function keepContext(name: string, context: Context): void {
  const { contexts, ...others } = readContexts();
  writeContexts({ ...others, contexts: { ...contexts, [name]: context }, current: name });
  inform(`Logged in to ${context.url} as ${context.user}; context ${name}.`);
}

const unacceptedToken =
  (token: string, expected: { issuer: string; idTokens: boolean }) =>
  async (error: unknown): Promise<never> => {
    const status = error instanceof CommandError && 'status' in error ? error.status : undefined;
    if (status !== 401 && status !== 403) throw error;
    const { roleDefect, tokenDefect } = await import('../../../engine/platform/openid/token-defects.ts');
    const reason =
      status === 401
        ? `The daemon does not accept the token of the provider: ${tokenDefect(token, expected)}`
        : `This user may not log in to the daemon: ${roleDefect(token)}`;
    throw new CommandError(printableText(`${reason}; see docs/operate/oidc.md`));
  };

function wrongPassword(error: unknown): never {
  if (error instanceof CommandError && 'status' in error && error.status === 401)
    throw new CommandError('Wrong user name or password; a new daemon has no user yet: nw user add <name>');
  throw error;
}

function endedBefore(error: unknown): void {
  if (!(error instanceof CommandError && 'status' in error && error.status === 401)) throw error;
}

async function logout(options: ConnectionOptions): Promise<void> {
  // A token that has ended is not renewed for this.
  const { renewToken, ...target } = addressOf(options);
  const client = new Client(target);
  try {
    await client.remove('/login').catch(endedBefore);
  } finally {
    await client.close();
  }
  const { current, contexts } = readContexts();
  const isOf = ({ token }: Context) => token === target.token;
  const renewedName = renewToken && chosenContext(options)?.name;
  const name = renewedName ?? Object.entries(contexts).find(([, context]) => isOf(context))?.[0];
  if (name === undefined) return;
  const { [name]: ended, ...rest } = contexts;
  writeContexts({ current: current === name ? null : current, contexts: rest });
  inform(`Logged out of ${target.url}; context ${name} is removed.`);
  if (ended?.renewal === undefined) return;
  const { revokedBy, sessionAt } = await import('../provider/provider-session.ts');
  if (await revokedBy(await sessionAt(ended.renewal, ended.ca), ended.renewal)) return;
  inform(printableText(`${ended.renewal.issuer} cannot end the refresh token: it is valid until it ends there.`));
}

const whoami = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { url, token } = addressOf(options);
    const source = token === undefined ? 'none' : token === chosenContext(options)?.token ? 'context' : 'NW_TOKEN';
    const { username, privileges, onSite = privileges, teams = [] } = (await client.get('/login/user')).body;
    showRecord(
      { url, user: username, privileges, teams, token: source },
      [
        ['url', url],
        ['user', username],
        ['privileges', onSite.join(', ') || null],
        ...teams.map(({ team, privileges: held, graphs }): [string, string] => [
          `on ${team}`,
          `${held.join(', ')}${graphs === undefined ? '' : `; launches ${graphs.join(', ')}`}`,
        ]),
        ['token', source],
      ],
      options.output,
    );
  });

function list({ output }: ConnectionOptions): void {
  const { current, contexts } = readContexts();
  const entries = Object.entries(contexts).map(([name, { url, user, ca }]) => ({
    name,
    url,
    user,
    ca: ca ?? null,
    current: name === current,
  }));
  const columns = [
    { title: '', value: (entry: (typeof entries)[number]) => (entry.current ? '*' : ' ') },
    { title: 'name', value: (entry: (typeof entries)[number]) => entry.name },
    { title: 'url', value: (entry: (typeof entries)[number]) => entry.url },
    { title: 'user', value: (entry: (typeof entries)[number]) => entry.user },
  ];
  showList(entries, columns, output);
}

function use(name: string): void {
  const { contexts } = readContexts();
  const names = Object.keys(contexts).join(', ') || 'none';
  if (contexts[name] === undefined) throw new CommandError(`found no context ${name}; there are: ${names}`, EXIT.usage);
  writeContexts({ contexts, current: name });
}
