/** `nw watch`: follows a workflow to its end. */
import type { Command } from 'commander';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { timeSpan } from '../option-values.ts';
import { watchToEnd } from '../watch/watch-to-end.ts';
import { latestWorkflow } from '../workflow-of.ts';

interface WatchFlags extends ConnectionOptions {
  timeout?: number;
}

export function addWatchCommand(root: Command): void {
  connecting(root.command('watch <workflow>'))
    .description('follows a workflow, or that of a node, to its end, which determines the exit code')
    .option('--timeout <time>', 'how long to follow, such as 10m; then exit code 4', timeSpan)
    .action(watch);
}

const watch = (given: string, { timeout, ...options }: WatchFlags): Promise<void> =>
  withClient(options, async (client) => {
    const { id } = await latestWorkflow(client, given);
    const timeoutMs = timeout === undefined ? {} : { timeoutMs: timeout };
    await watchToEnd(client, id, { format: options.output, ...timeoutMs });
  });
