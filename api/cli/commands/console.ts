/** `nw console`: the serial console of a machine. */
import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { type ConsoleSource, consoleSources } from '../../../engine/vocabulary/states.ts';
import { type FollowedLine, followConsole } from '../../client/follow-events.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { nodeOf } from '../node-of.ts';
import { count } from '../option-values.ts';
import type { OutputFormat } from '../output.ts';
import { colors, inform, jsonText, printableText } from '../terminal.ts';
import { withInterrupt } from '../watch/watch-to-end.ts';

interface ShowOptions extends ConnectionOptions {
  follow?: boolean;
  lines: number;
  send?: string;
}

interface OnOptions extends ConnectionOptions {
  source: ConsoleSource;
}

export function addConsoleCommands(root: Command): void {
  const group = root.command('console').description('the serial console of a machine');
  connecting(group.command('show <node>', { isDefault: true }))
    .description('prints its newest lines')
    .option('-f, --follow', 'follows it, through restarts of the daemon')
    .option('--lines <number>', 'lines', count, 50)
    .option('--send <text>', 'types the text and Enter first; needs the right ConsoleInput')
    .action(show);
  connecting(group.command('on <node>'))
    .description('captures the console')
    .addOption(new Option('--source <source>', 'the obm by which it is read').choices(consoleSources).default('ipmi'))
    .action(on);
  connecting(group.command('off <node>')).description('ends the capture; its log stays').action(off);
}

const on = (given: string, { source, ...options }: OnOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { id, name } = await nodeOf(client, given);
    const { body } = await client.put('/nodes/:identifier/console', { params: { identifier: id }, body: { source } });
    inform(`the console of ${name} is ${body.state}`);
  });

const off = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { id } = await nodeOf(client, given);
    await client.remove('/nodes/:identifier/console', { params: { identifier: id } });
  });

const show = (given: string, { follow: follows, lines, send, ...options }: ShowOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { output } = options;
    if (follows === true && output === 'json')
      throw new CommandError('found -o json with -f; expected jsonl, as there is no end', EXIT.usage);
    const { id, name } = await nodeOf(client, given);
    const params = { identifier: id };
    if (send !== undefined)
      await client.post('/nodes/:identifier/console/input', { params, body: { text: `${send}\r` } });
    const { body: capture } = await client.get('/nodes/:identifier/console', { params });
    if (capture.state !== 'connected')
      inform(`the console of ${name} is ${capture.state}${capture.error === null ? '' : `: ${capture.error}`}`);
    const newest = await linesAfter(client, id, Math.max(0, capture.seq - lines));
    if (output === 'json') return void process.stdout.write(`${jsonText(newest)}\n`);
    for (const line of newest) await write(line, output);
    if (follows === true) await follow(client, id, newest.at(-1)?.seq ?? capture.seq, output);
  });

/** Lines that one request reads. */
const LINES_PER_REQUEST = 1_000;

async function linesAfter(client: Client, identifier: string, position: number): Promise<FollowedLine[]> {
  const all: FollowedLine[] = [];
  for (let after = String(position); ; ) {
    const query = { after: Number(after), limit: LINES_PER_REQUEST };
    const { body, next } = await client.get('/nodes/:identifier/console/log', { params: { identifier }, query });
    all.push(...body);
    if (next?.after === undefined) return all;
    after = next.after;
  }
}

async function follow(client: Client, identifier: string, after: number, output: OutputFormat): Promise<void> {
  const { isInterrupted } = await withInterrupt(undefined, async (signal) => {
    for await (const item of followConsole(client, { params: { identifier }, after, signal })) {
      if (item.kind === 'event') await write(item.event, output);
      if (item.kind === 'away') inform(`no connection, tries again: ${printableText(item.reason)}`);
    }
  });
  if (isInterrupted) process.exitCode = EXIT.interrupted;
}

/** Waits for a reader that is slower than the machine. */
async function write(line: FollowedLine, output: OutputFormat): Promise<void> {
  const text = printableText(line.text);
  const marked = line.kind === 'note' ? colors.dim(`-- ${text}`) : text;
  const whole = output === 'jsonl' ? jsonText(line) : `${colors.dim(line.at)}  ${marked}`;
  if (!process.stdout.write(`${whole}\n`)) await once(process.stdout, 'drain');
}
