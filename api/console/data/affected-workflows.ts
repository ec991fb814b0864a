/** The workflows of a cause of failures, or of a cause for which workflows are stuck. */
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';

type Cause = Pick<GetAnswer<'/failures'>[number], 'kind' | 'graph' | 'task' | 'code' | 'message' | 'firstAt'>;
export type AffectedWorkflow = GetAnswer<'/workflows'>[number];

/** Workflows of a graph that are looked at. */
const MAX_AFFECTED = 500;
const FIELDS = 'id,injectableName,node,status,paused,parent,error,waiting,updatedAt,finishedAt,tasks';

/** The newest first. @throws RequestError */
export async function affectedWorkflows(cause: Cause): Promise<readonly AffectedWorkflow[]> {
  const { kind, graph, code, firstAt } = cause;
  const state =
    kind === 'stuck' ? { stuck: true } : { status: 'failed', code, 'finishedAt.gte': firstAt, sort: '-finishedAt' };
  const query = { injectableName: graph, ...state, fields: FIELDS, $top: MAX_AFFECTED };
  const { body } = await client.get('/workflows', { query });
  return body.filter((workflow) => isOfCause(cause, workflow));
}

/** As the daemon groups them: by task, and by the message without its numbers and ids. */
export function isOfCause(
  { kind, task, message }: Pick<Cause, 'kind' | 'task' | 'message'>,
  { waiting, error, tasks }: Pick<AffectedWorkflow, 'waiting' | 'error'> & { tasks: readonly TaskState[] },
): boolean {
  if (kind === 'stuck') return (waiting?.label ?? null) === task;
  const failed = tasks.filter(({ state }) => state === 'failed' || state === 'timeout');
  const label = (failed.find((one) => one.error?.message === error?.message) ?? failed.at(-1))?.label ?? null;
  return label === task && patternOf(message).test(error?.message ?? '');
}

type TaskState = Pick<AffectedWorkflow['tasks'][number], 'label' | 'state' | 'error'>;

/** @param message with `<n>` for numbers and `<id>` for ids */
function patternOf(message: string): RegExp {
  const escaped = message.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('<n>', '\\d[\\d.:]*').replaceAll('<id>', '[\\da-fA-F:-]+')}$`);
}
