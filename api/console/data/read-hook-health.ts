/** Reads the deliveries from which the health of a hook follows. */
import { client } from './daemon-client.ts';
import { type HookHealth, hookHealthIn } from './hook-health.ts';

/** @throws RequestError */
export async function readHookHealth(id: string): Promise<HookHealth> {
  const firstOf = (query: { state: string; sort?: string }) =>
    client.get('/hooks/:id/deliveries', { params: { id }, query: { ...query, $top: 1 } });
  const [waiting, ended] = await Promise.all([
    firstOf({ state: 'waiting', sort: 'createdAt' }),
    firstOf({ state: 'delivered,failed' }),
  ]);
  return hookHealthIn(waiting.total ?? waiting.body.length, waiting.body[0], ended.body[0]);
}
