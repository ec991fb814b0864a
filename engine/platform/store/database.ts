/**
 * The embedded database: one SQLite file, which a thread of its own reads and writes (`database-thread.mjs`). It owns
 * the data directory's lock and the threads.
 *
 * 1. The requests of one turn of the event loop are one message. The thread runs them in order, in one transaction with
 *    all that have arrived, and answers after the commit.
 * 2. A resolved write is on the disk, unless it is lazy: then it is after the next one that is not.
 * 3. A read sees every resolved write. It does not wait for others: while there are some, a second thread reads.
 * 4. When the thread ends by itself, `onEnded` is called once and all requests fail with UNAVAILABLE, as do all later
 *    ones. Acknowledged writes are there when the database is opened again. Reads of a second thread that ends are done by
 *    the first one.
 */
import type { Worker } from 'node:worker_threads';
import type { NodewrightError } from '../../vocabulary/errors.ts';
import type { Param } from './columns.ts';
import { databaseFile, databaseFileIn, isMarked, makeDataDir, markDatabase } from './data-dir.ts';
import { databaseEnded, databaseError, isUnreadable, notOpened, type ThreadError } from './database-errors.ts';
import {
  type DatabaseRequest,
  DatabaseRequests,
  type ReadRequest,
  type Row,
  type Statement,
  startThread,
  untilOpened,
  type WaitingCall,
} from './database-requests.ts';
import { type DataDirLock, lockDataDir } from './lock.ts';
import type { PageQuery } from './page-query.ts';
import { needRoom } from './room.ts';

/** Reads that wait for writes before the second thread is started: few do while a daemon starts or is idle, and it takes 8 MB. */
const WAITS_BEFORE_READER = 100;

export interface Database {
  select(text: string, params?: readonly Param[]): Promise<Param[][]>;
  page(page: PageQuery): Promise<Param[][]>;
  /** Runs the statements, all or none. @returns how many rows each list has changed, those of all statements in one list */
  write(statements: readonly Statement[], isLazy?: boolean): Promise<number[]>;
  /** Sends what was requested: the caller has gathered the requests of a turn. */
  flush(): void;
  /** @param before the stored documents; absent: the stored versions are each one less */
  replace(table: ReplacedTable, rows: readonly Row[], before?: readonly string[]): Promise<boolean[]>;
  /** Runs statements without parameters, all or none. */
  script(texts: readonly string[]): Promise<void>;
  /**
   * Holds the file, so that it can be copied with the log, or releases it: in the meantime commits go to the log only.
   * @returns whether nothing was written into it since the last call
   */
  hold(isHeld: boolean): Promise<boolean>;
  /** Writes all that the log has into the file, where it stays when the log is lost. */
  settle(): Promise<void>;
  /**
   * Resolves when the database answers.
   * @throws NodewrightError DATA_DIR_DAMAGED after a part of the file could not be read
   */
  ping(): Promise<void>;
  /** Must be called before documents are written. @throws NodewrightError UNAVAILABLE when the disk is nearly full */
  needRoom(): void;
  /** Resolves when all requests are answered and the file is closed. */
  close(): Promise<void>;
}

export interface ReplacedTable {
  name: string;
  columns: readonly string[];
  isLazy: boolean;
}

export interface DatabaseOptions {
  dataDir: string;
  /** Called when the database has ended by itself: it must be opened again. */
  onEnded?: (error: NodewrightError) => void;
}

/**
 * @throws NodewrightError DATA_DIR_LOCKED, DATA_DIR_FORMAT or DATA_DIR_DAMAGED; UNAVAILABLE when the disk is full;
 * PLATFORM_UNSUPPORTED
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { dataDir } = options;
  needRoom(makeDataDir(dataDir));
  const lock = lockDataDir(dataDir);
  let thread: Worker | undefined;
  try {
    thread = startThread({ file: databaseFileIn(dataDir), isKnown: isMarked(dataDir), readsOnly: false });
    const error = await untilOpened(thread);
    if (error !== undefined) {
      needRoom(dataDir);
      throw notOpened(dataDir, error);
    }
    markDatabase(dataDir);
    return new FileDatabase(thread, lock, options);
  } catch (error) {
    await thread?.terminate();
    lock.release();
    throw error;
  }
}

class FileDatabase implements Database {
  readonly #writer: DatabaseRequests;
  /** Takes reads while there are writes without an answer. */
  #reader: DatabaseRequests | undefined;
  readonly #lock: DataDirLock;
  readonly #options: DatabaseOptions;
  #readersClosed: Promise<unknown> = Promise.resolve();
  /** Reads that had to wait for writes. */
  #waits = 0;
  /** Whether the disk has room, as of this turn of the event loop. */
  #hasRoom = false;
  #closed: Promise<void> | undefined;
  /** Error after the thread has ended by itself. */
  #over: NodewrightError | undefined;
  /** Error of the last request that could not read its part of the file. */
  #unreadable: Error | undefined;

  constructor(thread: Worker, lock: DataDirLock, options: DatabaseOptions) {
    this.#lock = lock;
    this.#options = options;
    this.#writer = new DatabaseRequests(thread, {
      errorOf: this.#errorOf,
      onEnded: (cause, calls) => this.#end(cause, calls),
      onAnalyzed: () => void this.#closeReader(),
    });
  }

  select(text: string, params: readonly Param[] = []): Promise<Param[][]> {
    return this.#read(['select', false, text, params]);
  }

  page(page: PageQuery): Promise<Param[][]> {
    return this.#read(['page', false, page]);
  }

  write(statements: readonly Statement[], isLazy = false): Promise<number[]> {
    return this.#request(['write', isLazy, statements]) as Promise<number[]>;
  }

  flush(): void {
    this.#writer.flush();
  }

  replace({ name, columns, isLazy }: ReplacedTable, rows: readonly Row[], before?: readonly string[]) {
    return this.#request(['replace', isLazy, name, columns, rows, before]) as Promise<boolean[]>;
  }

  async script(texts: readonly string[]): Promise<void> {
    await this.#request(['script', false, texts]);
  }

  async hold(isHeld: boolean): Promise<boolean> {
    const [isUntouched] = await this.#request(['hold', true, isHeld]);
    return isUntouched === true;
  }

  async settle(): Promise<void> {
    await this.#request(['settle', false]);
  }

  async ping(): Promise<void> {
    await this.#request(['select', false, 'SELECT 1', []]);
    if (this.#unreadable) throw this.#unreadable;
  }

  needRoom(): void {
    if (this.#hasRoom) return;
    needRoom(this.#options.dataDir);
    this.#hasRoom = true;
    // Also without a request, as when the document is rejected.
    setImmediate(() => {
      this.#hasRoom = false;
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#closeReader();
    await this.#writer.close();
    this.#lock.release();
  }

  #read(request: ReadRequest): Promise<Param[][]> {
    return this.#request(request, this.#writer.isWriting ? this.#readerIfOften() : undefined) as Promise<Param[][]>;
  }

  #readerIfOften(): DatabaseRequests | undefined {
    this.#waits += 1;
    if (this.#waits <= WAITS_BEFORE_READER || this.#closed !== undefined || this.#over !== undefined) return undefined;
    try {
      this.#reader ??= this.#startReader();
    } catch {
      // The process may not open another file; reads wait until then.
      this.#waits = 0;
    }
    return this.#reader;
  }

  #startReader(): DatabaseRequests {
    const thread = startThread({ file: databaseFile(this.#options.dataDir), isKnown: true, readsOnly: true });
    const reader: DatabaseRequests = new DatabaseRequests(thread, {
      errorOf: this.#errorOf,
      onEnded: (_, calls) => {
        if (this.#reader === reader) this.#reader = undefined;
        this.#waits = 0;
        for (const call of calls) this.#send(call);
      },
    });
    return reader;
  }

  /** Its plans follow from statistics that it reads when it opens the file, so that new ones need another. */
  #closeReader(): Promise<unknown> {
    this.#readersClosed = Promise.all([this.#readersClosed, this.#reader?.close()]);
    this.#reader = undefined;
    return this.#readersClosed;
  }

  #request(request: DatabaseRequest, to = this.#writer): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed && !this.#over) reject(new Error('the database is closed'));
      else this.#send({ request, resolve, reject }, to);
    });
  }

  #send(call: WaitingCall, to = this.#writer): void {
    if (this.#over) call.reject(this.#over);
    else to.send(call);
  }

  readonly #errorOf = (answer: ThreadError): Error => {
    const error = databaseError(this.#options.dataDir, answer);
    if (isUnreadable(answer)) this.#unreadable = error;
    return error;
  };

  #end(cause: unknown, calls: readonly WaitingCall[]): void {
    this.#over = databaseEnded(cause);
    void this.#closeReader();
    for (const { reject } of calls) reject(this.#over);
    this.#options.onEnded?.(this.#over);
  }
}
