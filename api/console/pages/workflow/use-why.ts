/** The reasons why a workflow does not continue. */
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { type LiveValue, useLive } from '../../data/live.ts';

export type WhyRecord = GetAnswer<'/workflows/:id/why'>;
export type ShownWait = WhyRecord['waits'][number];

export const useWhy = (id: string): LiveValue<WhyRecord> =>
  useLive(
    `why ${id}`,
    async () => (await client.get('/workflows/:id/why', { params: { id } })).body,
    ({ typeId }) => typeId === id,
  );
