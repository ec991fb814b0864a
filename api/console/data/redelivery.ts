/** All deliveries of a hook that did not reach its receiver, sent again. */

import { notRepeated } from '../../client/hook-health.ts';
import { client } from './daemon-client.ts';
import { inTurns } from './in-turns.ts';

/** Deliveries of one page of the list. */
const DELIVERIES_PER_REQUEST = 1_000;
/** Requests that are made at the same time. */
const CONCURRENT = 4;

/** Makes those that wait due now, and repeats those that were given up. @returns how many @throws RequestError */
export async function deliverAllAgain(hook: string): Promise<number> {
  const params = { id: hook };
  const inState = async (state: string) =>
    (await client.get('/hooks/:id/deliveries', { params, query: { state, $top: DELIVERIES_PER_REQUEST } })).body;
  const [waiting, failed, delivered] = await Promise.all(['waiting', 'failed', 'delivered'].map(inState));
  const ids = [...notRepeated(failed ?? [], [...(waiting ?? []), ...(delivered ?? [])]), ...(waiting ?? [])]
    .map(({ id }) => id)
    .toReversed();
  const send = (delivery: string) =>
    client.post('/hooks/:id/deliveries/:delivery/redeliver', { params: { ...params, delivery } });
  await inTurns(ids, send, CONCURRENT);
  return ids.length;
}
