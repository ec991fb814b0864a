/** A store shared by all tests of a file: opened before them, closed after them. */
import type { TestFn } from 'ava';
import { openEmbeddedStore } from '../../../engine/platform/store/embedded.ts';
import { openMongoStore } from '../../../engine/platform/store/mongodb.ts';
import type { Store } from '../../../engine/platform/store/port.ts';
import { fileScope } from '../ava/file-scope.ts';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';
import { type MongoDb, noMongoDb, openMongoDb } from '../servers/mongodb.ts';

/** Opens an empty store of its own, which ends with the owner `t`. */
export async function openOwnStore(t: Scope): Promise<Store> {
  const store = await openEmbeddedStore({ dataDir: folder(t) });
  t.teardown(() => store.close());
  return store;
}

/** Returns a function that returns the store while the tests run. */
export function embeddedStore(test: TestFn): () => Store {
  const scope = fileScope();
  let store: Store;
  test.before(async () => {
    store = await openOwnStore(scope);
  });
  return () => store;
}

/** Like `embeddedStore`; without a server the tests are skipped and nothing is opened. */
export function mongoStore(test: TestFn): () => Store {
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
  return () => store;
}
