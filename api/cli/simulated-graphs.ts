/** The work of `nw simulate`, `nw test` and `nw replay`, loaded when it runs. */

import {
  type CallEnd,
  type CallEnds,
  examineGraph,
  graphFrom,
  type HarnessCount,
  includedDefinitions,
  readRecording,
  recordedRun,
  replay,
  type Simulation,
  simulate,
} from '../../engine/kit/index.ts';
import { CommandError, EXIT, exitCodeOfEnd } from './exit-codes.ts';
import { argumentGraph, type GraphFlags, isJson, sayJson, withUsage } from './graph-argument.ts';
import { colors, inform, printableText, say } from './terminal.ts';

export interface SimulateFlags extends GraphFlags {
  node?: string;
  options?: unknown;
  end?: string[];
  notify?: string[];
  until?: string;
}

export interface TestFlags extends GraphFlags {
  options?: unknown;
}

export interface ReplayFlags extends GraphFlags {
  graph?: string;
}

export const simulateGraph = (given: string, flags: SimulateFlags): Promise<void> =>
  withUsage(() => runSimulation(given, flags));
export const testGraph = (given: string, flags: TestFlags): Promise<void> => withUsage(() => runTest(given, flags));
export const replayRun = (file: string, flags: ReplayFlags): Promise<void> => withUsage(() => replayFile(file, flags));

async function runSimulation(given: string, flags: SimulateFlags): Promise<void> {
  const { node, options, end = [], notify = [], until } = flags;
  const graph = await argumentGraph(given, flags);
  const run = simulate(graph, {
    ends: endsIn(end),
    ...(node !== undefined && { node: readRecording(node) }),
    ...(options !== undefined && { options: options as never }),
  });
  run.answering(notify.map(parametersIn), until);
  show(run, flags);
  if (until === undefined) process.exitCode = exitCodeOfEnd(run.status, run.error?.code);
}

function show(run: Simulation, flags: SimulateFlags): void {
  const { status, value, output, error, elapsedMs, tasks, trace } = run;
  if (isJson(flags)) {
    sayJson({ status, value, output, error, elapsedMs, tasks, trace }, flags);
    return;
  }
  for (const line of trace) say(printableText(line));
  const why = error === null ? '' : ` (${error.code}: ${error.message})`;
  const paint = status === 'failed' ? colors.red : colors.green;
  say(paint(printableText(`${status}${why}`)));
}

/** @param given such as `disks=fail,fail,ok`, `disks=DISK_BROKEN`, `ask={"ready":true}` */
function endsIn(given: readonly string[]): CallEnds {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new CommandError(`found --end ${text}; expected <label>=<end>,...`, EXIT.usage);
      return [text.slice(0, at), endsOf(text.slice(at + 1))];
    }),
  );
}

function endsOf(text: string): CallEnd[] {
  if (/^[[{"]/.test(text)) return [{ output: jsonIn(text, '--end') }];
  return text.split(',').map((end): CallEnd => {
    if (end === 'ok' || end === 'fail') return end;
    if (/^[A-Z][A-Z0-9_]+$/.test(end)) return { fail: end };
    throw new CommandError(`found the end ${end}; expected ok, fail, a code such as OBM_BUSY, or JSON`, EXIT.usage);
  });
}

function parametersIn(text: string): Record<string, unknown> {
  const value = jsonIn(text, '--notify');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CommandError(`found --notify ${text}; expected an object as JSON`, EXIT.usage);
}

function jsonIn(text: string, option: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`found ${option} ${text}; expected JSON`, EXIT.usage);
  }
}

async function runTest(given: string, flags: TestFlags): Promise<void> {
  const { options } = flags;
  const result = examineGraph(
    graphFrom(await argumentGraph(given, flags)),
    options === undefined ? {} : { options: options as never },
  );
  const { calls, failures, repeats, cancels, kills, problems } = result;
  if (problems.length > 0) process.exitCode = EXIT.failed;
  if (isJson(flags)) return sayJson(result, flags);
  const rows: [string, HarnessCount][] = [
    [`fails at each of ${calls} calls`, failures],
    ['each message repeats', repeats],
    [`cancelled before each of ${cancels.tried} steps`, cancels],
    [`killed before each of ${kills.tried} steps, and while a call runs`, kills],
  ];
  for (const [what, { tried, passed }] of rows) {
    const counts = `${passed}/${tried}`;
    say(`${what.padEnd(56)} ${passed === tried ? colors.green(counts) : colors.red(counts)}`);
  }
  for (const { message, path } of problems) {
    inform(`\n${colors.red('x')} ${printableText(message)}`);
    for (const step of path) inform(`    ${printableText(step)}`);
  }
  return undefined;
}

/** @throws CommandError for a graph that does not come with nodewright */
async function includedName(name: string): Promise<string> {
  const { graphs } = await includedDefinitions();
  if (graphs.has(name)) return name;
  throw new CommandError(
    `found a run of ${name}, which is not an included graph; name its file: --graph FILE`,
    EXIT.usage,
  );
}

async function replayFile(file: string, flags: ReplayFlags): Promise<void> {
  const run = recordedRun(file);
  const graph = await argumentGraph(flags.graph ?? (await includedName(run.workflow.injectableName)), flags);
  const result = replay(run, graph);
  const { steps, same, difference, assumed, isSameVersion } = result;
  if (difference !== null) process.exitCode = EXIT.failed;
  if (isJson(flags)) return sayJson(result, flags);
  say(`${result.graph}, ${isSameVersion ? 'the version of the run' : 'another version than that of the run'}`);
  say(`${same} of ${steps} steps are the same`);
  if (assumed.length > 0) inform(`outputs that the record does not have were assumed for: ${assumed.join(', ')}`);
  if (difference === null) return undefined;
  say(
    colors.red(
      `differs ${difference.at} after the launch, in step ${difference.version} (${printableText(difference.cause)})`,
    ),
  );
  for (const line of difference.recorded) say(`  - ${printableText(line)}`);
  for (const line of difference.replayed) say(`  + ${printableText(line)}`);
  return undefined;
}
