/**
 * The watchdog: prevents an author's code that never returns, or ends the process, from doing so again at each start.
 *
 * Owns the marker and the thread that watches it. Relies on `runtime/quarantine.ts` to judge the evidence at the next
 * start.
 *
 * 1. Only synchronous code on the main thread is watched: a step, and an activity up to its first `await`.
 * 2. The thread kills the process if that code does not return within the limit; the main thread itself detects
 *    `process.exit`. Both are certain. A process that dies silently leaves only the marker, which is a hint.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { packagePath } from '../define/package-path.ts';
import { withTimeout } from '../define/with-timeout.ts';
import { type Evidence, Marker, type RunningCode } from './marker.ts';

/** Runs an author's code with its name in the marker. */
export type Watch = <T>(running: RunningCode, code: () => T) => T;

export interface WatchdogOptions {
  dataDir: string;
  /** ms; 0: no limit, so that only code that ends the process is detected. */
  limitMs: number;
  failed(error: unknown): void;
}

/** Starting a thread takes seconds on a busy machine. */
const START_MS = 20_000;

export class Watchdog {
  readonly #marker: Marker;
  readonly #thread: Worker | undefined;
  readonly #control = new SharedArrayBuffer(4);
  /** The code that the previous instance was running when it ended. */
  readonly evidence: Evidence | undefined;

  private constructor({ dataDir, limitMs, failed }: WatchdogOptions) {
    this.#marker = new Marker(join(dataDir, 'running'), failed);
    this.evidence = this.#marker.evidence();
    if (opened.size === 0) process.on('exit', exited);
    opened.add(this.#marker);
    if (limitMs === 0) return;
    const { memory, file } = this.#marker;
    this.#thread = new Worker(packagePath('engine/watchdog/thread.mjs'), {
      workerData: { memory, file, limitMs, control: this.#control },
      execArgv: [],
      env: {},
    });
    this.#thread.on('error', failed);
    this.#thread.unref();
  }

  /** Resolves when the thread is watching. */
  static async open(options: WatchdogOptions): Promise<Watchdog> {
    const watchdog = new Watchdog(options);
    const thread = watchdog.#thread;
    if (thread !== undefined) await withTimeout(once(thread, 'online'), START_MS, late);
    return watchdog;
  }

  readonly watch: Watch = (running, code) => {
    const marker = this.#marker;
    if (marker.runs) return code();
    marker.begin(running);
    try {
      return code();
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
    if (opened.size === 0) process.off('exit', exited);
    const control = new Int32Array(this.#control);
    Atomics.store(control, 0, 1);
    Atomics.notify(control, 0);
    await this.#thread?.terminate();
    this.#marker.close();
  }
}

/** The markers of all engines in this process. */
const opened = new Set<Marker>();

function exited(): void {
  for (const marker of [...opened].filter(({ runs }) => runs)) {
    marker.exited();
    process.stderr.write('nodewright: code of a graph or a task called process.exit; the next start names it\n');
    // Overrides the requested exit code: the daemon did not end normally and must be restarted.
    process.exitCode = 1;
  }
}

const late = (): never => {
  throw new Error(`the watchdog's thread did not start within ${START_MS} ms`);
};
