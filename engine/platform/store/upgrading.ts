/** A collection whose documents may be in the form of an earlier version: each one that is read is upgraded first. */
import type { Collection, Document } from './port.ts';

/** @param upgrade returns a document of this version unchanged */
export function upgrading<T extends Document>(collection: Collection<T>, upgrade: (document: T) => T): Collection<T> {
  return {
    async get(id) {
      const found = await collection.get(id);
      return found && upgrade(found);
    },
    find: async (filter, options) => (await collection.find(filter, options)).map(upgrade),
    pick: (fields, filter, options) => collection.pick(fields, filter, options),
    lastOf: (fields, by, values, limit) => collection.lastOf(fields, by, values, limit),
    count: (filter) => collection.count(filter),
    insert: (document) => collection.insert(document),
    insertMissing: (documents) => collection.insertMissing(documents),
    replace: (documents) => collection.replace(documents),
    put: (documents) => collection.put(documents),
    async update(filter, change) {
      const changed = await collection.update(filter, change);
      return changed && upgrade(changed);
    },
    updateEach: (changes) => collection.updateEach(changes),
    remove: (filter) => collection.remove(filter),
  };
}
