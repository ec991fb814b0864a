/** The totals of the daemon. */
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';

export type ShownSummary = GetAnswer<'/summary'>;

/** @throws RequestError */
export const readSummary = async (): Promise<ShownSummary> => (await client.get('/summary')).body;
