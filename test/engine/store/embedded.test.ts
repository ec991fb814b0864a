import test from 'ava';
import { createEmbeddedStore } from '../../../engine/store/embedded.ts';
import { type Database, openDatabase } from '../../../engine/store/pglite.ts';
import type { Store } from '../../../engine/store/port.ts';
import { storeConformance } from '../../conformance/store.ts';

let db: Database;
let store: Store;
test.before(async () => {
  db = await openDatabase();
  store = createEmbeddedStore(db);
});
test.after.always(() => db.end());

storeConformance(test, () => store);
