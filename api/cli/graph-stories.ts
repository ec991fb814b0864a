/** The work of `nw test --seed`: the graph on a machine of the twin, once for each seed. */
import type { AnyGraph } from '../../engine/kit/index.ts';
import { duration } from '../client/times.ts';
import { story } from '../story/story.ts';
import { faultLines, faultsRead } from '../story/story-faults.ts';
import { modelNamed } from '../story/story-model.ts';
import type { Story, StoryOptions } from '../story/story-record.ts';
import { EXIT } from './exit-codes.ts';
import { argumentGraph, type GraphFlags, isJson, sayJson, withUsage } from './graph-argument.ts';
import { colors, inform, printableText, say } from './terminal.ts';
import { faultsIn } from './twin/fault-file.ts';

export interface StoryFlags extends GraphFlags {
  options?: unknown;
  seed: number;
  runs?: number;
  faults?: string;
  model?: string;
  story?: boolean;
}

export const testOnTwin = (given: string, flags: StoryFlags): Promise<void> =>
  withUsage(() => runStories(given, flags));

async function runStories(given: string, flags: StoryFlags): Promise<void> {
  const { seed, runs = 1, options } = flags;
  const server = modelNamed(flags.model);
  const lines = faultsIn(flags.faults, (text) => {
    const all = faultLines(text);
    faultsRead(all, server);
    return all;
  });
  const graph = await argumentGraph(given, flags);
  const stories: Story[] = [];
  for (let run = 0; run < runs; run += 1) {
    stories.push(
      await oneStory(graph, flags, {
        seed: seed + run,
        model: server.name,
        faults: lines ?? 'drawn',
        ...(options !== undefined && { options: options as never }),
      }),
    );
  }
  if (stories.some(isBad)) process.exitCode = EXIT.failed;
  if (flags.output === 'json') sayJson(stories, flags);
  else if (!isJson(flags)) summarize(stories, given);
}

/** A rule does not hold, or it fails without a fault. */
const isBad = ({ violations, faults, status }: Story): boolean =>
  violations.length > 0 || (faults.length === 0 && status !== 'succeeded');

async function oneStory(graph: AnyGraph, flags: StoryFlags, options: StoryOptions): Promise<Story> {
  const result = await story(graph, options);
  if (flags.output === 'jsonl') sayJson(result, flags);
  if (!isJson(flags)) show(result, flags.story === true);
  return result;
}

function show({ seed, status, error, elapsedMs, faults, lines, violations }: Story, isWhole: boolean): void {
  if (isWhole) for (const line of lines) say(printableText(`  ${line}`));
  const why = error === null ? '' : ` with ${error.code}: ${error.message}`;
  const paint = status === 'succeeded' ? colors.green : colors.yellow;
  const faultsText = faults.length === 0 ? 'without faults' : `with ${faults.join('; ')}`;
  say(paint(printableText(`seed ${seed}: ${status} after ${duration(elapsedMs)}${why} (${faultsText})`)));
  for (const violation of violations) say(colors.red(printableText(`seed ${seed}: violation: ${violation}`)));
}

function summarize(stories: readonly Story[], given: string): void {
  const bad = stories.filter(isBad);
  const succeeded = stories.filter(({ status }) => status === 'succeeded').length;
  const [first] = bad;
  say(`${succeeded} of ${stories.length} succeeded, ${bad.length} broke a rule or failed without a fault`);
  if (first !== undefined) inform(`nw test ${given} --seed ${first.seed} --story shows the first`);
}
