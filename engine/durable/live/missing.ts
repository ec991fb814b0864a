/** Rows that should be in Redis, and are not. */

import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { StepRow } from '../step/row.ts';
import type { RecordedRow } from './port.ts';
import type { RedisRows } from './redis-rows.ts';

/**
 * Returns those documents of moving rows whose rows Redis has lost. A row that rested, or was removed, after its
 * document was read has a newer document now.
 */
export async function missingIn<R extends StepRow>(
  rows: RedisRows<R>,
  record: Collection<RecordedRow<R>>,
  moving: readonly RecordedRow<R>[],
): Promise<RecordedRow<R>[]> {
  const here = new Set((await rows.getAll(moving.map(({ id }) => id))).map(({ id }) => id));
  const absent = moving.filter(({ id }) => !here.has(id));
  const versions = new Map(
    (
      await byIds(
        record,
        absent.map(({ id }) => id),
      )
    ).map(({ id, version }) => [id, version]),
  );
  return absent.filter(({ id, version }) => versions.get(id) === version);
}
