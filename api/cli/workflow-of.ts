/** Workflows as users name them: by id or its beginning, or by the node that they run on. */
import type { GetAnswer } from '../client/requests.ts';
import type { Client } from './client.ts';
import { CommandError } from './exit-codes.ts';
import { beginningWith } from './id-of.ts';
import { type Node, nodeOf } from './node-of.ts';
import { printableText } from './terminal.ts';

export type Workflow = GetAnswer<'/workflows/:id'>;
export type WorkflowTask = Workflow['tasks'][number];

/** The workflow whose id this is, or begins so; undefined: it may be a node. */
export async function workflowById(client: Client, given: string): Promise<Workflow | undefined> {
  const match = await beginningWith((query) => client.get('/workflows', { query }), given, 'id');
  return match && getWorkflow(client, match.id);
}

/** The node of a command that takes a workflow or a node, and of which `workflowById` has found none. */
export const nodeInstead = (client: Client, given: string): Promise<Node> =>
  nodeOf(
    client,
    given,
    'found no workflow with the id, and no node with the id, identifier or name %; nw ps --all and nw nodes list them',
  );

/** Its last workflow that no other launched, as only such a one is retried. @returns undefined: the node has had none */
export async function newestOn(client: Client, { id }: Pick<Node, 'id'>): Promise<Workflow | undefined> {
  const query = { $top: 1, sort: '-createdAt', root: 'null' };
  const { body } = await client.get('/nodes/:identifier/workflows', { params: { identifier: id }, query });
  return body[0];
}

const getWorkflow = async (client: Client, id: string): Promise<Workflow> =>
  (await client.get('/workflows/:id', { params: { id } })).body;

const nothing = ({ name }: Node) => new CommandError(`${printableText(name)} has had no workflow; nw run starts one`);

/** The workflow that holds a node. @throws CommandError if there is none */
export async function activeWorkflow(client: Client, given: string): Promise<Workflow> {
  const workflow = await workflowById(client, given);
  if (workflow !== undefined) return workflow;
  const node = await nodeInstead(client, given);
  if (node.active !== null) return getWorkflow(client, node.active.id);
  const last = await newestOn(client, node);
  if (last === undefined) throw nothing(node);
  throw new CommandError(`no workflow is active on ${printableText(node.name)}; its last, ${last.id}, ${last.status}`);
}

/** The workflow that holds a node, or else its last one. @throws CommandError if there is none */
export async function latestWorkflow(client: Client, given: string): Promise<Workflow> {
  const workflow = await workflowById(client, given);
  if (workflow !== undefined) return workflow;
  const node = await nodeInstead(client, given);
  if (node.active !== null) return getWorkflow(client, node.active.id);
  const last = await newestOn(client, node);
  if (last === undefined) throw nothing(node);
  return last;
}
