/**
 * The document port on MongoDB, through the official driver. Owns the client and its connections.
 *
 * 1. A write is on the disks of a majority when its promise resolves (w: majority, journaled); reads see what a
 *    majority has. What the URL says about either does not count: the engine relies on it.
 * 2. Nothing waits longer than 5 s for a server that is away or hangs: it is UNAVAILABLE then, and the driver goes on
 *    looking for it. The driver has no bound of its own for a whole call, so `mongo-faults.ts` sets one.
 * 3. Indexes are made when a collection is opened, and those of ours that are not declared any more go. Others'
 *    indexes are left alone: ours are named `nodewright:`.
 * 4. A unique index is sparse and null is never stored under it (`mongo-words.ts`, rule 4).
 * 5. The URL holds a password: no log line and no error shows it.
 */
import {
  type Db,
  MongoClient,
  type MongoClientOptions,
  MongoServerError,
  type TopologyDescription,
  type TopologyDescriptionChangedEvent,
} from 'mongodb';
import { NodewrightError } from '../define/errors.ts';
import { type Table, tableOf } from './columns.ts';
import { MongoCollection, type Stored, uniqueName } from './mongo-collection.ts';
import { fault, inTime, within } from './mongo-faults.ts';
import { pathIn } from './mongo-words.ts';
import type { Collection, CollectionSpec, Document, Store } from './port.ts';

export interface StoreLog {
  info(message: string): void;
  warn(fields: object, message: string): void;
}

const OWN = 'nodewright:';

/** An index over what an earlier version of the program left may take minutes; a server that hangs is found out anyway. */
const INDEX_MS = 600_000;

/** The database when the URL names none; the driver's own choice would be `test`. */
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
  // So a server that hangs is noticed within 4 s, and its connections are given up.
  heartbeatFrequencyMS: 2_000,
};

/** `w: 1` is in the primary's log before any later write, and reaches the disks no later than that. */
const LAZY = { w: 1, journal: false, wtimeoutMS: 4_000 };

/**
 * @param url mongodb or mongodb+srv, with credentials, TLS and the database's name
 * @throws NodewrightError CONFIG_INVALID when the URL or the credentials are refused; UNAVAILABLE when nobody answers
 */
export async function openMongoStore(url: string, log: StoreLog): Promise<Store> {
  const client = clientFor(url);
  const db = client.db(named(url) ?? DATABASE);
  const unwatch = watch(client, log);
  const close = () => {
    // A server that we leave is not away.
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

/** The driver's own error for a bad URL may carry a part of it. */
function clientFor(url: string): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch {
    const expected = 'mongodb://user:password@host:port/database, with reserved characters escaped and known options';
    throw new NodewrightError('CONFIG_INVALID', `mongodb is not a URL that the driver takes; expected ${expected}`);
  }
}

/** Several hosts make it no URL for Node. */
const named = (url: string): string | undefined => {
  const name = /^[^/]+\/\/[^/?]*\/([^/?]+)/.exec(url)?.[1];
  return name && decodeURIComponent(name);
};

/** FerretDB 1 reads a document, changes it and writes it: of two who do so at once both win. */
async function check(db: Db, log: StoreLog): Promise<void> {
  const { ferretdbVersion } = await within('connecting', () => db.command({ buildInfo: 1 }));
  if (/^v?1\./.test(String(ferretdbVersion)))
    log.warn({ version: ferretdbVersion }, 'FerretDB 1 does not change documents atomically: run one daemon at most');
}

/** Tells when it changes, not for each try. @returns how to stop that */
function watch(client: MongoClient, log: StoreLog): () => void {
  let known: boolean | undefined;
  const tell = ({ newDescription }: TopologyDescriptionChangedEvent) => {
    const up = writable(newDescription);
    // The driver starts without a server; the first that it finds is no news.
    if (up === known || (known === undefined && !up)) return;
    if (known !== undefined && up) log.info('MongoDB is back');
    if (!up) log.warn({ servers: [...newDescription.servers.keys()] }, 'MongoDB is away; requests are refused');
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
    // What failed while MongoDB was away may be tried again.
    known.catch(() => this.#collections.delete(spec.name));
    return known as unknown as Promise<Collection<T>>;
  }

  async #open(spec: CollectionSpec): Promise<MongoCollection<Document>> {
    const table = tableOf(spec);
    const driver = this.#db.collection<Stored>(spec.name, spec.lazy ? { writeConcern: LAZY } : {});
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
      throw fault(spec.name, error);
    });
  }

  async ping(): Promise<void> {
    await within('ping', () => this.#db.command({ ping: 1 }));
  }
}

const NAMESPACE_NOT_FOUND = 26;

/** A collection that is not there yet has no indexes, which MongoDB says as an error. */
function noneYet(error: unknown): { name?: string }[] {
  if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return [];
  throw fault('indexes', error);
}

/** By id behind the field, so that ties in a sort need no sorting. */
function indexesOf(table: Table, { indexes }: CollectionSpec) {
  return table.columns.flatMap(({ path, unique }) => {
    const key = pathIn(path);
    return [
      ...(path in indexes ? [{ name: `${OWN}${path}`, key: { [key]: 1 as const, _id: 1 as const } }] : []),
      ...(unique ? [{ name: uniqueName(path), key: { [key]: 1 as const }, unique: true, sparse: true }] : []),
    ];
  });
}
