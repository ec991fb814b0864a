/** Reads the effect of a retry of several workflows. */
import { failedTask } from '../../../engine/vocabulary/failed-task.ts';
import { onceLabels, recoveriesOf } from '../../client/failed-end.ts';
import { client } from './daemon-client.ts';
import { IDS_PER_REQUEST, idsInParts } from './ids-in-parts.ts';
import { inTurns } from './in-turns.ts';
import type { RetryEffects } from './retry-effects.ts';

/** @returns by the ids of the workflows @throws RequestError */
export async function readRetryEffects(ids: readonly string[]): Promise<RetryEffects> {
  const answers = await inTurns(idsInParts(ids), (part) =>
    client.get('/workflows', { query: { id: part.join(','), fields: 'id,error,tasks', $top: IDS_PER_REQUEST } }),
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
