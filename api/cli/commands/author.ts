/** The commands of authors: those of `graph-tests.ts`, tests on machines of the twin, and recordings, which need a daemon. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Recording } from '../../../engine/kit/index.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import type { StoryFlags } from '../graph-stories.ts';
import { nodeOf } from '../node-of.ts';
import { count, position } from '../option-values.ts';
import type { TestFlags } from '../simulated-graphs.ts';
import { say } from '../terminal.ts';
import { addGraphTests, testCalls } from './graph-tests.ts';

export function addAuthorCommands(root: Command): void {
  addGraphTests(root)
    .option('--seed <number>', 'runs it instead on a machine of the twin, with faults that the seed draws', position)
    .option('--runs <number>', 'with --seed: the number of seeds, from that one', runCount)
    .option('--faults <file>', 'with --seed: these faults, one a line; times count from the launch')
    .option('--model <name>', 'with --seed: the model of the machine; default: dell-r650')
    .option('--story', 'with --seed: shows what happened')
    .action(test);
  connecting(root.command('record <node>'))
    .description('writes a recording of a node for simulations, without secrets')
    .action(record);
}

const RUNS_MAX = 10_000;

function runCount(text: string): number {
  const number = count(text);
  if (number > RUNS_MAX) throw new InvalidArgumentError(`Expected at most ${RUNS_MAX}.`);
  return number;
}

async function test(graph: string, { seed, ...flags }: TestFlags & Partial<StoryFlags>): Promise<void> {
  if (seed !== undefined) {
    const { testOnTwin } = await import('../graph-stories.ts');
    return testOnTwin(graph, { ...flags, seed });
  }
  const [lonely] = (['runs', 'faults', 'model', 'story'] as const).filter((name) => flags[name] !== undefined);
  if (lonely !== undefined) throw new CommandError(`--${lonely} needs --seed`, EXIT.usage);
  return testCalls(graph, flags);
}

const record = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => say(JSON.stringify(await recordingOfNode(client, given), null, 2)));

/** Records that hold the outputs of the latest runs. */
const RECORDED_WORKFLOWS = 20;

async function recordingOfNode(client: Client, given: string): Promise<Recording> {
  const { recordingOf } = await import('../../../engine/kit/index.ts');
  const node = await nodeOf(client, given);
  const params = { identifier: node.id };
  const query = { $top: RECORDED_WORKFLOWS, sort: '-createdAt' };
  const catalogs = await client.get('/nodes/:identifier/catalogs', {
    params,
    query: { $top: 100, sort: '-createdAt' },
  });
  const workflows = await client.get('/nodes/:identifier/workflows', { params, query });
  const sku = node.sku === null ? null : (await client.get('/skus/:id', { params: { id: node.sku } })).body;
  return recordingOf({ node, catalogs: catalogs.body, workflows: workflows.body, sku: sku as never });
}
