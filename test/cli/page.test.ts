/** The page of the command line names every command, and no other. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import type { Command } from 'commander';
import { program, subjects } from '../../api/cli/program.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';

const page = readFileSync(packagePath('docs/operate/command-line.md'), 'utf8');

/** Names of commands that do something, such as `node show`. The shell's completion calls `complete`, people do not. */
function pathsOf(command: Command, before: readonly string[] = []): string[] {
  const shown = command.commands.filter((child) => child.name() !== 'complete');
  return shown.flatMap((child) => {
    const path = [...before, child.name()];
    return child.commands.length === 0 ? [path.join(' ')] : pathsOf(child, path);
  });
}

const commands = pathsOf(program());

test('every command is on the page', (t) => {
  t.true(commands.length > 30);
  const missing = commands.filter((path) => !new RegExp(`\\bnw ${path}\\b(?!-)`).test(page));
  t.deepEqual(missing, []);
});

test('every command on the page exists', (t) => {
  const named = [...page.matchAll(/\bnw ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g)].map(([, path = '']) => path);
  t.true(named.length > 40);
  const exists = (path: string) =>
    commands.includes(path.split(' ')[0] ?? '') || commands.some((command) => `${command} `.startsWith(`${path} `));
  t.deepEqual([...new Set(named.filter((path) => !exists(path)))], []);
});

test('a command line gets the commands of its first word, and any other all of them', (t) => {
  const namesOf = (word?: string) => program(word).commands.map((command) => command.name());
  for (const words of subjects.map(([names]) => names.split(' '))) {
    for (const word of words)
      t.deepEqual(
        namesOf(word).filter((name) => name !== 'complete'),
        words,
      );
  }
  for (const word of [undefined, 'complete', 'help', '--help', 'hoks', 'constructor'])
    t.is(namesOf(word).length, namesOf().length);
  t.deepEqual(
    subjects.flatMap(([words]) => words.split(' ')),
    namesOf().filter((name) => name !== 'complete'),
  );
});

test('every exit code is on the page', async (t) => {
  const { EXIT } = await import('../../api/cli/exit-codes.ts');
  for (const code of Object.values(EXIT)) t.regex(page, new RegExp(`^\\| ${code} +\\|`, 'm'));
});
