/** Commands to a workflow. */
import type { PostBody } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';

export type WorkflowCommand = 'cancel' | 'pause' | 'resume' | 'retry-now' | 'release';

export const sendCommand = (id: string, command: WorkflowCommand): Promise<unknown> =>
  client.put('/workflows/:id/action', { params: { id }, body: { command } });

/** @returns the id of the new workflow @throws RequestError RETRY_UNSAFE, and others */
export async function retryWorkflow(id: string, body: PostBody<'/workflows/:id/retry'>): Promise<string> {
  return (await client.post('/workflows/:id/retry', { params: { id }, body })).body.id;
}
