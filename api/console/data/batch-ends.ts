/** How the workflows of a batch ended that did not succeed. */
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';

export type ShownBatch = GetAnswer<'/batches/:id'>;
type EndedWorkflow = Pick<GetAnswer<'/workflows'>[number], 'id' | 'node' | 'status' | 'error'>;

/** Workflows that are read at most. */
const MAX_WORKFLOWS = 1_000;

/** @throws RequestError */
export async function readBatchEnds({ name, createdAt, launched }: ShownBatch): Promise<EndedWorkflow[]> {
  const workflowIds = new Set(launched.map(({ workflow }) => workflow));
  if (workflowIds.size === 0) return [];
  const fields = 'id,node,status,error';
  const query = {
    injectableName: name,
    status: 'failed,cancelled',
    'createdAt.gte': createdAt,
    fields,
    $top: MAX_WORKFLOWS,
  };
  return (await client.get('/workflows', { query })).body.filter(({ id }) => workflowIds.has(id));
}
