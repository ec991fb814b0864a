/** Adds the lines of a bench to the dated file of results, with the facts of the machine that may be published. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { table } from '../reference/markdown.ts';
import { type Line, meets } from './figure.ts';

const GIB = 1024 ** 3;

/** Without names of hosts, users and paths. */
export const machine = (): string =>
  `${availableParallelism()} cores, ${Math.round(totalmem() / GIB)} GiB, Node ${process.versions.node}`;

/** @param results the lines by figure @returns the path of the file */
export function addResults(folder: string, at: Date, results: Readonly<Record<string, readonly Line[]>>): string {
  const [date = '', time = ''] = at.toISOString().split('T');
  const file = join(folder, `${date}.md`);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : `# ${date}\n`;
  const sections = Object.entries(results).map(([figure, lines]) => `### ${figure}\n\n${tableOf(lines)}\n`);
  writeFileSync(file, [before, `## ${time.slice(0, 5)} UTC\n`, `${machine()}.\n`, ...sections].join('\n'));
  return file;
}

const tableOf = (lines: readonly Line[]): string =>
  table(
    ['figure', 'value', 'unit', 'goal'],
    lines.map(({ name, value, unit, goal }) => {
      const verdict = goal && `at ${goal.kind} ${goal.value}: ${meets(value, goal) ? 'met' : 'missed'}`;
      return [name, numberOf(value), unit, verdict ?? ''];
    }),
  );

export const numberOf = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
