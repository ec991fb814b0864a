/** `nw rehearse`: a rollout in memory, before it touches a machine. */
import { type Command, Option } from 'commander';
import type { RehearsalBody } from '../../../engine/api-port/rehearsals.ts';
import { count, jsonRecord } from '../option-values.ts';
import { type OutputFormat, outputFormats } from '../output.ts';
import { inStore } from '../store/in-store.ts';
import type { RehearseFlags } from '../store/rehearse.ts';

type Flags = RehearseFlags & { output: OutputFormat };

export function addRehearsal(root: Command): void {
  root
    .command('rehearse')
    .argument('<rollout>', 'file of the rollout, or JSON: graph, targets, phases, limits, gates, window', jsonRecord)
    .description('runs a rollout many times in memory, on a copy of the site; exit code 1 if it would probably stop')
    .addOption(new Option('--from <backup>', 'a backup of the site; else the store of the configuration'))
    .addOption(new Option('--nodes <folder>', 'nodes from folders of nw bmc record').conflicts('from'))
    .addOption(new Option('--speed <speed>', 'time passes as quickly as it can').choices(['max']).default('max'))
    .option('--seed <number>', 'of the targets and their order, and of what happens', count)
    .addOption(
      new Option('--faults <which>', 'failures as often as in earlier runs, or none')
        .choices(['measured', 'none'])
        .default('measured'),
    )
    .addOption(new Option('-o, --output <format>', 'form of the result').choices(outputFormats).default('table'))
    .action((rollout: RehearsalBody, flags: Flags) =>
      inStore(import('../rehearsal.ts').then(({ showRehearsal }) => showRehearsal(rollout, flags))),
    );
}
