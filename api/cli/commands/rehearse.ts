/** `nw rehearse`: a rollout in memory, before it touches a machine. */
import { type Command, Option } from 'commander';
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { count, jsonValue } from '../option-values.ts';
import { type OutputFormat, outputFormats } from '../output.ts';
import { inStore } from '../store/in-store.ts';
import type { RehearsalBody, RehearseFlags } from '../store/rehearse.ts';

type Flags = RehearseFlags & { output: OutputFormat };

export function addRehearsal(root: Command): void {
  root
    .command('rehearse')
    .argument('<rollout>', 'the rollout as JSON, or @file: graph, targets, phases, limits, gates, window', jsonValue)
    .description('runs a rollout many times in memory, on the site of a backup; exit code 1 if it would probably stop')
    .requiredOption('--from <backup>', 'a backup of the site')
    .option('--seed <number>', 'of the targets and their order, and of what happens', count)
    .addOption(
      new Option('--faults <which>', 'failures as often as in earlier runs, or none')
        .choices(['measured', 'none'])
        .default('measured'),
    )
    .addOption(new Option('-o, --output <format>', 'form of the result').choices(outputFormats).default('table'))
    .action((rollout: unknown, flags: Flags) =>
      inStore(
        import('../rehearsal.ts').then(({ showRehearsal }) => showRehearsal(objectIn(rollout) as RehearsalBody, flags)),
      ),
    );
}
