/**
 * The marker: the author's code that the main thread is running. It is shared memory for the watchdog's thread, and the
 * same bytes in a file of the data directory, which the next instance reads after a crash.
 *
 * 1. The file is written before and after the code runs, without a sync: it must survive the process, not the machine.
 *    Both writes take 2 us together; a step takes a hundred times as long.
 * 2. If the file cannot be written, only the evidence is lost; the step runs.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';

/** The running code. */
export interface RunningCode {
  workflow: string;
  graph: string;
  /** Why it runs: the message of a step, or the name of a function. */
  cause: string;
  /** The hash of the graph. Absent: its versions are not quarantined. */
  version?: string;
  /** The user who put that version. */
  author?: string;
  /** When, in ms since the epoch. */
  putAt?: number;
  /** Some of it does not come with nodewright. */
  isAuthored?: true;
}

/** The cause for a task's check before its workflow is created. */
export const CHECK_LAUNCH = 'checkLaunch';

/**
 * - **blocked**: the watchdog killed the process because the code did not return.
 * - **exited**: the code called `process.exit`.
 * - **died**: the process ended without a report: out of memory, `abort`, or an unrelated `kill -9`.
 */
export type Fate = 'blocked' | 'exited' | 'died';

export interface Evidence extends RunningCode {
  fate: Fate;
  /** ms; 0 if unknown. */
  blockedMs: number;
}

/** Int32 fields: odd while code runs; index into `fates`; ms; length in bytes of the following text. */
const RUNS = 0;
const FATE = 1;
const BLOCKED_MS = 2;
const TEXT_LENGTH_FIELD = 3;
const TEXT_OFFSET = 16;
const SIZE = 1_024;
const fates: readonly Fate[] = ['died', 'blocked', 'exited'];

export class Marker {
  readonly memory = new SharedArrayBuffer(SIZE);
  /** The file descriptor; the watchdog's thread also writes to it. */
  readonly file: number;
  readonly #fields = new Int32Array(this.memory);
  readonly #bytes = Buffer.from(this.memory);
  readonly #failed: (error: unknown) => void;
  #isFailing = false;

  /** @param failed called once per series of failed writes */
  constructor(path: string, failed: (error: unknown) => void) {
    this.#failed = failed;
    // Created if missing, and never truncated, because it may hold evidence.
    this.file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** Returns the author's code that the previous instance was running when it ended; undefined: none. */
  evidence(): Evidence | undefined {
    const bytes = Buffer.alloc(SIZE);
    if (readSync(this.file, bytes, 0, SIZE, 0) < SIZE) return undefined;
    if (bytes.readInt32LE(RUNS * 4) % 2 === 0) return undefined;
    const length = bytes.readInt32LE(TEXT_LENGTH_FIELD * 4);
    const fate = fates[bytes.readInt32LE(FATE * 4)];
    if (fate === undefined || length < 0 || length > SIZE - TEXT_OFFSET) return undefined;
    const text = bytes.toString('utf8', TEXT_OFFSET, TEXT_OFFSET + length);
    const [workflow = '', graph = '', cause = '', version = '', author = ''] = text.split('\n');
    if (workflow === '') return undefined;
    const provenance = { ...(version !== '' && { version }), ...(author !== '' && { author }) };
    return { workflow, graph, cause, ...provenance, fate, blockedMs: bytes.readInt32LE(BLOCKED_MS * 4) };
  }

  get runs(): boolean {
    return (this.#fields[RUNS] ?? 0) % 2 !== 0;
  }

  begin({ workflow, graph, cause, version = '', author = '' }: RunningCode): void {
    const text = `${workflow}\n${graph}\n${cause}\n${version}\n${author}`;
    this.#fields[TEXT_LENGTH_FIELD] = this.#bytes.write(text, TEXT_OFFSET, 'utf8');
    this.#turn();
    this.#write(SIZE);
  }

  end(): void {
    this.#turn();
    this.#write(4);
  }

  /** Records that the code has called `process.exit`. */
  markExit(): void {
    this.#fields[FATE] = fates.indexOf('exited');
    this.#write(SIZE);
  }

  /** Called when the evidence is stored elsewhere. */
  clear(): void {
    this.#write(SIZE);
  }

  /** Atomic, so that the thread sees all earlier writes to the memory. */
  #turn(): void {
    Atomics.add(this.#fields, RUNS, 1);
  }

  #write(length: number): void {
    try {
      writeSync(this.file, this.#bytes, 0, length, 0);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#failed(error);
      this.#isFailing = true;
    }
  }

  close(): void {
    closeSync(this.file);
  }
}
