/**
 * Runs the workflow of a graph on a machine that answers: a daemon, a machine of the twin and its BMC in this process, under virtual time.
 * The same arguments give the same story, to the last byte.
 *
 * 1. Wrong arguments are rejected before anything starts.
 * 2. While it runs, the clock, the timers and the random numbers of the process are those of the story. One story runs at a time.
 */
import { type AnyGraph, graphFrom } from '../../engine/kit/compile-graph.ts';
import { includedDefinitions } from '../../engine/kit/definition-files.ts';
import { launchSamples } from '../../engine/kit/launch-samples.ts';
import { misuse } from '../../engine/kit/misuse.ts';
import { launchRun } from '../../engine/kit/simulate.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import type { Story, StoryOptions } from './story-record.ts';

let tail: Promise<unknown> = Promise.resolve();

/**
 * Runs the graph's workflow on a machine of the twin, from its launch to its end.
 * @throws NodewrightError INVALID_DEFINITION, INVALID_OPTIONS: the daemon would not load or launch the graph. INVALID: wrong
 * arguments
 */
export function story(graph: AnyGraph, options: StoryOptions = {}): Promise<Story> {
  const turn = tail.then(() => tell(graph, options));
  tail = turn.catch(() => {});
  return turn;
}

async function tell(given: AnyGraph, { seed = 1, faults = [], model, ...more }: StoryOptions): Promise<Story> {
  if (!Number.isSafeInteger(seed) || seed < 0) throw misuse(`the seed ${seed}`, 'a whole number from 0', 'correct it');
  const { tasks } = await includedDefinitions();
  const graph = graphFrom(given, more);
  const options = more.options ?? launchSamples(graph, [])[0]?.options ?? {};
  launchRun(graph, { options });
  // Loaded only here: a daemon and its machines consist of many files.
  const [{ modelNamed }, { faultsDrawn, faultsRead }, { runStory }] = await Promise.all([
    import('./story-model.ts'),
    import('./story-faults.ts'),
    import('./run-story.ts'),
  ]);
  const server = modelNamed(model);
  const lines = faults === 'drawn' ? faultsDrawn(seed, server) : faults;
  const plan = inFaults(() => faultsRead(lines, server));
  return runStory({ graph, tasks, options, seed, lines, faults: plan, model: server });
}

/** Names a wrong line. */
function inFaults<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { line } = error as { line?: number };
    if (line === undefined) throw error;
    throw new NodewrightError('INVALID', `faults[${line - 1}]: ${messageOf(error)}`);
  }
}
