/** A program of commands: `nw`, or that of the authors' kit. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { addTimeFormat } from './shown-time.ts';

/** The first words of commands, and the function that adds these. */
export type Subject = readonly [words: string, add: (root: Command) => void];

const version = (): string =>
  (JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string }).version;

const exitCodes = `
Exit codes: 0 succeeded, 1 failed, 2 wrong usage, 3 cancelled, 4 timed out, 130 interrupted.`;

/** @param word the first one of the command line; for a command, only those of its subject are added, which takes less time */
export function commandTree(description: string, subjects: readonly Subject[], word?: string): Command {
  const root = new Command('nw')
    .description(description)
    .version(version(), '-V, --version')
    .showHelpAfterError('Add --help for the options.')
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
    .addHelpText('after', exitCodes);
  addTimeFormat(root);
  const subject = subjects.find(([words]) => words.split(' ').includes(word ?? ''));
  for (const [, add] of subject === undefined ? subjects : [subject]) add(root);
  return root;
}
