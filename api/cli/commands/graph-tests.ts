/** `nw simulate`, `nw test`, `nw replay`: graphs without a daemon. */
import { type Command, Option } from 'commander';
import { appendValue, jsonFile } from '../option-values.ts';
import { outputFormats } from '../output.ts';
import type { ReplayFlags, SimulateFlags, TestFlags } from '../simulated-graphs.ts';

/** @returns the command `test`, to which others may add options */
export function addGraphTests(root: Command): Command {
  graphCommand(root, 'simulate', 'simulates a workflow of a graph: a file, or the name of an included graph')
    .option('--node <file>', 'a recording of a node (nw record)')
    .option('--options <file>', 'options of the launch, as JSON', jsonFile)
    .option('--end <label=ends>', 'ends of calls: ok, fail, a code, or an output as JSON; may be repeated', appendValue)
    .option('--notify <json>', 'parameters of a notification; may be repeated', appendValue)
    .option('--until <state>', 'stops at a state or a label')
    .action((graph: string, flags: SimulateFlags) => work().then(({ simulateGraph }) => simulateGraph(graph, flags)));
  const test = graphCommand(
    root,
    'test',
    'tests a graph: calls fail, messages repeat, it is cancelled and killed at each step',
  )
    .option('--options <file>', 'options of the launch, as JSON', jsonFile)
    .action(testCalls);
  withForm(root.command('replay <file>'))
    .description('replays an exported workflow (nw history --export) on a graph of today')
    .option('--graph <graph>', 'a file, or the name of an included graph; default: the name in the export')
    .option('--tasks <folder>', 'the folder of own tasks')
    .action((file: string, flags: ReplayFlags) => work().then(({ replayRun }) => replayRun(file, flags)));
  return test;
}

export const testCalls = (graph: string, flags: TestFlags): Promise<void> =>
  work().then(({ testGraph }) => testGraph(graph, flags));

/** The engine takes longer to load than most commands to run. */
const work = () => import('../simulated-graphs.ts');

const graphCommand = (root: Command, name: string, description: string): Command =>
  withForm(root.command(`${name} <graph>`))
    .description(description)
    .option('--tasks <folder>', 'the folder of own tasks; default: `tasks` beside the folder of the file');

const withForm = (command: Command): Command =>
  command.addOption(new Option('-o, --output <format>', 'form of the result').choices(outputFormats).default('table'));
