/** Certificates of erased drives, as the pages read them. */
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';

type Certificate = GetAnswer<'/workflows/:id/certificate'>;

/** Asks the list first: most workflows have none, and a 404 would be an error in the log of the browser. */
export async function certificateOf(workflow: string): Promise<{ found: Certificate | null }> {
  const { body } = await client.get('/certificates', { query: { workflow } });
  if (body.length === 0) return { found: null };
  return { found: (await client.get('/workflows/:id/certificate', { params: { id: workflow } })).body };
}
