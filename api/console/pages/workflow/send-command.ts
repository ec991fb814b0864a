/** Commands to a workflow. */
import { client } from '../../data/daemon-client.ts';

export type WorkflowCommand = 'cancel' | 'pause' | 'resume' | 'retry-now' | 'release';

export const sendCommand = (id: string, command: WorkflowCommand): Promise<unknown> =>
  client.put('/workflows/:id/action', { params: { id }, body: { command } });
