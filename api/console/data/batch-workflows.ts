/** Reads the workflows of a batch, and what repeats them. */
import { type BatchRow, batchRows, type ShownBatch } from './batch-state.ts';
import { client } from './daemon-client.ts';

/** Workflows that are read at most. */
const MAX_WORKFLOWS = 1_000;
const BATCH_FIELDS =
  'id,injectableName,node,status,batch,parent,retryOf,paused,waiting,progress,error,dueAt,createdAt,startedAt,finishedAt';

/** @throws RequestError */
export async function readBatchRows({ id, name, createdAt, waiting }: ShownBatch): Promise<BatchRow[]> {
  const listed = { fields: BATCH_FIELDS, $top: MAX_WORKFLOWS };
  const [launched, others] = await Promise.all([
    client.get('/workflows', { query: { ...listed, batch: id } }),
    client.get('/workflows', { query: { ...listed, injectableName: name, 'createdAt.gte': createdAt } }),
  ]);
  const retries = others.body.filter(({ batch, retryOf }) => batch !== id && retryOf !== null);
  return batchRows(id, waiting, [...launched.body, ...retries]);
}
