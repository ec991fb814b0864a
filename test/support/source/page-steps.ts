/** Applies the code of a page to a copy of the sources: new files as they are, changes as `diff` blocks. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { blocksOf } from './page-run.ts';

const COPIED = [
  'engine',
  'api',
  'graphs',
  'tasks',
  'fixtures',
  'test',
  'package.json',
  'tsconfig.json',
  'ava.config.mjs',
  'docs',
];

/** The copy has the same packages, and caches of its own: what it builds does not replace what this project built. */
export function copySources(to: string): void {
  const filter = (path: string) => !/\/docs\/(?:node_modules|generated)(?:\/|$)/.test(path);
  for (const name of COPIED) cpSync(packagePath(name), join(to, name), { recursive: true, filter });
  const packages = packagePath('node_modules');
  mkdirSync(join(to, 'node_modules'));
  for (const name of readdirSync(packages)) {
    if (name !== '.cache') symlinkSync(join(packages, name), join(to, 'node_modules', name));
  }
}

/**
 * - a `ts` or `tsx` block whose first line is `// <path>` is a new file;
 * - a `diff` block whose first line is `--- <path>` changes a file; `@@` separates its parts.
 * @returns the paths of new and changed files
 */
export function applyPage(root: string, page: string): string[] {
  return blocksOf(page).flatMap(({ language, text }) => {
    const [, path] = /^(?:\/\/|---) (\S+)\n/.exec(text) ?? [];
    if (path === undefined || !['ts', 'tsx', 'diff'].includes(language)) return [];
    const file = join(root, path);
    const rest = text.slice(text.indexOf('\n') + 1);
    writeFileSync(file, language !== 'diff' ? rest : changed(path, readFileSync(file, 'utf8'), rest));
    return [path];
  });
}

/** @throws Error unless each part occurs in the source exactly once */
function changed(path: string, source: string, diff: string): string {
  const parts = diff.split(/^@@.*\n/m).map((part) => part.split('\n').slice(0, -1));
  const side = (lines: readonly string[], mark: string) =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(mark))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  return parts.reduce((text, part) => {
    const [before, after] = [side(part, '-'), side(part, '+')];
    const times = text.split(before).length - 1;
    if (times !== 1) throw new Error(`${path} has these lines ${times} times, expected once:\n${before}`);
    return text.replace(before, () => after);
  }, source);
}
