import test from 'ava';
import { openMongoStore } from '../../../engine/store/mongodb.ts';
import type { Store } from '../../../engine/store/port.ts';
import { arrivalConformance } from '../../conformance/arrivals.ts';
import { type MongoDb, noMongoDb, openMongoDb } from '../../support/mongodb.ts';
import { needing } from '../../support/needing.ts';

let server: MongoDb;
let store: Store;
if (!noMongoDb) {
  test.before(async () => {
    server = await openMongoDb();
    store = await openMongoStore(server.url, { info() {}, warn() {} });
  });
  test.after.always(async () => {
    await store?.close();
    await server?.stop();
  });
}

arrivalConformance(needing(noMongoDb, 'mongodb').serial, () => store);
