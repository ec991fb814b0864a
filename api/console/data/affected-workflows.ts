/** The workflows of a cause of failures, or of a cause for which workflows are stuck. */
import type { GetAnswer } from '../../client/requests.ts';
import { isOfCause } from './caused-workflow.ts';
import { client } from './daemon-client.ts';

type Cause = Pick<GetAnswer<'/failures'>[number], 'kind' | 'graph' | 'task' | 'code' | 'message' | 'firstAt'>;
export type AffectedWorkflow = GetAnswer<'/workflows'>[number];

/** Workflows of a graph that are looked at. */
const MAX_AFFECTED = 500;
const FIELDS = 'id,injectableName,node,status,paused,parent,retryOf,error,waiting,createdAt,updatedAt,finishedAt,tasks';

/** The newest first. @throws RequestError */
export async function affectedWorkflows(cause: Cause): Promise<readonly AffectedWorkflow[]> {
  const { kind, graph, code, firstAt } = cause;
  const state =
    kind === 'stuck' ? { stuck: true } : { status: 'failed', code, 'finishedAt.gte': firstAt, sort: '-finishedAt' };
  const query = { injectableName: graph, ...state, fields: FIELDS, $top: MAX_AFFECTED };
  const { body } = await client.get('/workflows', { query });
  return body.filter((workflow) => isOfCause(cause, workflow));
}
