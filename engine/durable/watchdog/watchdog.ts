/**
 * The watchdog: prevents an author's code that never returns, or ends the process, from doing so again at each start.
 *
 * Owns the marker and the thread that watches it. Relies on `durable/runtime/quarantine.ts` to judge the evidence at the next
 * start.
 *
 * 1. Only synchronous code on the main thread is watched: a step, and an activity up to its first `await`.
 * 2. The thread kills the process if that code does not return within the limit; the main thread itself detects
 *    `process.exit`. Both are certain. A process that dies silently leaves only the marker, which is a hint.
 * 3. No code of a version that stopped a daemon runs, whatever asks for it.
 * 4. An error that an author's code leaves to a promise is reported, and does not end the process.
 * 5. The thread starts with the first such code, beside it, so that a start does not wait for it.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type FlatError, NodewrightError } from '../../vocabulary/errors.ts';
import { packagePath } from '../../vocabulary/package-path.ts';
import { type Evidence, Marker, type RunningCode } from './marker.ts';
import { followStep } from './stray-errors.ts';

/** Runs an author's code with its name in the marker. @throws NodewrightError QUARANTINED for a version that must not run */
export type Watch = <T>(running: RunningCode, code: () => T) => T;

type Bars = (running: Pick<RunningCode, 'version' | 'author' | 'putAt'>) => FlatError | undefined;

export interface WatchdogOptions {
  dataDir: string;
  /** ms; 0: no limit, so that only code that ends the process is detected. */
  limitMs: number;
  failed(error: unknown): void;
  /** Receives the errors of rule 4, except those of activities. */
  strayed(error: Error, running: RunningCode): void;
}

/** The part of a watchdog that the engine uses. */
export type CodeWatch = Pick<Watchdog, 'bars' | 'evidence' | 'watch' | 'clear' | 'close'>;

export class Watchdog {
  readonly #marker: Marker;
  readonly #options: WatchdogOptions;
  #thread: Worker | undefined;
  readonly #control = new SharedArrayBuffer(4);
  /** Returns why no code of a version runs; undefined: it may. */
  bars: Bars = () => undefined;
  /** The code that the previous instance was running when it ended. */
  readonly evidence: Evidence | undefined;

  constructor(options: WatchdogOptions) {
    const { dataDir, failed } = options;
    this.#options = options;
    this.#marker = new Marker(join(dataDir, 'running'), failed);
    this.evidence = this.#marker.evidence();
    if (opened.size === 0) process.on('exit', onExit);
    opened.add(this.#marker);
  }

  #start(): void {
    const { limitMs, failed } = this.#options;
    if (limitMs === 0) return;
    const { memory, file } = this.#marker;
    const thread = new Worker(packagePath('engine/durable/watchdog/thread.mjs'), {
      workerData: { memory, file, limitMs, control: this.#control },
      execArgv: [],
      env: {},
    });
    thread.on('error', failed);
    // After an error, the next code starts another one.
    thread.on('exit', () => {
      this.#thread = undefined;
    });
    thread.unref();
    this.#thread = thread;
  }

  readonly watch: Watch = (running, code) => {
    const marker = this.#marker;
    const barred = this.bars(running);
    if (barred !== undefined) throw new NodewrightError('QUARANTINED', barred.message);
    if (marker.runs) return code();
    if (this.#thread === undefined) this.#start();
    marker.begin(running);
    try {
      if (!running.isAuthored) return code();
      return followStep((error) => this.#options.strayed(error, running), code);
    } finally {
      marker.end();
    }
  };

  /** Deletes the evidence, which is stored elsewhere now. */
  clear(): void {
    this.#marker.clear();
  }

  async close(): Promise<void> {
    opened.delete(this.#marker);
    if (opened.size === 0) process.off('exit', onExit);
    const control = new Int32Array(this.#control);
    Atomics.store(control, 0, 1);
    Atomics.notify(control, 0);
    await this.#thread?.terminate();
    this.#marker.close();
  }
}

/** The markers of all engines in this process. */
const opened = new Set<Marker>();

function onExit(): void {
  for (const marker of [...opened].filter(({ runs }) => runs)) {
    marker.markExit();
    process.stderr.write('nodewright: code of a graph or a task called process.exit; the next start names it\n');
    // Overrides the requested exit code: the daemon did not end normally and must be restarted.
    process.exitCode = 1;
  }
}
