/**
 * The requests of the embedded database to one of its threads (`database-thread.mjs`): those of one turn of the event loop
 * are one message, and they are answered in their order.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { packagePath } from '../../vocabulary/package-path.ts';
import type { Param } from './columns.ts';
import type { ThreadError } from './database-errors.ts';
import type { PageQuery } from './page-query.ts';

/** A row to write: id, version, document, and a value for each column. */
export type Row = [id: string, version: number | null, doc: string, ...values: Param[]];

/** A statement that runs once for each list of parameters. */
export interface Statement {
  text: string;
  lists: readonly (readonly Param[])[];
}

export type ReadRequest =
  | ['select', boolean, text: string, params: readonly Param[]]
  | ['page', boolean, page: PageQuery];

/** Kind, whether it is lazy, and the arguments of the thread's function. */
export type DatabaseRequest =
  | ReadRequest
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

/** Answers in the order of requests; that plans follow from other statistics now; or the error that has ended the thread. */
type Message = Answer[] | 'analyzed' | { ended: ThreadError };
type Answer = readonly unknown[] | ThreadError;

/** A request without an answer. */
export interface WaitingCall {
  request: DatabaseRequest;
  resolve: (result: readonly unknown[]) => void;
  reject: (error: Error) => void;
}

interface ThreadData {
  file: string;
  /** Whether it was complete once. */
  isKnown: boolean;
  readsOnly: boolean;
}

export interface ThreadListener {
  errorOf(error: ThreadError): Error;
  /** Called once, when the thread has ended by itself. @param calls those that it has not answered */
  onEnded(cause: unknown, calls: readonly WaitingCall[]): void;
  onAnalyzed?(): void;
}

const isRead = ([kind]: DatabaseRequest): boolean => kind === 'select' || kind === 'page';

export function startThread(workerData: ThreadData): Worker {
  return new Worker(packagePath('engine/platform/store/database-thread.mjs'), {
    workerData,
    // Texts pass through it. Of the main thread it would have 96 MiB.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
    execArgv: [],
    env: {},
  });
}

/** Resolves when the thread has opened the database. @returns undefined; or why it has ended */
export async function untilOpened(thread: Worker): Promise<ThreadError | undefined> {
  const exit = once(thread, 'exit');
  const [first] = (await Promise.race([once(thread, 'message'), exit])) as [Message | number];
  if (Array.isArray(first)) return undefined;
  await exit;
  return typeof first === 'object' ? first.ended : { message: `its thread ended with ${first}` };
}

export class DatabaseRequests {
  readonly #thread: Worker;
  readonly #listener: ThreadListener;
  /** Requests of this turn of the event loop. */
  #requests: DatabaseRequest[] = [];
  /** Those without an answer, in order. */
  #waiting: WaitingCall[] = [];
  #writes = 0;
  #isClosed = false;
  #isOver = false;

  constructor(thread: Worker, listener: ThreadListener) {
    this.#thread = thread;
    this.#listener = listener;
    thread.on('message', (message: Message) => {
      if (Array.isArray(message)) this.#takeAnswers(message);
      else if (message === 'analyzed') listener.onAnalyzed?.();
      else this.#end(message.ended);
    });
    thread.on('error', (error) => this.#end(error));
    thread.on('exit', (code) => this.#end(new Error(`its thread ended with ${code}`)));
    thread.unref();
  }

  /** Whether a write has no answer yet, and a later request waits for it. */
  get isWriting(): boolean {
    return this.#writes > 0;
  }

  send(call: WaitingCall): void {
    if (this.#requests.length === 0) setImmediate(this.flush);
    // An answer keeps the process alive, an open database does not.
    if (this.#waiting.length === 0) this.#thread.ref();
    if (!isRead(call.request)) this.#writes += 1;
    this.#requests.push(call.request);
    this.#waiting.push(call);
  }

  /** Sends what was requested. */
  readonly flush = (): void => {
    if (this.#requests.length === 0) return;
    this.#thread.postMessage(this.#requests);
    this.#requests = [];
  };

  /** Resolves when all requests are answered and the thread has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isOver) return;
    // An error comes before the exit, and has a listener.
    const exit = new Promise((resolve) => this.#thread.once('exit', resolve));
    this.#thread.ref();
    this.flush();
    this.#thread.postMessage('close');
    await exit;
  }

  #takeAnswers(answers: readonly Answer[]): void {
    const calls = this.#waiting.splice(0, answers.length);
    if (this.#waiting.length === 0 && !this.#isClosed) this.#thread.unref();
    for (const [index, { request, resolve, reject }] of calls.entries()) {
      if (!isRead(request)) this.#writes -= 1;
      const answer = answers[index] as Answer;
      if ('message' in answer) reject(this.#listener.errorOf(answer));
      else resolve(answer);
    }
  }

  /** The first cause counts: the end of the thread follows it. */
  #end(cause: unknown): void {
    if (this.#isOver || (this.#isClosed && this.#waiting.length === 0)) return;
    this.#isOver = true;
    this.#requests = [];
    this.#listener.onEnded(cause, this.#waiting.splice(0));
  }
}
