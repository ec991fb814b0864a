import test from 'ava';
import { createEmbeddedStore } from '../../../engine/store/embedded.ts';
import { type Database, openDatabase } from '../../../engine/store/pglite.ts';
import type { Store } from '../../../engine/store/port.ts';
import { arrivalConformance } from '../../conformance/arrivals.ts';

let database: Database;
let store: Store;
test.before(async () => {
  database = await openDatabase();
  store = createEmbeddedStore(database);
});
test.after.always(() => database?.end());

// One after the other: they share the collections.
arrivalConformance(test.serial, () => store);
