/**
 * The embedded database: one SQLite file, which a thread of its own reads and writes (`database-thread.mjs`). It owns
 * the data directory's lock, the thread, and the order of requests.
 *
 * 1. The requests of one turn of the event loop are one message. The thread runs them in order, in one transaction with
 *    all that have arrived, and answers after the commit.
 * 2. A resolved write is on the disk, unless it is lazy: then it is after the next one that is not.
 * 3. When the thread ends by itself, `onEnded` is called once and all requests fail with UNAVAILABLE, as do all later
 *    ones. Acknowledged writes are there when the database is opened again.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { NodewrightError } from '../../vocabulary/errors.ts';
import { packagePath } from '../../vocabulary/package-path.ts';
import type { Param } from './columns.ts';
import { databaseFileIn, isMarked, makeDataDir, markDatabase } from './data-dir.ts';
import { databaseEnded, databaseError, isUnreadable, notOpened, type ThreadError } from './database-errors.ts';
import { type DataDirLock, lockDataDir } from './lock.ts';
import type { PageQuery } from './page-query.ts';
import { needRoom } from './room.ts';

/** A row to write: id, version, document, and a value for each column. */
export type Row = [id: string, version: number | null, doc: string, ...values: Param[]];

/** A statement that runs once for each list of parameters. */
export interface Statement {
  text: string;
  lists: readonly (readonly Param[])[];
}

/** Kind, whether it is lazy, and the arguments of the thread's function. */
type Request =
  | ['select', boolean, text: string, params: readonly Param[]]
  | ['page', boolean, page: PageQuery]
  | ['write', boolean, statements: readonly Statement[]]
  | [
      'replace',
      boolean,
      table: string,
      columns: readonly string[],
      rows: readonly Row[],
      before: readonly string[] | undefined,
    ]
  | ['script', boolean, texts: readonly string[]]
  | ['hold', boolean, isHeld: boolean]
  | ['settle', boolean];

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
    thread = await start(dataDir, databaseFileIn(dataDir), isMarked(dataDir));
    markDatabase(dataDir);
    return new FileDatabase(thread, lock, options);
  } catch (error) {
    await thread?.terminate();
    lock.release();
    throw error;
  }
}

/** @param isKnown whether it was complete once */
async function start(dataDir: string, file: string, isKnown: boolean): Promise<Worker> {
  const thread = new Worker(packagePath('engine/platform/store/database-thread.mjs'), {
    workerData: { file, isKnown },
    // Texts pass through it. Of the main thread it would have 96 MiB.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
    execArgv: [],
    env: {},
  });
  const exit = once(thread, 'exit');
  const [first] = (await Promise.race([once(thread, 'message'), exit])) as [Message | number];
  if (Array.isArray(first)) return thread;
  await exit;
  needRoom(dataDir);
  throw notOpened(dataDir, typeof first === 'number' ? { message: `its thread ended with ${first}` } : first.ended);
}

/** Answers in the order of requests; or the error that has ended the thread. */
type Message = Answer[] | { ended: ThreadError };
type Answer = readonly unknown[] | ThreadError;

interface WaitingCall {
  resolve: (result: readonly unknown[]) => void;
  reject: (error: Error) => void;
}

class FileDatabase implements Database {
  readonly #thread: Worker;
  readonly #lock: DataDirLock;
  readonly #options: DatabaseOptions;
  /** Requests of this turn of the event loop. */
  #requests: Request[] = [];
  /** Those without an answer, in order. */
  #waiting: WaitingCall[] = [];
  /** Whether the disk has room, as of this turn of the event loop. */
  #hasRoom = false;
  #closed: Promise<void> | undefined;
  /** Error after the thread has ended by itself. */
  #over: NodewrightError | undefined;
  /** Error of the last request that could not read its part of the file. */
  #unreadable: Error | undefined;

  constructor(thread: Worker, lock: DataDirLock, options: DatabaseOptions) {
    this.#thread = thread;
    this.#lock = lock;
    this.#options = options;
    thread.on('message', (message: Message) => {
      if (Array.isArray(message)) this.#takeAnswers(message);
      else this.#end(message.ended);
    });
    thread.on('error', (error) => this.#end(error));
    thread.on('exit', (code) => this.#end(new Error(`its thread ended with ${code}`)));
    thread.unref();
  }

  select(text: string, params: readonly Param[] = []): Promise<Param[][]> {
    return this.#request(['select', false, text, params]) as Promise<Param[][]>;
  }

  page(page: PageQuery): Promise<Param[][]> {
    return this.#request(['page', false, page]) as Promise<Param[][]>;
  }

  write(statements: readonly Statement[], isLazy = false): Promise<number[]> {
    return this.#request(['write', isLazy, statements]) as Promise<number[]>;
  }

  flush(): void {
    this.#send();
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
    await this.select('SELECT 1');
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
    if (this.#over === undefined) {
      const exit = once(this.#thread, 'exit');
      this.#thread.ref();
      this.#send();
      this.#thread.postMessage('close');
      await exit;
    }
    this.#lock.release();
  }

  #request(request: Request): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#over);
      if (this.#closed) return reject(new Error('the database is closed'));
      if (this.#requests.length === 0) setImmediate(this.#send);
      // An answer keeps the process alive, an open database does not.
      if (this.#waiting.length === 0) this.#thread.ref();
      this.#requests.push(request);
      this.#waiting.push({ resolve, reject });
    });
  }

  readonly #send = (): void => {
    if (this.#requests.length === 0) return;
    this.#thread.postMessage(this.#requests);
    this.#requests = [];
  };

  #takeAnswers(answers: readonly Answer[]): void {
    const waiting = this.#waiting.splice(0, answers.length);
    if (this.#waiting.length === 0 && this.#closed === undefined) this.#thread.unref();
    for (const [index, { resolve, reject }] of waiting.entries()) {
      const answer = answers[index] as Answer;
      if ('message' in answer) reject(this.#errorOf(answer));
      else resolve(answer);
    }
  }

  #errorOf(answer: ThreadError): Error {
    const error = databaseError(this.#options.dataDir, answer);
    if (isUnreadable(answer)) this.#unreadable = error;
    return error;
  }

  /** The first cause counts: the end of the thread follows it. */
  #end(cause: unknown): void {
    const isClosed = this.#closed !== undefined && this.#waiting.length === 0;
    if (isClosed || this.#over !== undefined) return;
    this.#over = databaseEnded(cause);
    this.#requests = [];
    for (const { reject } of this.#waiting.splice(0)) reject(this.#over);
    this.#options.onEnded?.(this.#over);
  }
}
