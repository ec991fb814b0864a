/** The words that a shell may complete a command line with. */
import type { Command } from 'commander';
import type { Client } from './client.ts';
import { withClient } from './connection.ts';

/** ms; a shell waits for it. */
const NAMES_MS = 1_500;
const NAMES = 200;

/** @param words after `nw`; the last one is completed @returns sorted; names of the daemon's if it answers in time */
export async function completionsOf(root: Command, words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const { command, given } = commandAt(root, words.slice(0, -1));
  const choices = typed.startsWith('-')
    ? [...optionsOf(command), ...optionsOf(root)]
    : [...subcommandsOf(command), ...(await valuesOf(command, given))];
  return [...new Set(choices)].filter((word) => word.startsWith(typed)).sort();
}

/** Walks down the tree. @returns the command, and the number of its arguments */
function commandAt(root: Command, words: readonly string[]): { command: Command; given: number } {
  let [command, given] = [root, 0];
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next !== undefined && given === 0) command = next;
    else if (!word.startsWith('-')) given += 1;
  }
  return { command, given };
}

const subcommandsOf = ({ commands }: Command): string[] =>
  commands.map((command) => command.name()).filter((name) => name !== 'complete');

const optionsOf = (command: Command): string[] => ['--help', ...command.options.flatMap(({ long }) => long ?? [])];

async function valuesOf(command: Command, given: number): Promise<string[]> {
  const all = command.registeredArguments;
  const argument = all[given] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  if (argument?.argChoices !== undefined) return argument.argChoices;
  const names = argument === undefined ? undefined : sources[argument.name()];
  if (names === undefined) return [];
  const late = new Promise<string[]>((resolve) => setTimeout(resolve, NAMES_MS, []).unref());
  return Promise.race([withClient({ output: 'json' }, names).catch(() => []), late]);
}

/** By the name of the argument. */
const sources: Record<string, ((client: Client) => Promise<string[]>) | undefined> = {
  graph: async (client) =>
    (await client.get('/workflows/graphs')).body.flatMap((one) => ('injectableName' in one ? one.injectableName : [])),
  node: async (client) => (await client.get('/nodes', { query: { $top: NAMES } })).body.map(({ name }) => name),
  workflow: async (client) =>
    (await client.get('/workflows', { query: { $top: NAMES, status: 'pending,running' } })).body.map(({ id }) => id),
};

/** By the name of the shell. The words are passed as they are typed. */
export const completionScripts: Record<string, string> = {
  bash: `_nw() { mapfile -t COMPREPLY < <(nw complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); }
complete -F _nw nw nodewright`,
  zsh: `#compdef nw nodewright
_nw() { compadd -- \${(f)"$(nw complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"} }
compdef _nw nw nodewright`,
  fish: `complete -c nw -f -a '(nw complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};
