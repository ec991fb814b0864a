/** `nw batch`: a graph on many nodes. */
import type { Command } from 'commander';
import { isDestructive } from '../../client/destruction.ts';
import { requestPlan } from '../../client/shown-plan.ts';
import { showBatch } from '../batch-view.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { timeSpan } from '../option-values.ts';
import { confirmName } from '../prompts.ts';
import { followBatch } from '../watch/follow-batch.ts';

interface WatchFlags extends ConnectionOptions {
  timeout?: number;
}

export function addBatchCommands(root: Command): void {
  const batch = root.command('batch').description('a graph on many nodes, as nw run starts it on several');
  connecting(batch.command('show <batch>')).description('shows a batch').action(show);
  connecting(batch.command('watch <batch>'))
    .description('follows a batch to its end, which determines the exit code')
    .option('--timeout <time>', 'how long to follow, such as 10m; then exit code 4', timeSpan)
    .action(watch);
  connecting(batch.command('cancel <batch>'))
    .description('launches no more, and cancels the workflows that are active')
    .option('-y, --yes', 'does not ask, also if its graph is destructive')
    .action(cancel);
}

const show = (id: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/batches/:id', { params: { id } });
    showBatch(body, options.output);
  });

const watch = (id: string, { timeout, ...options }: WatchFlags): Promise<void> =>
  withClient(options, (client) =>
    followBatch(client, id, { format: options.output, ...(timeout && { timeoutMs: timeout }) }),
  );

const cancel = (id: string, { yes, ...options }: ConnectionOptions & { yes?: boolean }): Promise<void> =>
  withClient(options, async (client) => {
    const params = { id };
    if (yes !== true) {
      const { name } = (await client.get('/batches/:id', { params })).body;
      const plan = await requestPlan(client, { graph: name, options: {} }, undefined);
      if (isDestructive(plan)) await confirmName(`${name} may be destroying data on many nodes.`, name, false);
    }
    const { body } = await client.put('/batches/:id/action', { params, body: { command: 'cancel' } });
    showBatch(body, options.output);
  });
