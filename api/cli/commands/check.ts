/** `nw check`: what is wrong with the files of graphs. Needs no daemon. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { didYouMean } from '../../../engine/vocabulary/nearest.ts';
import { warningFailures } from '../../../engine/vocabulary/warning-codes.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { showFindings } from '../findings-text.ts';
import { type OutputFormat, outputFormats } from '../output.ts';

/** ms for each graph. */
const GRAPH_BUDGET_MS = 30_000;

export function addCheckCommand(root: Command): void {
  root
    .command('check <file...>')
    .description(
      'checks graphs in files, or in folders, as a daemon would load them; exit code 1 if one is rejected, or if each launch of it fails',
    )
    .option('--tasks <folder>', 'own tasks; default: `tasks` beside the folder of graphs')
    .addOption(new Option('-o, --output <format>', 'form of the result').choices(outputFormats).default('table'))
    .action(check);
}

async function check(paths: string[], { tasks, output }: { tasks?: string; output: OutputFormat }): Promise<void> {
  const { checkGraphFiles } = await import('../../../engine/assembly/authoring.ts');
  const options = { budgetMs: GRAPH_BUDGET_MS, ...(tasks !== undefined && { tasks }) };
  const fileFindings = await checkGraphFiles(await filesIn(paths), options);
  showFindings(fileFindings, output);
  const rejected = fileFindings.filter(({ ok }) => !ok).length;
  const failing = fileFindings.filter(({ warnings }) => warnings.some(({ code }) => warningFailures.includes(code)));
  const counts = [
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
    ...(failing.length > 0 ? [`${failing.length} with launches that all fail`] : []),
  ];
  if (counts.length > 0) throw new CommandError(`${counts.join(', ')} of ${fileFindings.length}`);
}

async function checkedPath(path: string): Promise<string> {
  const names = await readdir(dirname(path)).catch(() => []);
  return didYouMean(basename(path), names);
}

/** @throws CommandError for a path that does not exist */
async function filesIn(paths: readonly string[]): Promise<string[]> {
  const { definitionFiles } = await import('../../../engine/assembly/authoring.ts');
  const files: string[] = [];
  for (const path of paths) {
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined) throw new CommandError(`found no file ${path}${await checkedPath(path)}`, EXIT.usage);
    files.push(...(stats.isDirectory() ? await definitionFiles(path) : [path]));
  }
  if (files.length === 0) throw new CommandError(`found no graphs in ${paths.join(', ')}`, EXIT.usage);
  return files;
}
