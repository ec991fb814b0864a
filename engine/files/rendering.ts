/**
 * Renders user-supplied templates (EJS) in a sandbox (`sandbox.mjs`), on a separate thread, one at a time, each with
 * limits of time, memory and output. A thread that does not answer, or whose sandbox is spent, is replaced.
 */
import { Worker } from 'node:worker_threads';
import { NodewrightError } from '../define/errors.ts';
import { packagePath } from '../define/package-path.ts';

export interface RenderingLimits {
  /** ms per template. */
  timeMs: number;
  /** ms more; the sandbox ends a template after its time itself, except within a built-in function. */
  graceMs: number;
  /** Maximum characters of output. */
  length: number;
  /** Maximum queue length; further requests are rejected. */
  waiting: number;
  /** Maximum ms in the queue. */
  waitMs: number;
}

/** A rack that is switched on sends its requests at once; each is answered within 10 s, even behind slow templates. */
const usual: RenderingLimits = {
  timeMs: 1_000,
  graceMs: 2_000,
  length: 4 * 1_024 * 1_024,
  waiting: 5_000,
  waitMs: 6_000,
};
/** ms; starting takes seconds on a busy machine. */
const START_MS = 20_000;
/** MiB. */
const HEAP_LIMIT = 128;

interface Answer {
  output?: string;
  fault?: string;
  /** The thread must be replaced. */
  spent?: boolean;
}

export class Rendering {
  readonly #limits: RenderingLimits;
  #worker: Worker | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #closed = false;

  constructor(limits: Partial<RenderingLimits> = {}) {
    this.#limits = { ...usual, ...limits };
  }

  /**
   * @param name for error messages
   * @throws NodewrightError INVALID with the reason, UNAVAILABLE when the queue is full or too slow
   */
  async render(name: string, text: string, variables: Record<string, unknown>): Promise<string> {
    const { waiting, waitMs } = this.#limits;
    if (this.#waiting >= waiting) throw this.#busy();
    this.#waiting += 1;
    const until = performance.now() + waitMs;
    const turn = this.#tail.then(() => {
      if (performance.now() > until) throw this.#busy();
      return this.#run(text, JSON.stringify(variables));
    });
    this.#tail = turn.catch(() => {});
    try {
      const { output, fault } = await turn;
      if (output !== undefined) return output;
      throw new NodewrightError('INVALID', `${name} does not render: ${(fault ?? '').split('\n')[0]?.slice(0, 300)}`);
    } finally {
      this.#waiting -= 1;
    }
  }

  #busy(): NodewrightError {
    return new NodewrightError(
      'UNAVAILABLE',
      `${this.#waiting} templates are waiting to be rendered; try again shortly`,
    );
  }

  async #run(text: string, variables: string): Promise<Answer> {
    const { timeMs, graceMs, length } = this.#limits;
    const worker = await this.#started();
    const answer = next(worker, timeMs + graceMs);
    worker.postMessage({ text, variables, timeMs, length });
    const { spent, ...said } = (await answer) ?? { spent: true, fault: 'it takes too long, or too much memory' };
    return spent ? this.#replaced(said) : said;
  }

  async #started(): Promise<Worker> {
    if (this.#closed) throw new NodewrightError('UNAVAILABLE', 'the daemon is stopping');
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(packagePath('engine/files/rendering-thread.mjs'), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT },
    });
    worker.unref();
    // Ignored here: the exit that follows is handled.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    if ((await next(worker, START_MS)) !== undefined) return worker;
    await this.#replaced({});
    throw new NodewrightError('UNAVAILABLE', 'the thread that renders templates did not start; try again');
  }

  async #replaced(answer: Answer): Promise<Answer> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#replaced({});
    await this.#tail;
  }
}

/** @returns undefined on timeout or when the thread ends */
function next(worker: Worker, limitMs: number): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const heard = (answer?: Answer) => {
      clearTimeout(timer);
      worker.off('message', heard);
      worker.off('exit', ended);
      resolve(answer);
    };
    const ended = () => heard();
    const timer = setTimeout(ended, limitMs);
    worker.on('message', heard);
    worker.on('exit', ended);
  });
}
