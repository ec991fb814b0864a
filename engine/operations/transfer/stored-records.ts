/** The records of a kind that has one document for each. */
import { byIds, pages } from '../../platform/store/pages.ts';
import type { Document, Store } from '../../platform/store/port.ts';
import type { RecordKind, StoredRecords } from './record-kind.ts';

export async function storedRecords<T extends Document>(store: Store, kind: RecordKind<T>): Promise<StoredRecords> {
  const stored = await store.collection<T>(kind.spec);
  return {
    ...kind,
    // A document has all fields that its record needs.
    normal: (record) => kind.record(kind.document(record) as T),
    count: () => stored.count({}),
    async *each() {
      for await (const document of pages(stored, {})) yield kind.record(document);
    },
    async byIds(ids) {
      return (await byIds(stored, ids)).map((document) => kind.record(document));
    },
    async owner({ filter }, id) {
      const [other] = await stored.find({ $and: [filter, { id: { $ne: id } }] }, { limit: 1 });
      return other && kind.idOf(kind.record(other));
    },
    async write(changes) {
      const isNew = changes.filter(({ before }) => before === undefined);
      const added = isNew.map(({ record }) => ({ ...kind.initial, ...kind.document(record) }) as T);
      if (added.length > 0) await stored.insertMissing(added);
      for (const { record, before } of changes) {
        if (before === undefined) continue;
        const { id, ...$set } = kind.document(record);
        const { id: _, ...fields } = kind.document(before);
        const gone = Object.keys(fields).filter((key) => !(key in $set));
        const $unset = Object.fromEntries(gone.map((key) => [key, true]));
        await stored.update({ id }, { $set, ...(gone.length > 0 && { $unset }) });
      }
    },
  };
}
