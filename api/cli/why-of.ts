/** Why a workflow, or that of a node, does not continue. */
import type { Client } from './client.ts';
import type { WhyAnswer } from './watch/watched-workflow.ts';
import { nodeInstead, type Workflow, workflowById } from './workflow-of.ts';

interface NamedWhy {
  /** undefined: a node was named. */
  workflow: Workflow | undefined;
  answer: WhyAnswer;
}

/** @param given a workflow by its id, or a node @throws CommandError if there is none */
export async function whyOf(client: Client, given: string): Promise<NamedWhy> {
  const workflow = await workflowById(client, given);
  const { body } = await (workflow === undefined
    ? client.get('/nodes/:identifier/why', { params: { identifier: (await nodeInstead(client, given)).id } })
    : client.get('/workflows/:id/why', { params: { id: workflow.id } }));
  return { workflow, answer: body };
}
