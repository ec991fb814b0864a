/** `nw users`, `nw user`, `nw token`. */

import type { Command } from 'commander';
import type { Binding } from '../../../engine/api-port/index.ts';
import type { ListQuery } from '../../client/requests.ts';
import { ApiError } from '../api-error.ts';
import { Client } from '../client.ts';
import {
  addressOf,
  type ConnectionOptions,
  chosenContext,
  connecting,
  isAddressed,
  withClient,
} from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { beginningWith } from '../id-of.ts';
import { appendValue, lifeSec } from '../option-values.ts';
import { showList, showRecord } from '../output.ts';
import { askPassword, confirmName } from '../prompts.ts';
import { shownTime } from '../shown-time.ts';
import { inStore } from '../store/in-store.ts';
import { inform } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

interface UserFlags extends ConnectionOptions {
  role: string;
  team?: string;
  passwordStdin?: boolean;
}

interface PasswordFlags extends UserFlags {
  local?: boolean;
}

export function addUserCommands(root: Command): void {
  connecting(root.command('users')).description('lists users').action(list);
  const user = root.command('user').description('one user');
  connecting(user.command('add <name>'))
    .description('creates a user; the first one needs no token, from the machine of the daemon')
    .option('--role <role>', 'role', 'Administrator')
    .option('--team <team>', 'the role counts on the nodes of this team only')
    .option('--password-stdin', 'reads the password from the standard input')
    .action(add);
  connecting(user.command('password <name>'))
    .description('sets a password, which ends the tokens and sessions of the user')
    .option(
      '--offline, --local',
      'on the machine of the daemon, without a token, while it runs or not: by NODEWRIGHT_CONFIG. The default without a context, a URL and a token',
    )
    .option('--password-stdin', 'reads the password from the standard input')
    .action(setPassword);
  connecting(user.command('remove <name>'))
    .description('deletes a user')
    .option('-y, --yes', 'does not ask')
    .action(remove);
  const token = root.command('token').description('API tokens, for programs');
  connecting(token.command('create'))
    .description('creates a token, which is shown only once')
    .requiredOption('--note <text>', 'the use of the token')
    .option('--user <name>', 'its user; by default your own')
    .option('--expires <time>', 'its life, such as 90d; by default it does not expire', lifeSec)
    .option('--privilege <name>', 'privilege; by default those of the user; may be repeated', appendValue)
    .action(createToken);
  connecting(token.command('list'))
    .description('lists tokens')
    .option('--user <name>', 'their user')
    .action(listTokens);
  connecting(token.command('revoke <id>'))
    .description('ends a token immediately')
    .option('--user <name>', 'its user')
    .action(revoke);
}

const bindingText = ({ role, team, graphs }: Binding): string =>
  `${team}: ${role}${graphs === undefined ? '' : ` (${graphs.join(', ')})`}`;

const list = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/users', { query }));
    showList(
      body,
      [
        { title: 'name', value: ({ username }) => username },
        { title: 'role', value: ({ role }) => role ?? null },
        { title: 'teams', value: ({ bindings = [] }) => bindings.map(bindingText).join(', ') || null },
        { title: 'last log-in', value: ({ lastLoginAt }) => shownTime(lastLoginAt) ?? 'none' },
      ],
      options.output,
      total,
    );
  });

const add = (username: string, { role, team, passwordStdin, ...options }: UserFlags): Promise<void> =>
  withClient(options, async (client) => {
    const password = await askPassword(`Password of ${username}`, passwordStdin === true);
    const body = { username, password, ...(team === undefined ? { role } : { bindings: [{ role, team }] }) };
    await client.post('/users', { body }).catch(async (error: unknown) => {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
      // A context of an earlier daemon at the same URL; this one may be new.
      const { url, ca } = addressOf(options);
      const unknown = new Client({ url, token: undefined, ca });
      await unknown.post('/users', { body }).finally(() => unknown.close());
    });
    inform(
      `The user ${username} is created, with the role ${role}${team === undefined ? '' : ` on the nodes of ${team}`}; nw login -u ${username}`,
    );
  });

async function setPassword(name: string, { passwordStdin, local, ...options }: PasswordFlags): Promise<void> {
  const ask = () => askPassword(`New password of ${name}`, passwordStdin === true);
  if (local ?? !isAddressed(options))
    await inStore(ask().then(async (given) => (await import('../store/password.ts')).setLocal(name, given)));
  else {
    await withClient(options, async (client) => {
      await client.patch('/users/:name', { params: { name }, body: { password: await ask() } });
    });
  }
  inform(`The password of ${name} is set; its tokens have ended.`);
}

const remove = (name: string, { yes = false, ...options }: ConnectionOptions & { yes?: boolean }): Promise<void> =>
  withClient(options, async (client) => {
    await confirmName(`The user ${name} is deleted, and all its tokens end.`, name, yes);
    await client.remove('/users/:name', { params: { name } });
  });

interface TokenFlags extends ConnectionOptions {
  user?: string;
  note: string;
  expires?: number;
  privilege?: string[];
}

/** @returns by default the user of the token */
async function userOf(client: Client, { user, ...options }: ConnectionOptions & { user?: string }): Promise<string> {
  const name = user ?? chosenContext(options)?.user ?? (await client.get('/login/user')).body.username;
  if (name !== null) return name;
  throw new CommandError('The daemon needs no token here, so there is no user; name one by --user', EXIT.usage);
}

const createToken = ({ note, expires, privilege, ...options }: TokenFlags): Promise<void> =>
  withClient(options, async (client) => {
    const limits = {
      ...(expires !== undefined && { expiresInSec: expires }),
      ...(privilege && { privileges: privilege }),
    };
    const body = { note, ...limits } as never;
    const { body: tokenRecord } = await client.post('/users/:name/tokens', {
      params: { name: await userOf(client, options) },
      body,
    });
    const { id, token, expiresAt, privileges } = tokenRecord;
    showRecord(
      tokenRecord,
      [
        ['id', id],
        ['token', token],
        ['expires', shownTime(expiresAt) ?? 'never'],
        ['privileges', privileges],
      ],
      options.output,
    );
  });

const listTokens = (options: ConnectionOptions & { user?: string }): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await client.get('/users/:name/tokens', {
      params: { name: await userOf(client, options) },
    });
    showList(
      body,
      [
        { title: 'id', value: ({ id }) => id },
        { title: 'token', value: ({ prefix }) => `${prefix}...` },
        { title: 'note', value: ({ note }) => note },
        { title: 'privileges', value: ({ privileges }) => privileges.join(', ') },
        { title: 'expires', value: ({ expiresAt }) => shownTime(expiresAt) ?? 'never' },
        { title: 'last used', value: ({ lastUsedAt }) => shownTime(lastUsedAt) ?? 'never' },
      ],
      options.output,
      total,
    );
  });

const revoke = (given: string, options: ConnectionOptions & { user?: string }): Promise<void> =>
  withClient(options, async (client) => {
    const name = await userOf(client, options);
    const look = (query: ListQuery) => client.get('/users/:name/tokens', { params: { name }, query });
    const id = (await beginningWith(look, given, 'id'))?.id ?? given;
    await client.remove('/users/:name/tokens/:id', { params: { name, id } });
  });
