/** The ids of workflows by their beginnings. */
import { client } from './daemon-client.ts';

/** The ids that begin with it: at most two, which say that it is not unique. */
export async function idsWith(beginning: string): Promise<string[]> {
  const query = { 'id.prefix': beginning.toLowerCase(), fields: 'id', $top: 2 };
  return (await client.get('/workflows', { query })).body.map(({ id }) => id);
}
