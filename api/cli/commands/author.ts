/** `nw simulate`, `nw test`, `nw record`, `nw replay`: for authors of graphs. Only `record` needs a daemon. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Recording } from '../../../engine/kit/index.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import type { StoryFlags } from '../graph-stories.ts';
import { nodeOf } from '../node-of.ts';
import { appendValue, count, jsonFile, position } from '../option-values.ts';
import { outputFormats } from '../output.ts';
import type { ReplayFlags, SimulateFlags, TestFlags } from '../simulated-graphs.ts';
import { say } from '../terminal.ts';

export function addAuthorCommands(root: Command): void {
  graphCommand(root, 'simulate', 'simulates a workflow of a graph: a file, or the name of an included graph')
    .option('--node <file>', 'a recording of a node (nw record)')
    .option('--options <file>', 'options of the launch, as JSON', jsonFile)
    .option('--end <label=ends>', 'ends of calls: ok, fail, a code, or an output as JSON; may be repeated', appendValue)
    .option('--notify <json>', 'parameters of a notification; may be repeated', appendValue)
    .option('--until <state>', 'stops at a state or a label')
    .action((graph: string, flags: SimulateFlags) => work().then(({ simulateGraph }) => simulateGraph(graph, flags)));
  graphCommand(root, 'test', 'tests a graph: calls fail, messages repeat, it is cancelled and killed at each step')
    .option('--options <file>', 'options of the launch, as JSON', jsonFile)
    .option('--seed <number>', 'runs it instead on a machine of the twin, with faults that the seed draws', position)
    .option('--runs <number>', 'with --seed: the number of seeds, from that one', runCount)
    .option('--faults <file>', 'with --seed: these faults, one a line; times count from the launch')
    .option('--model <name>', 'with --seed: the model of the machine; default: dell-r650')
    .option('--story', 'with --seed: shows what happened')
    .action(test);
  connecting(root.command('record <node>'))
    .description('writes a recording of a node for simulations, without secrets')
    .action(record);
  withForm(root.command('replay <file>'))
    .description('replays an exported workflow (nw history --export) on a graph of today')
    .option('--graph <graph>', 'a file, or the name of an included graph; default: the name in the export')
    .option('--tasks <folder>', 'the folder of own tasks')
    .action((file: string, flags: ReplayFlags) => work().then(({ replayRun }) => replayRun(file, flags)));
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
  return (await work()).testGraph(graph, flags);
}

/** The engine takes longer to load than most commands to run. */
const work = () => import('../simulated-graphs.ts');

const graphCommand = (root: Command, name: string, description: string): Command =>
  withForm(root.command(`${name} <graph>`))
    .description(description)
    .option('--tasks <folder>', 'the folder of own tasks; default: `tasks` beside the folder of the file');

const withForm = (command: Command): Command =>
  command.addOption(new Option('-o, --output <format>', 'form of the result').choices(outputFormats).default('table'));

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
