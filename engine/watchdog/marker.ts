/**
 * The marker: which code of an author the main thread runs at this moment. It is memory that the watchdog's thread reads,
 * and the same bytes in a file of the data directory, which the next start reads when this process has died.
 *
 * 1. The file is written before the code runs and after it, without a sync: it has to survive the process, not the machine.
 *    Both writes take 2 us together; a step takes a hundred times as long.
 * 2. A file that cannot be written costs the evidence, never the step.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';

/** What runs. */
export interface Running {
  workflow: string;
  graph: string;
  /** What it was called for: the message of a step, or the name of a function. */
  cause: string;
}

/** The cause of what a task looks at before its workflow is made. */
export const CHECK_LAUNCH = 'checkLaunch';

/**
 * - **held**: the watchdog ended the process because the code did not return.
 * - **exited**: the code called `process.exit`.
 * - **died**: the process is gone and said nothing: memory ran out, `abort`, or a `kill -9` that only met it.
 */
export type Fate = 'held' | 'exited' | 'died';

export interface Evidence extends Running {
  fate: Fate;
  /** ms; 0 when that is not known. */
  heldMs: number;
}

/** Int32 fields: odd while code runs; an index into `fates`; ms; bytes of the text behind them. */
const RUNS = 0;
const FATE = 1;
const HELD_MS = 2;
const LENGTH = 3;
const TEXT = 16;
const SIZE = 512;
const fates: readonly Fate[] = ['died', 'held', 'exited'];

export class Marker {
  readonly memory = new SharedArrayBuffer(SIZE);
  /** Of the file; the watchdog's thread writes to it too. */
  readonly file: number;
  readonly #fields = new Int32Array(this.memory);
  readonly #bytes = Buffer.from(this.memory);
  readonly #failed: (error: unknown) => void;
  #isFailing = false;

  /** @param failed called once in a row of writes that fail */
  constructor(path: string, failed: (error: unknown) => void) {
    this.#failed = failed;
    // Made when it is not there, and never truncated, because it may hold evidence.
    this.file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** What the process before this one was doing when it ended; undefined: nothing of an author's. */
  evidence(): Evidence | undefined {
    const bytes = Buffer.alloc(SIZE);
    if (readSync(this.file, bytes, 0, SIZE, 0) < SIZE) return undefined;
    if (bytes.readInt32LE(RUNS * 4) % 2 === 0) return undefined;
    const length = bytes.readInt32LE(LENGTH * 4);
    const fate = fates[bytes.readInt32LE(FATE * 4)];
    if (fate === undefined || length < 0 || length > SIZE - TEXT) return undefined;
    const [workflow = '', graph = '', cause = ''] = bytes.toString('utf8', TEXT, TEXT + length).split('\n');
    if (workflow === '') return undefined;
    return { workflow, graph, cause, fate, heldMs: bytes.readInt32LE(HELD_MS * 4) };
  }

  get runs(): boolean {
    return (this.#fields[RUNS] ?? 0) % 2 !== 0;
  }

  begin({ workflow, graph, cause }: Running): void {
    this.#fields[LENGTH] = this.#bytes.write(`${workflow}\n${graph}\n${cause}`, TEXT, 'utf8');
    this.#turn();
    this.#write(SIZE);
  }

  end(): void {
    this.#turn();
    this.#write(4);
  }

  /** The code has asked for the end of the process. */
  exited(): void {
    this.#fields[FATE] = fates.indexOf('exited');
    this.#write(SIZE);
  }

  /** Called when the evidence is safe elsewhere. */
  clear(): void {
    this.#write(SIZE);
  }

  /** The thread has to see the rest of the memory as it was before. */
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
