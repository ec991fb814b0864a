/** `nw batches`, `nw batch`: a graph on many nodes. */
import { type Command, Option } from 'commander';
import { type BatchStatus, batchStatuses } from '../../../engine/vocabulary/states.ts';
import { isDestructive } from '../../client/destruction.ts';
import { requestPlan } from '../../client/shown-plan.ts';
import { batchColumns, showBatch } from '../batch-view.ts';
import { checkNames } from '../checked-names.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { onRecord } from '../id-of.ts';
import { count, timeSpan } from '../option-values.ts';
import { showList } from '../output.ts';
import { ownName } from '../own-name.ts';
import { confirmName } from '../prompts.ts';
import { followBatch } from '../watch/follow-batch.ts';
import { wholeList } from '../whole-list.ts';

interface ListFlags extends ConnectionOptions {
  status?: BatchStatus;
  graph?: string;
  since?: number;
  mine?: boolean;
  limit?: number;
}

interface WatchFlags extends ConnectionOptions {
  timeout?: number;
}

export function addBatchCommands(root: Command): void {
  connecting(root.command('batches'))
    .description('lists batches, newest first')
    .addOption(new Option('--status <status>', 'only batches with the status').choices(batchStatuses))
    .option('--graph <name>', 'only those of the graph')
    .option('--since <time>', 'only those of this time, such as 24h', timeSpan)
    .option('--mine', 'only those that you launched')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
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

/** Records of one request, as the API has them: each may name thousands of nodes. */
const BATCHES_PER_REQUEST = 20;

const list = ({ status, graph, since, mine, limit, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const query = {
      status,
      name: graph,
      launchedBy: mine === true ? ownName(options) : undefined,
      ...(since !== undefined && { 'createdAt.gte': new Date(Date.now() - since).toISOString() }),
      sort: '-createdAt',
      $top: BATCHES_PER_REQUEST,
    };
    const { body, total } = await wholeList((page) => client.get('/batches', { query: page }), query, limit);
    if (body.length === 0) await checkNames(client, { graph });
    showList(body, batchColumns, options.output, total);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('batch', given, options, async (client, params) => {
    const { body } = await client.get('/batches/:id', { params });
    await showBatch(client, body, options.output);
  });

const watch = (given: string, { timeout, ...options }: WatchFlags): Promise<void> =>
  onRecord('batch', given, options, (client, { id }) =>
    followBatch(client, id, { format: options.output, ...(timeout && { timeoutMs: timeout }) }),
  );

const cancel = (given: string, { yes, ...options }: ConnectionOptions & { yes?: boolean }): Promise<void> =>
  onRecord('batch', given, options, async (client, params) => {
    if (yes !== true) {
      const { name } = (await client.get('/batches/:id', { params })).body;
      const plan = await requestPlan(client, { graph: name, options: {} }, undefined);
      if (isDestructive(plan)) await confirmName(`${name} may be destroying data on many nodes.`, name, false);
    }
    const { body } = await client.put('/batches/:id/action', { params, body: { command: 'cancel' } });
    await showBatch(client, body, options.output);
  });
