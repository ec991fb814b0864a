/** The mark of a restore that has not ended: no daemon starts on such documents. In a data directory it is a file. */

import type { CollectionSpec, Store } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';

const restoreSpec: CollectionSpec = { name: 'restores', indexes: {} };

const ID = 'restore';

/** @throws NodewrightError RESTORE_UNFINISHED */
export async function rejectUnfinished(store: Store): Promise<void> {
  if (!(await isUnfinished(store))) return;
  throw new NodewrightError(
    'RESTORE_UNFINISHED',
    'MongoDB has a part of a backup only: a restore runs, or was interrupted; ' +
      'wait for it, or run nodewright backup restore --replace again, with the same file',
  );
}

export async function isUnfinished(store: Store): Promise<boolean> {
  return (await (await store.collection(restoreSpec)).get(ID)) !== undefined;
}

export async function markRestore(store: Store): Promise<void> {
  await (await store.collection(restoreSpec)).insertMissing([{ id: ID }]);
}

export async function unmarkRestore(store: Store): Promise<void> {
  await (await store.collection(restoreSpec)).remove({ id: ID });
}
