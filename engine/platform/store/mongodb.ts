/**
 * The document port on MongoDB, through the official driver. Owns the client and its connections.
 *
 * 1. When a write's promise resolves, it is on the disks of a majority (w: majority, journaled); reads return data of a
 *    majority. These override settings in the URL, because the engine relies on them.
 * 2. No call waits longer than 5 s for a server that is down or hangs: it fails with UNAVAILABLE, and the driver keeps
 *    looking for the server. The driver has no limit for a whole call, so `mongo-errors.ts` sets one.
 * 3. Opening a collection creates its indexes and drops our indexes that are no longer declared. Ours are named
 *    `nodewright:`; others are left alone.
 * 4. A unique index is sparse and null is never stored under it (`mongo-words.ts`, rule 4).
 * 5. The URL contains a password: it appears in no log line and no error.
 */
import {
  type Db,
  MongoClient,
  type MongoClientOptions,
  MongoServerError,
  type TopologyDescription,
  type TopologyDescriptionChangedEvent,
} from 'mongodb';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { type Table, tableOf } from './columns.ts';
import { MongoCollection, type MongoDocument, uniqueName } from './mongo-collection.ts';
import { inTime, mongoError, within } from './mongo-errors.ts';
import { pathIn } from './mongo-words.ts';
import type { Collection, CollectionSpec, Document, Store } from './port.ts';

export interface StoreLog {
  info(message: string): void;
  warn(fields: object, message: string): void;
}

const OWN = 'nodewright:';

/** Indexing a large collection of an earlier version may take minutes; a hanging server is detected separately. */
const INDEX_MS = 600_000;

/** The database if the URL names none; the driver's default would be `test`. */
const DATABASE = 'nodewright';

const options: MongoClientOptions = {
  appName: 'nodewright',
  ignoreUndefined: true,
  retryWrites: true,
  retryReads: true,
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 4_000 },
  readConcernLevel: 'majority',
  readPreference: 'primary',
  serverSelectionTimeoutMS: 4_000,
  waitQueueTimeoutMS: 4_000,
  connectTimeoutMS: 2_000,
  // A hanging server is thus detected within 4 s, and its connections are dropped.
  heartbeatFrequencyMS: 2_000,
};

/** `w: 1`: in the primary's log before any later write, and on the disks no later than that write. */
const LAZY = { w: 1, journal: false, wtimeoutMS: 4_000 };

/**
 * @param url mongodb or mongodb+srv, with credentials, TLS and the database's name
 * @throws NodewrightError CONFIG_INVALID when the URL or the credentials are rejected; UNAVAILABLE without an answer
 */
export async function openMongoStore(url: string, log: StoreLog): Promise<Store> {
  const client = clientFor(url);
  const db = client.db(databaseIn(url) ?? DATABASE);
  const unwatch = watch(client, log);
  const close = () => {
    // Closing would otherwise be logged as an outage.
    unwatch();
    return within('closing', () => client.close());
  };
  try {
    await check(db, log);
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  return new MongoStore(db, close);
}

/** Creates the client. The driver's own error for an invalid URL may contain a part of it. */
function clientFor(url: string): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch {
    const expected = 'mongodb://user:password@host:port/database, with reserved characters escaped and known options';
    throw new NodewrightError('CONFIG_INVALID', `mongodb is not a URL that the driver accepts; expected ${expected}`);
  }
}

/** Returns the database of the URL. A URL with several hosts is not valid for Node's parser. */
const databaseIn = (url: string): string | undefined => {
  const name = /^[^/]+\/\/[^/?]*\/([^/?]+)/.exec(url)?.[1];
  return name && decodeURIComponent(name);
};

/** Warns of FerretDB 1, which changes a document by read and write: of two concurrent changes both succeed. */
async function check(db: Db, log: StoreLog): Promise<void> {
  const { ferretdbVersion } = await within('connecting', () => db.command({ buildInfo: 1 }));
  if (/^v?1\./.test(String(ferretdbVersion)))
    log.warn({ version: ferretdbVersion }, 'FerretDB 1 does not change documents atomically: run at most one daemon');
}

/** Logs when the server goes down or comes back, not for each attempt. @returns stops watching */
function watch(client: MongoClient, log: StoreLog): () => void {
  let known: boolean | undefined;
  const tell = ({ newDescription }: TopologyDescriptionChangedEvent) => {
    const up = writable(newDescription);
    // The driver starts without a server; finding the first one is not logged.
    if (up === known || (known === undefined && !up)) return;
    if (known !== undefined && up) log.info('MongoDB is back');
    if (!up) log.warn({ servers: [...newDescription.servers.keys()] }, 'MongoDB is away; requests are rejected');
    known = up;
  };
  client.on('topologyDescriptionChanged', tell);
  return () => client.off('topologyDescriptionChanged', tell);
}

const WRITABLE = new Set<string>(['Standalone', 'RSPrimary', 'Mongos', 'LoadBalancer']);

const writable = ({ servers }: TopologyDescription): boolean =>
  [...servers.values()].some(({ type }) => WRITABLE.has(type));

class MongoStore implements Store {
  readonly #db: Db;
  readonly #collections = new Map<string, Promise<MongoCollection<Document>>>();

  readonly close: () => Promise<void>;

  constructor(db: Db, close: () => Promise<void>) {
    this.#db = db;
    this.close = close;
  }

  collection<T extends Document>(spec: CollectionSpec): Promise<Collection<T>> {
    const known = this.#collections.get(spec.name) ?? this.#open(spec);
    this.#collections.set(spec.name, known);
    // After a failure, opening may be tried again.
    known.catch(() => this.#collections.delete(spec.name));
    return known as unknown as Promise<Collection<T>>;
  }

  async #open(spec: CollectionSpec): Promise<MongoCollection<Document>> {
    const table = tableOf(spec);
    const driver = this.#db.collection<MongoDocument>(spec.name, spec.lazy ? { writeConcern: LAZY } : {});
    await this.#prepareIndexes(table, spec);
    return new MongoCollection<Document>(driver, table);
  }

  async #prepareIndexes(table: Table, spec: CollectionSpec): Promise<void> {
    const collection = this.#db.collection(spec.name);
    const wanted = indexesOf(table, spec);
    const there = await inTime(spec.name, () => collection.indexes()).catch(noneYet);
    const names = there.map(({ name = '' }) => name);
    for (const name of names) {
      const left = name.startsWith(OWN) && !wanted.some((index) => index.name === name);
      if (left) await within(spec.name, () => collection.dropIndex(name));
    }
    const missing = wanted.filter(({ name }) => !names.includes(name));
    if (missing.length === 0) return;
    await collection.createIndexes(missing, { maxTimeMS: INDEX_MS }).catch((error) => {
      throw mongoError(spec.name, error);
    });
  }

  async ping(): Promise<void> {
    await within('ping', () => this.#db.command({ ping: 1 }));
  }
}

const NAMESPACE_NOT_FOUND = 26;

/** MongoDB reports an error for the indexes of a collection that does not exist yet. */
function noneYet(error: unknown): { name?: string }[] {
  if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return [];
  throw mongoError('indexes', error);
}

/** Indexes include the id after the field, so that ties need no sorting. A scan reads the documents. */
function indexesOf(table: Table, { indexes }: CollectionSpec) {
  const newest = [...table.newest.keys()].map((path) => ({
    name: `${OWN}newest:${path}`,
    key: { [pathIn(path)]: 1 as const, createdAt: -1 as const, _id: 1 as const },
  }));
  const single = table.columns.flatMap(({ path, unique, isOrdered }) => {
    const key = pathIn(path);
    return [
      ...(path in indexes && isOrdered ? [{ name: `${OWN}${path}`, key: { [key]: 1 as const, _id: 1 as const } }] : []),
      ...(unique ? [{ name: uniqueName(path), key: { [key]: 1 as const }, unique: true, sparse: true }] : []),
    ];
  });
  return [...single, ...newest];
}
