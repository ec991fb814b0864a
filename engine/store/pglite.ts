/**
 * The embedded database: one PGlite on one folder, with the interface of a `pg.Pool`, which BullMQ requires. It owns
 * the data directory's lock, the session, and the order of statements on it.
 *
 * 1. There is one session. Its user holds the turn: for one statement, or from BEGIN to COMMIT. Transactions are thus
 *    never interleaved with other statements.
 * 2. A commit waits for the disk only if its statement asks for it (`DURABLE`): documents, the source of truth, do;
 *    jobs of the queue, which are re-created from documents, do not.
 * 3. When PostgreSQL shuts down, as it does when its log cannot be written, `onEnded` is called once and all later
 *    statements fail with UNAVAILABLE. Acknowledged writes are there when the database is opened again.
 * 4. BullMQ uses its tables without a schema, and `search_path` belongs to the session, so it is set to `bullmq`; all
 *    other code names the schema.
 */
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import type { PgPool, PgPoolClient } from 'bullmq';
import type { NodewrightError } from '../define/errors.ts';
import { messageOf } from '../define/thrown.ts';
import { Reconciler } from '../lib/reconciler.ts';
import { damaged, isNewDatabase, makeDataDir, makingDatabase } from './data-dir.ts';
import { type DataDirLock, lockDataDir } from './lock.ts';
import { databaseEnded, databaseError, hasEnded, isUnreadable } from './pglite-errors.ts';
import { needRoom } from './room.ts';
import { type Query, type StatementResult, Statements } from './statements.ts';
import { SyncedFolder, syncedStartParams, syncTree } from './syncfs.ts';
import { Turns } from './turns.ts';
import { createMaintenance, MAINTENANCE_INTERVAL_MS } from './vacuum.ts';

/** In the RETURNING of a write: makes its commit wait for the disk. The setting ends with that commit. */
export const DURABLE = `set_config('synchronous_commit', 'on', true)`;

/**
 * Every statement is a look-up by index. A plan is kept for the life of the process, so a plan made for an empty table
 * must also suit 100,000 rows: plans that only suit small tables are disabled. jit costs more than it saves. Statistics
 * over 3,000 rows instead of 30,000 are sufficient, and all statements wait while they are computed.
 */
const SESSION = `SET search_path TO bullmq; SET synchronous_commit TO off; SET jit TO off;
  SET enable_seqscan TO off; SET enable_hashjoin TO off; SET enable_mergejoin TO off;
  SET default_statistics_target TO 10`;

const BEGINS = /^\s*BEGIN\b/i;
const ENDS = /^\s*(COMMIT|ROLLBACK(?!\s+TO))\b/i;

export interface Database extends PgPool {
  readonly query: Query;
  /** Runs statements without interruption as one transaction, whose commit waits for the disk. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Runs statements without interruption; each commits separately. */
  alone<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Runs one round of maintenance now. */
  maintenance(): Promise<void>;
  /**
   * Resolves when the database answers.
   * @throws NodewrightError DATA_DIR_DAMAGED after an unreadable table was found
   */
  ping(): Promise<void>;
  /** Must be called before documents are written. @throws NodewrightError UNAVAILABLE when the disk is nearly full */
  needRoom(): void;
}

export interface DatabaseOptions {
  dataDir: string;
  /** Called with errors of background work. */
  onError?: (error: unknown) => void;
  /** Called after each completed sync. */
  onSync?: () => void;
  /** Called when the database has shut down by itself: it must be opened again. */
  onEnded?: (error: NodewrightError) => void;
}

/**
 * @throws NodewrightError DATA_DIR_LOCKED when another daemon holds the directory, UNAVAILABLE when its disk is full
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const lock = take(options.dataDir);
  try {
    return new SharedSession(await openPglite(options), lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

const DATABASE = 'database';
/** Version of PostgreSQL in PGlite. */
const VERSION = '18';
const databaseIn = (dataDir: string): string => join(dataDir, DATABASE);

/** Checks the free space first: without it, the creation may stop half way. */
function take(dataDir: string): DataDirLock {
  needRoom(makeDataDir(dataDir, DATABASE));
  return lockDataDir(dataDir);
}

async function openPglite({ dataDir, onSync = () => {} }: DatabaseOptions): Promise<PGlite> {
  const folder = databaseIn(dataDir);
  const isNew = isNewDatabase(dataDir, { folder, versionFile: 'PG_VERSION', version: VERSION });
  const db = await makingDatabase(dataDir, isNew, async () => {
    const made = await created(dataDir, { fs: new SyncedFolder(folder, onSync), startParams: syncedStartParams });
    if (isNew) syncTree(dataDir);
    return made;
  });
  return prepared(db);
}

async function created(dataDir: string, options: PGliteOptions): Promise<PGlite> {
  try {
    return await PGlite.create(options);
  } catch (error) {
    needRoom(databaseIn(dataDir));
    throw damaged(dataDir, `its database does not start (${messageOf(error).split('\n')[0]})`, error);
  }
}

async function prepared(db: PGlite): Promise<PGlite> {
  await db.exec(`CREATE SCHEMA IF NOT EXISTS documents; ${SESSION}`);
  return db;
}

class SharedSession extends EventEmitter implements Database {
  /** BullMQ checks that a lost connection would be detected; here no connection can be lost. */
  readonly options = { keepAlive: true };
  readonly #db: PGlite;
  readonly #lock: DataDirLock;
  readonly #turns = new Turns();
  readonly #statements: Statements;
  readonly #clients = new Set<Client>();
  readonly #reconciler: Reconciler;
  readonly #round: () => Promise<void>;
  #rounds: Promise<void> = Promise.resolve();
  #ended: Promise<void> | undefined;
  /** Error after the database has shut down by itself; absent: it is running. */
  #over: NodewrightError | undefined;
  /** Error of the last statement that could not read its table. */
  #unreadable: NodewrightError | undefined;
  readonly #options: DatabaseOptions;

  constructor(db: PGlite, lock: DataDirLock, options: DatabaseOptions) {
    super();
    // Every queue and worker adds an error listener to the pool and never removes it.
    this.setMaxListeners(0);
    this.#db = db;
    this.#lock = lock;
    this.#options = options;
    this.#statements = new Statements(db);
    this.#round = createMaintenance(this.query);
    db.onNotification((channel, payload) => {
      for (const client of this.#clients) client.emit('notification', { channel, payload });
    });
    const failed = (error: unknown) => options.onError?.(error);
    this.#reconciler = new Reconciler({
      name: 'database',
      everyMs: MAINTENANCE_INTERVAL_MS,
      firstMs: MAINTENANCE_INTERVAL_MS,
      keepsAlive: false,
      pass: () => this.maintenance(),
      failed,
    });
    this.#reconciler.start();
  }

  readonly query: Query = (text, params, plan) => this.alone((query) => query(text, params, plan));

  alone<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#turns.run(() => work(this.#send));
  }

  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.alone(async (query) => {
      await query('BEGIN; SET LOCAL synchronous_commit TO on');
      try {
        const result = await work(query);
        await query('COMMIT');
        return result;
      } catch (error) {
        await query('ROLLBACK');
        throw error;
      }
    });
  }

  async connect(): Promise<PgPoolClient> {
    const client = new Client(
      this.#send,
      () => this.#turns.take(),
      () => this.#clients.delete(client),
    );
    this.#clients.add(client);
    return client;
  }

  needRoom(): void {
    if (this.#options.dataDir !== undefined) needRoom(databaseIn(this.#options.dataDir));
  }

  maintenance(): Promise<void> {
    const round = this.#rounds.then(this.#round);
    this.#rounds = round.catch(() => {});
    return round;
  }

  /** Closes once, after running statements. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    await this.#reconciler.close();
    await this.#rounds;
    await this.#turns.run(async () => {
      if (this.#over === undefined) await this.#db.close();
    });
    this.#lock.release();
  }

  /** The caller holds the turn. */
  readonly #send: Query = async (text, params = [], plan = 'kept') => {
    if (this.#db.closed) throw new Error('Cannot use a pool after calling end on the pool');
    if (this.#over) throw this.#over;
    try {
      return await (params.length === 0 ? this.#statements.script(text) : this.#statements.run(text, params, plan));
    } catch (error) {
      if (hasEnded(error)) throw this.#endedBy(error);
      if (isUnreadable(error)) throw this.#unreadableBy(error);
      throw databaseError(error);
    }
  };

  /** Records a damaged table, which `ping` reports; other tables remain readable. */
  #unreadableBy(cause: unknown): NodewrightError {
    const { dataDir = 'the database in memory' } = this.#options;
    this.#unreadable = damaged(dataDir, `its database cannot be read (${messageOf(cause)})`, cause);
    return this.#unreadable;
  }

  /** @throws NodewrightError DATA_DIR_DAMAGED after an unreadable table was found */
  async ping(): Promise<void> {
    await this.query('SELECT 1');
    if (this.#unreadable) throw this.#unreadable;
  }

  #endedBy(cause: unknown): NodewrightError {
    this.#over = databaseEnded(cause);
    this.#options.onEnded?.(this.#over);
    return this.#over;
  }
}

/** A connection as BullMQ sees it, with its own transaction and notifications. */
class Client extends EventEmitter implements PgPoolClient {
  readonly #send: Query;
  readonly #take: () => Promise<() => void>;
  readonly #forget: () => void;
  /** Releases the turn; set while a transaction is open. */
  #leave: (() => void) | undefined;

  constructor(send: Query, take: () => Promise<() => void>, forget: () => void) {
    super();
    this.#send = send;
    this.#take = take;
    this.#forget = forget;
    // Each wait of each worker adds a listener.
    this.setMaxListeners(0);
  }

  async query<Row>(text: string, params?: readonly unknown[]): Promise<StatementResult<Row>> {
    if (this.#leave) return this.#within(text, params);
    const leave = await this.#take();
    if (BEGINS.test(text)) {
      this.#leave = leave;
      return this.#within(text, params);
    }
    return this.#send<Row>(text, params).finally(leave);
  }

  async #within<Row>(text: string, params?: readonly unknown[]): Promise<StatementResult<Row>> {
    try {
      return await this.#send<Row>(text, params);
    } finally {
      if (ENDS.test(text)) this.#end();
    }
  }

  #end(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  /** Rolls back a transaction that was left open. */
  release(): void {
    this.removeAllListeners();
    this.#forget();
    if (this.#leave) this.#send('ROLLBACK').finally(() => this.#end());
  }
}
