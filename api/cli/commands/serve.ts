/** `nw serve`: runs a daemon in this process. */
import { type Command, Option } from 'commander';
import { oldOption } from '../../../engine/vocabulary/until-0.2.ts';
import { appendValue } from '../option-values.ts';

interface ServeOptions {
  role?: string;
  config?: string;
  suspend?: string[];
  hold?: string[];
}

export function addServeCommand(root: Command): void {
  root
    .command('serve')
    .description('runs a daemon; its data are in ./data, unless its configuration says otherwise')
    .addOption(new Option('--config <file>', 'configuration, as JSON').env('NODEWRIGHT_CONFIG'))
    .addOption(new Option('--role <role>', 'the work of this process').choices(['api', 'worker', 'both']))
    .option('--suspend <workflow>', 'quarantines a workflow before it runs; may be repeated', appendValue)
    .addOption(new Option('--hold <workflow>', oldOption('--suspend')).argParser(appendValue).hideHelp())
    .action(async ({ role, config, suspend = [], hold = [] }: ServeOptions) => {
      if (config !== undefined) process.env.NODEWRIGHT_CONFIG = config;
      const args = [
        ...(role === undefined ? [] : ['--role', role]),
        ...[...suspend, ...hold].flatMap((id) => ['--suspend', id]),
      ];
      const { serve } = await import('../../process/serve.ts');
      await serve(args);
    });
}
