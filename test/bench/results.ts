/** Adds the lines of a bench to the dated file of results, with the facts of the machine that may be published. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { table } from '../reference/markdown.ts';
import { type Line, verdict } from './figure.ts';

const GIB = 1024 ** 3;

/** Without names of hosts, users and paths. */
const machine = (): string =>
  `${availableParallelism()} cores, ${Math.round(totalmem() / GIB)} GiB, Node ${process.versions.node}`;

/**
 * @param results the lines by figure
 * @param skipped the reasons by figure
 * @returns the path of the file
 */
export function addResults(
  folder: string,
  at: Date,
  results: Readonly<Record<string, readonly Line[]>>,
  skipped: Readonly<Record<string, string>> = {},
): string {
  const [date = '', time = ''] = at.toISOString().split('T');
  const file = join(folder, `${date}.md`);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : `# ${date}\n`;
  const sections = Object.entries(results).map(([figure, lines]) => `### ${figure}\n\n${tableOf(lines)}\n`);
  const missing = Object.entries(skipped).map(([figure, reason]) => `- ${figure}: ${reason}\n`);
  const notMeasured = missing.length > 0 ? [`### Not measured\n\n${missing.join('')}`] : [];
  const text = [before, `## ${time.slice(0, 5)} UTC\n`, `${machine()}.\n`, ...sections, ...notMeasured];
  writeFileSync(file, text.join('\n'));
  return file;
}

const tableOf = (lines: readonly Line[]): string =>
  table(
    ['figure', 'value', 'unit', 'goal'],
    lines.map((line) => {
      const passed = verdict(line);
      return [line.name, numberOf(line.value), line.unit, passed === undefined ? '' : `${goalOf(line)}: ${passed}`];
    }),
  );

export const goalOf = ({ goal }: Line): string => (goal ? `at ${goal.kind} ${goal.value}` : '');

export const numberOf = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
