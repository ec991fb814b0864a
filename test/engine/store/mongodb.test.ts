import test from 'ava';
import { openMongoStore } from '../../../engine/store/mongodb.ts';
import type { Store } from '../../../engine/store/port.ts';
import { storeConformance } from '../../conformance/store.ts';
import { type MongoDb, noMongoDb, openMongoDb } from '../../support/mongodb.ts';
import { needing } from '../../support/needing.ts';

const silent = { info() {}, warn() {} };

let server: MongoDb;
let store: Store;
if (!noMongoDb) {
  test.before(async () => {
    server = await openMongoDb();
    store = await openMongoStore(server.url, silent);
  });
  test.after.always(async () => {
    await store?.close();
    await server?.stop();
  });
}

storeConformance(needing(noMongoDb).serial, () => store);
