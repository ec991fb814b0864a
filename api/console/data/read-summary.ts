/** The totals of the daemon. */
import type { Got } from '../../client/requests.ts';
import { client } from './daemon-client.ts';

export type ShownSummary = Got<'/summary'>;

/** @throws RequestError */
export const readSummary = async (): Promise<ShownSummary> => (await client.get('/summary')).body;
