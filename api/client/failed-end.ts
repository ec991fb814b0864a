/** The end of a failed workflow, for the command line and the console: the remedy, and the effect of a retry. */
import { errorMeanings } from '../../engine/vocabulary/error-codes.ts';
import type { ErrorMeaning } from '../../engine/vocabulary/error-meaning.ts';
import type { GetAnswer, Requests } from './requests.ts';

type EndedWorkflow = GetAnswer<'/workflows/:id'>;
type EndedTask = EndedWorkflow['tasks'][number];

/** @returns undefined for a code of a graph or a task */
export function meaningOf(code: string): ErrorMeaning | undefined {
  const meanings: Readonly<Record<string, ErrorMeaning>> = errorMeanings;
  return meanings[code];
}

/** Without its links, which lead from the page of the errors. */
export function remedyText(code: string, task: Pick<EndedTask, 'taskName'> | undefined): string {
  const meaning = meaningOf(code);
  if (meaning !== undefined) return meaning.help.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return `the author of ${task?.taskName ?? 'its graph'} defines ${code}; its message says what to do`;
}

/** Tasks that began and did not succeed; a retry from the failed one runs them again. */
export const runAgain = (tasks: readonly EndedTask[]): EndedTask[] =>
  tasks.filter(
    ({ compensates, startedAt, state }) => compensates === undefined && startedAt !== null && state !== 'succeeded',
  );

/** By the names of tasks. */
type Recoveries = ReadonlyMap<string, string>;

/** The recoveries of the tasks that would run again. */
export async function recoveriesOf(client: Requests, tasks: readonly EndedTask[]): Promise<Recoveries> {
  const names = [...new Set(runAgain(tasks).map(({ taskName }) => taskName))];
  return new Map(await Promise.all(names.map(async (name) => [name, await recoveryOf(client, name)] as const)));
}

/**
 * The labels of those that run once: each may have taken effect, and has to be acknowledged. A task that no longer exists may be
 * one, as for a retry.
 */
export const onceLabels = (tasks: readonly EndedTask[], recoveries: Recoveries): string[] =>
  runAgain(tasks)
    .filter(({ taskName }) => recoveries.get(taskName) === 'once')
    .map(({ label }) => label);

async function recoveryOf(client: Requests, name: string): Promise<string> {
  try {
    return (await client.get('/workflows/tasks/:name', { params: { name } })).body.recovery;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return 'once';
    throw error;
  }
}
