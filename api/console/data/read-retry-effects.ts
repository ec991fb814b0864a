/** Reads the effect of a retry of several workflows. */
import { failedTask } from '../../../engine/vocabulary/failed-task.ts';
import { onceLabels, recoveriesOf } from '../../client/failed-end.ts';
import { client } from './daemon-client.ts';
import { inTurns } from './in-turns.ts';
import type { RetryEffects } from './retry-effects.ts';

/** Workflows of one request: their ids are in its address. */
const PER_REQUEST = 100;

/** @returns by the ids of the workflows @throws RequestError */
export async function readRetryEffects(ids: readonly string[]): Promise<RetryEffects> {
  const pages = Array.from({ length: Math.ceil(ids.length / PER_REQUEST) }, (_, page) =>
    ids.slice(page * PER_REQUEST, (page + 1) * PER_REQUEST),
  );
  const answers = await inTurns(pages, (page) =>
    client.get('/workflows', { query: { id: page.join(','), fields: 'id,error,tasks', $top: PER_REQUEST } }),
  );
  const workflows = answers.flatMap(({ body }) => body);
  const recoveries = await recoveriesOf(
    client,
    workflows.flatMap(({ tasks }) => tasks),
  );
  return new Map(
    workflows.map(({ id, error, tasks }) => [
      id,
      { from: failedTask(tasks, error)?.label, unsafe: onceLabels(tasks, recoveries) },
    ]),
  );
}
