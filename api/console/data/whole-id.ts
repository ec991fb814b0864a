/** Whole ids by their beginnings: at most two, which say that one is not unique. */
import { client } from './daemon-client.ts';

/** @throws RequestError */
export async function workflowsWith(beginning: string): Promise<string[]> {
  const query = { 'id.prefix': beginning.toLowerCase(), fields: 'id', $top: 2 };
  return (await client.get('/workflows', { query })).body.map(({ id }) => id);
}

/** Workflows with a certificate, also those that were deleted. @throws RequestError */
export async function certificatesWith(beginning: string): Promise<string[]> {
  const query = { 'workflow.prefix': beginning.toLowerCase(), $top: 2 };
  return (await client.get('/certificates', { query })).body.map(({ workflow }) => workflow);
}
