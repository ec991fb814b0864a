/**
 * The keys of the embedded database: files beside it. The database records which ones it uses, so that a start never makes
 * a new key in the place of one that is lost: what the old one encrypted could not be read.
 */
import type { CollectionSpec, Document, Store } from '../store/port.ts';
import type { KeyName, KeyRing } from './key-ring.ts';
import { lostKeys, storedKeys } from './secrets.ts';

/** `id`: name of a key. */
const keyUseSpec: CollectionSpec = { name: 'keys', indexes: {} };

/** @returns the keys of a name; the first call generates them, and throws DATA_DIR_DAMAGED if they are lost */
export async function localKeys(store: Store, dataDir: string): Promise<(name: KeyName) => Promise<KeyRing>> {
  const used = await store.collection<Document>(keyUseSpec);
  return async (id) => {
    const isUsed = (await used.get(id)) !== undefined;
    const lost = isUsed ? lostKeys(dataDir, id) : undefined;
    if (lost !== undefined) throw lost;
    const ring = storedKeys(dataDir, id);
    // After the file: a crash in between leaves a key that is used from now on.
    if (!isUsed) await used.insertMissing([{ id }]);
    return ring;
  };
}
