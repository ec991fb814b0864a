/** `nw run`: launches a graph, on one node, on many, or without a node. */

import type { Command } from 'commander';
import pLimit from 'p-limit';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import { isDestructive } from '../../client/destruction.ts';
import { type Launch, requestPlan } from '../../client/shown-plan.ts';
import { showLaunched } from '../batch-view.ts';
import type { Client } from '../client.ts';
import { type LaunchingOptions, launching, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { idOf } from '../id-of.ts';
import { type Node, nodesCalled } from '../node-of.ts';
import { count, timeSpan } from '../option-values.ts';
import { type OutputFormat, showAs } from '../output.ts';
import { type NodePlan, showPlans } from '../plan-view.ts';
import { confirmName } from '../prompts.ts';
import { filteringNodes, hasNodeFilter, type NodeFilterOptions, nodeFilter } from '../selected-nodes.ts';
import { givenOptions } from '../task-options.ts';
import { inform, printableText, say } from '../terminal.ts';
import { showRequested } from '../ticket-request.ts';
import { followBatch } from '../watch/follow-batch.ts';
import { followLaunches } from '../watch/follow-launches.ts';
import { watchToEnd } from '../watch/watch-to-end.ts';
import { wholeList } from '../whole-list.ts';

interface RunOptions extends LaunchingOptions, NodeFilterOptions {
  plan?: boolean;
  watch?: boolean;
  timeout?: number;
  batch?: number;
  maxFailed?: number;
  yes?: boolean;
  ticket?: string;
  requestTicket?: boolean;
  /** False with --no-node. */
  node: boolean;
}

export function addRunCommand(root: Command): void {
  filteringNodes(launching(root.command('run <graph> [nodes...]')))
    .description('launches a graph on nodes: by id, MAC, identifier or name')
    .option('--no-node', 'runs without a node, as it does if none is given')
    .option('--plan', 'only shows what the launch would do; exit code 1 if it would be rejected')
    .option('-w, --watch', 'follows it to its end, which determines the exit code')
    .option('--timeout <time>', 'with --watch: how long to follow, such as 10m; then exit code 4', timeSpan)
    .option('--batch <number>', 'of several nodes: active workflows at a time', count)
    .option('--max-failed <number>', 'of several nodes: launches no more after this many failures', count)
    .option('--request-ticket', 'starts nothing: asks for a ticket of this launch, and prints its id')
    .option('--ticket <ticket>', 'the approved ticket for the launch')
    .option('-y, --yes', 'does not ask before a destructive graph')
    .action(run);
}

type Follow = Pick<RunOptions, 'watch' | 'timeout' | 'batch' | 'maxFailed'>;

/** Requests at a time. */
const PARALLEL = 4;

interface Request extends Launch {
  client: Client;
  nodes: readonly Node[];
  format: OutputFormat;
}

const run = (graph: string, names: string[], { output, ...options }: RunOptions): Promise<void> => {
  const { format } = output;
  const hasFilter = hasNodeFilter(options);
  if (hasFilter && (names.length > 0 || !options.node))
    throw new CommandError(
      'found --sku, --tag or --filter beside nodes or --no-node; expected one of them',
      EXIT.usage,
    );
  if (!options.node && names.length > 0)
    throw new CommandError(`found --no-node and ${countText(names.length, 'node')}; expected one of them`, EXIT.usage);
  if (options.timeout !== undefined && options.watch !== true)
    throw new CommandError('found --timeout without --watch; a launch has no end to wait for', EXIT.usage);
  return withClient({ ...options, output: format }, async (client) => {
    const nodes = hasFilter ? await filteredNodes(client, options) : await nodesCalled(client, names);
    const { ticket } = options;
    const approved = ticket === undefined ? {} : { ticket: await idOf(client, 'ticket', ticket) };
    const request: Request = {
      client,
      graph,
      options: givenOptions({ output, ...options }),
      nodes,
      format,
      ...approved,
    };
    if (options.plan === true) return planOnly(request);
    if (options.requestTicket === true) return requestTicket(request);
    if (options.yes !== true) await confirmDestructive(request);
    const [node, other] = nodes;
    const isBatch = other !== undefined || options.batch !== undefined || options.maxFailed !== undefined;
    if (isBatch && node === undefined)
      throw new CommandError('found --batch or --max-failed without nodes; expected nodes', EXIT.usage);
    return isBatch ? runBatch(request, options) : runOne(request, node, options);
  });
};

/** @throws CommandError if none matches: the graph would run without a node */
async function filteredNodes(client: Client, options: NodeFilterOptions): Promise<Node[]> {
  const query = await nodeFilter(client, options);
  const { body } = await wholeList((page) => client.get('/nodes', { query: page }), query);
  if (body.length === 0) throw new CommandError('no node matches; nw nodes lists them');
  inform(`${countText(body.length, 'node')} ${body.length === 1 ? 'matches' : 'match'}`);
  return body;
}

/** Plans each node separately, because its SKU may have other tasks. */
function plansOf({ client, nodes, ...launch }: Request): Promise<NodePlan[]> {
  const limit = pLimit(PARALLEL);
  const targets = nodes.length === 0 ? [undefined] : nodes;
  return Promise.all(
    targets.map((node) => limit(async (): Promise<NodePlan> => [await requestPlan(client, launch, node), node])),
  );
}

async function planOnly(request: Request): Promise<void> {
  const plans = await plansOf(request);
  const [first] = plans;
  const value = request.nodes.length > 1 ? plans.map(([plan]) => plan) : first?.[0];
  showAs(request.format, value, () => {
    showPlans(plans, request.format);
    say('  Nothing was started.');
  });
  if (plans.some(([{ rejections }]) => rejections.length > 0)) process.exitCode = EXIT.failed;
}

async function requestTicket({ client, graph, options, nodes, format }: Request): Promise<void> {
  const [node, other] = nodes.map(({ id }) => id);
  const target = other === undefined ? { ...(node !== undefined && { node }) } : { nodes: nodes.map(({ id }) => id) };
  showRequested(
    (await client.post('/tickets', { body: { launch: { name: graph, options, ...target } } })).body,
    format,
  );
}

/** Shows the plan of a destructive graph, and asks for the node's name. */
async function confirmDestructive(request: Request): Promise<void> {
  const plans = await plansOf(request);
  const destructive = plans.filter(([plan]) => isDestructive(plan));
  const [first] = destructive;
  if (first === undefined) return;
  showPlans(destructive, request.format, inform);
  if (destructive.some(([{ rejections }]) => rejections.length > 0))
    throw new CommandError('The launch would be rejected; nothing was started');
  const [, node] = first;
  const isOne = destructive.length === 1 && node !== undefined;
  const target = isOne ? node.name : `${destructive.length} nodes`;
  const warning = `${request.graph} destroys data ${node === undefined ? '' : `on ${target}`}.`;
  await confirmName(warning, isOne ? node.name : request.graph, false);
}

async function runOne({ client, graph, options, ticket, format }: Request, node: Node | undefined, flags: Follow) {
  const body = { name: graph, options, ...(ticket !== undefined && { ticket }) };
  const { body: workflow } =
    node === undefined
      ? await client.post('/workflows', { body })
      : await client.post('/nodes/:identifier/workflows', { params: { identifier: node.id }, body });
  const { id, injectableName } = workflow;
  if (flags.watch === true)
    return watchToEnd(client, id, { format, ...(flags.timeout && { timeoutMs: flags.timeout }) });
  return showAs(format, workflow, () => {
    say(id);
    const target = node === undefined ? '' : ` on ${node.name}`;
    inform(printableText(`${injectableName}${target} is ${workflow.status}; nw watch ${id} follows it`));
  });
}

async function runBatch({ client, graph, options, nodes, ticket, format }: Request, flags: Follow): Promise<void> {
  const body = {
    name: graph,
    options,
    nodes: nodes.map(({ id }) => id),
    ...(flags.batch !== undefined && { concurrency: flags.batch }),
    ...(flags.maxFailed !== undefined && { maxFailures: flags.maxFailed }),
    ...(ticket !== undefined && { ticket }),
  };
  const { body: batch } = await client.post('/nodes/workflows', { body });
  if (flags.watch === true)
    return followBatch(client, batch.id, { format, ...(flags.timeout && { timeoutMs: flags.timeout }) });
  return showLaunched(client, await followLaunches(client, batch), format);
}
