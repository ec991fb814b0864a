/**
 * Renders user-supplied templates (EJS) in a sandbox (`sandbox.mjs`), on a separate thread, one at a time, each with
 * limits of time, memory and output. A thread that does not answer, or whose sandbox is spent, is replaced.
 *
 * Templates of this daemon's own package need no sandbox: they are rendered in the process (`included-templates.ts`).
 *
 * A template that ran out of time is rendered on a slow thread, a second thread with a short queue of its own: those that
 * wait behind it are delayed once, however often it is requested. It comes back when it was fast, or after a while.
 */
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { packagePath } from '../../vocabulary/package-path.ts';
import { MIB } from '../../vocabulary/units.ts';
import { IncludedTemplates } from './included-templates.ts';

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

/**
 * A rack that is switched on sends its requests at the same time; each is answered within 10 s, even behind slow
 * templates.
 */
const usual: RenderingLimits = {
  timeMs: 1_000,
  graceMs: 2_000,
  length: 4 * MIB,
  waiting: 5_000,
  waitMs: 6_000,
};
/** ms; starting takes seconds on a busy machine. */
const START_MS = 20_000;
/** The reason that the sandbox gives when a template runs out of time. */
const TOO_LONG = 'it takes too long';
/** MiB. */
const HEAP_LIMIT = 128;
const YOUNG_LIMIT = 12;
/** Templates that are remembered as slow, and for how many ms. */
const SLOW_TEMPLATES = 1_000;
const SLOW_MS = 600_000;
/** Requests that wait for the slow thread: as many as it may render in the time that they wait. */
const SLOW_WAITING = 10;

interface Answer {
  output?: string;
  problem?: string;
  /** The thread must be replaced. */
  spent?: boolean;
  /** It ran out of time. */
  late?: boolean;
}

export class Rendering {
  readonly #limits: RenderingLimits;
  readonly #threads: Record<'quick' | 'slow', RenderingThread>;
  /** Templates that ran out of time: until when they use the slow thread, in ms of the monotonic clock. */
  readonly #slow = new LRUCache<string, true>({ max: SLOW_TEMPLATES, ttl: SLOW_MS });
  readonly #included = new IncludedTemplates();

  constructor(limits: Partial<RenderingLimits> = {}) {
    this.#limits = { ...usual, ...limits };
    this.#threads = {
      quick: new RenderingThread(this.#limits),
      slow: new RenderingThread({ ...this.#limits, waiting: SLOW_WAITING }),
    };
  }

  /**
   * @param name for error messages
   * @param isIncluded the text is one of this daemon's own package
   * @throws NodewrightError INVALID with the reason, UNAVAILABLE when the queue is full or too slow
   */
  async render(name: string, text: string, variables: Record<string, unknown>, isIncluded = false): Promise<string> {
    const json = JSON.stringify(variables);
    const included = isIncluded ? this.#included.render(text, json) : undefined;
    // The sandbox explains why it does not render, with the line.
    if (included !== undefined && included.length <= this.#limits.length) return included;
    const { output, problem } = await this.#answer(createHash('sha256').update(text).digest('base64'), text, json);
    if (output !== undefined) return output;
    throw new NodewrightError('INVALID', `${name} does not render: ${(problem ?? '').split('\n')[0]?.slice(0, 300)}`);
  }

  async #answer(key: string, text: string, json: string): Promise<Answer> {
    const { quick, slow } = this.#threads;
    const note = ({ late }: Answer) => (late ? this.#slow.set(key, true) : this.#slow.delete(key));
    // An earlier request may run out of time while this one waits.
    const isLeft = () => this.#slow.has(key);
    const answer = isLeft() ? undefined : await quick.render(text, json, note, isLeft);
    return answer ?? ((await slow.render(text, json, note)) as Answer);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#threads).map((thread) => thread.close()));
  }
}

/** A thread with a queue. */
class RenderingThread {
  readonly #limits: RenderingLimits;
  #worker: Worker | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #closed = false;

  constructor(limits: RenderingLimits) {
    this.#limits = limits;
  }

  /**
   * @param note called with the answer before the next turn
   * @param isLeft evaluated when its turn has come. @returns undefined: it left
   * @throws NodewrightError UNAVAILABLE when the queue is full or too slow
   */
  async render(
    text: string,
    variables: string,
    note: (answer: Answer) => void,
    isLeft = () => false,
  ): Promise<Answer | undefined> {
    const { waiting, waitMs } = this.#limits;
    if (this.#waiting >= waiting) throw this.#busy();
    this.#waiting += 1;
    const until = performance.now() + waitMs;
    const turn = this.#tail.then(async () => {
      if (isLeft()) return undefined;
      if (performance.now() > until) throw this.#busy();
      const answer = await this.#run(text, variables);
      note(answer);
      return answer;
    });
    this.#tail = turn.catch(() => {});
    try {
      return await turn;
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
    const worker = await this.#startWorker();
    const answer = nextAnswer(worker, timeMs + graceMs);
    worker.postMessage({ text, variables, timeMs, length });
    const { spent, ...said } = (await answer) ?? {
      spent: true,
      late: true,
      problem: `${TOO_LONG}, or too much memory`,
    };
    const heard = said.problem === TOO_LONG ? { ...said, late: true } : said;
    return spent ? this.#replaceWorker(heard) : heard;
  }

  async #startWorker(): Promise<Worker> {
    if (this.#closed) throw new NodewrightError('UNAVAILABLE', 'the daemon is stopping');
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(packagePath('engine/inventory/files/rendering-thread.mjs'), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT, maxYoungGenerationSizeMb: YOUNG_LIMIT },
    });
    worker.unref();
    // Ignored here: the exit that follows is handled.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    if ((await nextAnswer(worker, START_MS)) !== undefined) return worker;
    await this.#replaceWorker({});
    throw new NodewrightError('UNAVAILABLE', 'the thread that renders templates did not start; try again');
  }

  async #replaceWorker(answer: Answer): Promise<Answer> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#replaceWorker({});
    await this.#tail;
  }
}

/** @returns undefined on timeout or when the thread ends */
function nextAnswer(worker: Worker, limitMs: number): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const onAnswer = (answer?: Answer) => {
      clearTimeout(timer);
      worker.off('message', onAnswer);
      worker.off('exit', onExit);
      resolve(answer);
    };
    const onExit = () => onAnswer();
    const timer = setTimeout(onExit, limitMs);
    worker.on('message', onAnswer);
    worker.on('exit', onExit);
  });
}
