/** Keys that several processes share: documents. */
import type { Collection, CollectionSpec } from '../store/port.ts';
import type { KeyName, KeyRing } from './key-ring.ts';
import { storedKeys } from './secrets.ts';

/** `id`: name of the key. */
export interface StoredSecret {
  id: string;
  /** The key in use. */
  value: string;
  /** Absent: none. */
  accepted?: string[];
}

export const secretSpec: CollectionSpec = { name: 'secrets', indexes: {} };

export const ringOf = ({ value, accepted = [] }: StoredSecret): KeyRing => [value, ...accepted];

/** Returns the key ring that all processes share: if several generate it concurrently, all get the first. */
export async function sharedKeys(secrets: Collection<StoredSecret>, id: KeyName, dataDir: string): Promise<KeyRing> {
  const storedSecret = await secrets.get(id);
  if (storedSecret !== undefined) return ringOf(storedSecret);
  const [value, ...accepted] = storedKeys(dataDir, id);
  await secrets.insertMissing([{ id, value, accepted }]);
  return ringOf((await secrets.get(id)) as StoredSecret);
}
