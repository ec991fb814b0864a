/**
 * Renders templates (EJS) that others wrote: in a sandbox (`sandbox.mjs`), on a thread of its own, one after the other, each
 * with a limit of time, memory and output. A thread that does not answer, or whose sandbox is spent, is replaced.
 */
import { Worker } from 'node:worker_threads';
import { NodewrightError } from '../define/errors.ts';
import { inPackage } from '../define/place.ts';

export interface RenderingLimits {
  /** ms for one. */
  timeMs: number;
  /** Characters that one may make. */
  length: number;
  /** That wait; more are refused. */
  waiting: number;
  /** ms that one waits for its turn. */
  waitMs: number;
}

/** A rack that is switched on asks all at once; whoever asks has its answer within 10 s, also when templates before it are slow. */
const usual: RenderingLimits = { timeMs: 1_000, length: 4 * 1_024 * 1_024, waiting: 5_000, waitMs: 6_000 };
/** ms; the sandbox itself ends a template after its time, except in the middle of a built-in function. */
const GRACE_MS = 2_000;
/** A busy machine takes seconds. */
const START_MS = 20_000;
/** MiB. */
const HEAP_LIMIT = 128;

interface Answer {
  output?: string;
  fault?: string;
  /** The thread renders no more. */
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
   * @param name for the message when it does not render
   * @throws NodewrightError INVALID saying why, UNAVAILABLE when too many wait
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
    return new NodewrightError('UNAVAILABLE', `${this.#waiting} templates wait to be rendered; ask again shortly`);
  }

  async #run(text: string, variables: string): Promise<Answer> {
    const { timeMs, length } = this.#limits;
    const worker = await this.#started();
    const answer = next(worker, timeMs + GRACE_MS);
    worker.postMessage({ text, variables, timeMs, length });
    const { spent, ...said } = (await answer) ?? { spent: true, fault: 'it takes too long, or too much memory' };
    return spent ? this.#replaced(said) : said;
  }

  async #started(): Promise<Worker> {
    if (this.#closed) throw new NodewrightError('UNAVAILABLE', 'the daemon stops');
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(inPackage('engine/files/rendering-thread.mjs'), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT },
    });
    worker.unref();
    // Whoever waits for it is told by its end.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    if ((await next(worker, START_MS)) !== undefined) return worker;
    await this.#replaced({});
    throw new NodewrightError('UNAVAILABLE', 'the thread that renders templates does not start; try again');
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

/** @returns undefined when nothing is heard within the time, or the thread ends */
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
