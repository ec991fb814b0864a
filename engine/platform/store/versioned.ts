/** Changes a versioned document by compare-and-set: of concurrent changes each is based on the one before. */
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { Collection, VersionedDocument } from './port.ts';

const SAVES = 20;

/**
 * @param what names the document, such as `rollout` @param next returns the changed document, or the same one: nothing changes
 * @returns undefined if there is no such document @throws what `next` throws, NodewrightError UNAVAILABLE
 */
export async function changeVersioned<T extends VersionedDocument>(
  collection: Pick<Collection<T>, 'get' | 'replace'>,
  what: string,
  id: string,
  next: (document: T) => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for (let saves = 0; saves < SAVES; saves += 1) {
    const document = await collection.get(id);
    const changed = document && (await next(document));
    if (changed === undefined || changed === document) return changed;
    const saved = { ...changed, version: changed.version + 1 };
    if ((await collection.replace([saved]))[0]) return saved;
  }
  throw new NodewrightError('UNAVAILABLE', `the ${what} ${id} changes all the time; try again`);
}
