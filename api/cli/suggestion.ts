/** The name that a user probably meant, of those that the daemon has. */
import { didYouMean } from '../../engine/vocabulary/nearest.ts';
import { ApiError } from './api-error.ts';
import type { Client } from './client.ts';

const lists = { Graph: '/workflows/graphs', Task: '/workflows/tasks' } as const;
const NO_DEFINITION = /^(Graph|Task) definition not found for (\S+)/;

type ListPath =
  | (typeof lists)[keyof typeof lists]
  | '/baselines'
  | '/rollouts'
  | '/rules'
  | '/schedules'
  | '/skus'
  | '/teams'
  | '/windows';

interface NamedRecord {
  name?: string | null;
  injectableName?: string;
}

/** Returns `; did you mean 'Dell R650'?`, or an empty text. */
export async function suggestion(client: Client, list: ListPath, word: string): Promise<string> {
  // Without the list the error is still the user's answer.
  const { body } = await client.get(list).catch(() => ({ body: [] }));
  const names = (body as readonly NamedRecord[]).map(({ injectableName, name }) => injectableName ?? name ?? '');
  return didYouMean(word, names);
}

/** @returns the error; that of an unknown graph or task suggests a name */
export async function withSuggestion(client: Client, error: unknown): Promise<unknown> {
  const [, kind, name = ''] = (error instanceof ApiError && NO_DEFINITION.exec(error.message)) || [];
  if (kind !== undefined)
    (error as ApiError).message += await suggestion(client, lists[kind as keyof typeof lists], name);
  return error;
}
