/** Workflows as users name them: by id, or by the node that they run on. */

import type { GetAnswer } from '../client/requests.ts';
import { ApiError } from './api-error.ts';
import type { Client } from './client.ts';
import { CommandError } from './exit-codes.ts';
import { type Node, nodeOf } from './node-of.ts';
import { printableText } from './terminal.ts';

export type Workflow = GetAnswer<'/workflows/:id'>;
export type WorkflowTask = Workflow['tasks'][number];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** As the console shows an id, or longer. */
const BEGINNING = /^[0-9a-f]{8}(?:-[0-9a-f-]{0,26})?$/i;

/** @throws CommandError for the beginning of several ids */
async function workflowBeginning(client: Client, beginning: string): Promise<Workflow | undefined> {
  const { body } = await client.get('/workflows', { query: { 'id.prefix': beginning, $top: 2 } });
  if (body.length < 2) return body[0];
  const idList = body.map(({ id }) => id).join(', ');
  throw new CommandError(
    `${printableText(beginning)} is the beginning of several ids, such as ${idList}; give more of it`,
  );
}

/** The workflow with this id; undefined: it may be the id of a node. */
export async function workflowById(client: Client, given: string): Promise<Workflow | undefined> {
  if (BEGINNING.test(given)) return workflowBeginning(client, given.toLowerCase());
  if (!UUID.test(given)) return undefined;
  try {
    return (await client.get('/workflows/:id', { params: { id: given } })).body;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

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
  const node = await nodeOf(client, given);
  if (node.active !== null) return getWorkflow(client, node.active.id);
  const last = await newestOn(client, node);
  if (last === undefined) throw nothing(node);
  throw new CommandError(`no workflow is active on ${printableText(node.name)}; its last, ${last.id}, ${last.status}`);
}

/** The workflow that holds a node, or else its last one. @throws CommandError if there is none */
export async function latestWorkflow(client: Client, given: string): Promise<Workflow> {
  const workflow = await workflowById(client, given);
  if (workflow !== undefined) return workflow;
  const node = await nodeOf(client, given);
  if (node.active !== null) return getWorkflow(client, node.active.id);
  const last = await newestOn(client, node);
  if (last === undefined) throw nothing(node);
  return last;
}
