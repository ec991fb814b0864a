/** The daemon that a command talks to: by its options, else by the environment, else by a context. */
import { type Command, Option } from 'commander';
import type { TaskOption } from '../client/launch-options.ts';
import { Client, type DaemonAddress } from './client.ts';
import { type Context, readContexts } from './contexts.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { type OutputFormat, outputFormats } from './output.ts';
import { withSuggestion } from './suggestion.ts';
import { noTaskOptions, type OutputOrOptions, outputOrOption, taskOption } from './task-options.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Options of every command that talks to a daemon. */
export interface ConnectionOptions {
  url?: string | undefined;
  context?: string;
  ca?: string;
  output: OutputFormat;
}

/** Options of a command that launches. */
export type LaunchingOptions = Omit<ConnectionOptions, 'output'> & { output: OutputOrOptions; set?: TaskOption[] };

/** Adds the options of a connection to a command. */
export function connecting(command: Command): Command {
  return addressing(command).addOption(
    new Option('-o, --output <format>', 'form of the result').choices(outputFormats).default('table'),
  );
}

/** The same for a command that launches, which takes options of tasks. */
export function launching(command: Command): Command {
  const form = `form of the result (${outputFormats.join(', ')}); key=value is read until 0.2`;
  return addressing(command)
    .addOption(new Option('-o, --output <format>', form).argParser(outputOrOption).default(noTaskOptions, 'table'))
    .addOption(setOption());
}

const SET =
  'an option: key=value for all tasks, label.key=value for one; the value is JSON, a text, or @file; may be repeated';

/** `--set`, an option of tasks. */
export const setOption = (): Option => new Option('--set <option>', SET).argParser(taskOption);

/** Adds the options that choose a daemon. */
export const addressing = (command: Command): Command =>
  command
    .addOption(new Option('--url <url>', 'URL of the daemon (NW_URL)'))
    .addOption(new Option('--context <name>', 'a context of `nw context`'))
    .addOption(new Option('--ca <file>', 'certificates to trust, as PEM (NW_CA)'));

/** @throws CommandError for a context that does not exist */
export function chosenContext(
  options: Pick<ConnectionOptions, 'url' | 'context'>,
): (Context & { name: string }) | undefined {
  const { context } = options;
  const { current, contexts } = readContexts();
  const name = context ?? current ?? undefined;
  const namedContext = name === undefined ? undefined : contexts[name];
  if (context !== undefined && namedContext === undefined) {
    const names = Object.keys(contexts).join(', ') || 'none';
    throw new CommandError(`found no context ${context}; there are: ${names}`, EXIT.usage);
  }
  if (name === undefined || namedContext === undefined) return undefined;
  // The token of one daemon is not sent to another.
  const url = urlOf(options);
  return url === undefined || namedContext.url === url ? { ...namedContext, name } : undefined;
}

/** Whether a daemon is named: by an option, the environment or a context. */
export const isAddressed = (options: Pick<ConnectionOptions, 'url' | 'context'>): boolean =>
  Boolean(urlOf(options) || process.env.NW_TOKEN || chosenContext(options));

/** A context that is named takes precedence over the environment. */
const urlOf = ({ url, context }: Pick<ConnectionOptions, 'url' | 'context'>): string | undefined =>
  url || (context === undefined ? process.env.NW_URL : undefined) || undefined;

/** Runs work with a client of the chosen daemon, and closes it. */
export async function withClient<R>(options: ConnectionOptions, work: (client: Client) => Promise<R>): Promise<R> {
  const client = new Client(addressOf(options));
  try {
    return await work(client);
  } catch (error) {
    throw await withSuggestion(client, error);
  } finally {
    await client.close();
  }
}

export function addressOf(options: Pick<ConnectionOptions, 'url' | 'context' | 'ca'>): DaemonAddress {
  const context = chosenContext(options);
  const url = urlOf(options) ?? context?.url ?? DEFAULT_URL;
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw new CommandError(`found the URL ${url}; expected http://... or https://...`, EXIT.usage);
  const { username, password } = new URL(url);
  // Messages have the URL, also those for an assistant; and a token replaces the user.
  if (username !== '' || password !== '')
    throw new CommandError('found a user in the URL of the daemon; expected none: nw login takes it', EXIT.usage);
  const token = process.env.NW_TOKEN || context?.token;
  const ca = options.ca || process.env.NW_CA || context?.ca;
  if (context?.renewal === undefined || token !== context.token) return { url, token, ca };
  // Loaded only by those who need it: it takes longer than most commands.
  const renewToken = async () => (await import('./provider/renewed-token.ts')).renewedToken(context.name);
  return { url, token, ca, renewToken };
}
