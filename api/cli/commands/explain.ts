/** `nw explain`: the page of the reference about a name. Needs no daemon, except with `--open`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { addressing, addressOf, type ConnectionOptions } from '../connection.ts';
import { CommandError } from '../exit-codes.ts';
import { explanationOf, isSameName, terminalText } from '../explanations.ts';
import { colors, inform, printableText, say } from '../terminal.ts';

type ExplainOptions = Omit<ConnectionOptions, 'output'> & { open?: true };

export function addExplainCommand(root: Command): void {
  addressing(root.command('explain <name>'))
    .description('explains an error code, a graph, a task, an event, a metric or a key of the configuration')
    .option('--open', 'opens the page in the browser, at /docs of the daemon')
    .action(explain);
}

async function explain(term: string, { open, ...connection }: ExplainOptions): Promise<void> {
  const { name, address, markdown } = explanationOf(term);
  if (!isSameName(name, term)) inform(printableText(`${term} is called ${name} now; 0.2 removes the old name`));
  if (open) return openPage(new URL(address, addressOf(connection).url).href);
  say(terminalText(markdown, colors.bold));
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['explorer'],
};

/** @throws CommandError if there is no program that opens pages */
async function openPage(url: string): Promise<void> {
  inform(url);
  const [program = 'xdg-open', ...args] = openers[process.platform] ?? [];
  const started = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  await once(started, 'spawn').catch(() => {
    throw new CommandError(`found no ${program} to open ${url}; open it yourself`);
  });
  started.unref();
}
