/**
 * The reconciler: looks periodically for work that is left, and does it. Every periodic loop of the engine is one.
 *
 * Owns the rhythm, the passes and their end. Relies on its caller for what a pass does.
 *
 * 1. Passes never overlap: the interval begins when a pass has ended. A request begins a pass immediately, or right
 *    after the running one; all requests made until then share it.
 * 2. With a lease, only its holder makes passes. The lease is renewed before each pass, kept in between, and released
 *    at the end.
 * 3. The signal of a pass is aborted when its time is over, when the lease is lost, and when the reconciler closes. The
 *    pass is still awaited, so that there are never two.
 * 4. A failed pass is reported, and the next one tries again.
 * 5. A reconciler whose work is in memory only rests without a timer while there is none: its interval is then infinite.
 *
 * A reconciler remembers nothing that a later pass needs: the store says what is left. If the process dies
 * - between two passes: the lease is free as soon as the process is silent, and another process makes the next pass;
 * - in a pass: its writes are saved, and the next pass of any process finds the rest. Each pass is harmless to repeat;
 * - after a request: the request is lost, and the next pass of any process finds the record that caused it.
 */

/** A lease as a reconciler uses it (`platform/cluster/leases.ts`). */
export interface PassLease {
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

export type PassResult = 'done' | 'failed' | 'timeout' | 'elsewhere';

export interface Round<R> {
  /** Aborted when the pass has to end. */
  readonly signal: AbortSignal;
  /** The requests that this pass answers; none: the interval is over. */
  readonly requests: ReadonlySet<R>;
  /** For long passes. @returns whether to continue: the lease is still held, and the signal not aborted */
  goesOn(): Promise<boolean>;
}

export interface ReconcilerPort<R extends string> {
  /** For errors and metrics. */
  name: string;
  /** ms from the end of a pass to the next. A function is called after each pass, and by `shortenWait`. */
  everyMs: number | (() => number);
  /** ms until the first pass; default 0. */
  firstMs?: number;
  /** Share of the interval by which it varies at random, so that processes do not keep the same rhythm. */
  jitter?: number;
  /** Whether the process continues as long as the reconciler waits; default true. */
  keepsAlive?: boolean;
  /** ms for one pass. */
  timeoutMs?: number;
  /** Absent: every process makes passes. @returns undefined when another process holds the lease */
  acquire?(): Promise<PassLease | undefined>;
  /** Requests for which every process makes a pass. */
  everywhere?: readonly R[];
  /** Called by each process before its pass, whether or not it holds the lease. */
  local?(): Promise<void>;
  pass(round: Round<R>): Promise<void>;
  failed(error: unknown): void;
  /** Called after each pass. */
  observe?(name: string, result: PassResult, ms: number): void;
}

/** Returns the present interval. */
export const intervalOf = ({ everyMs }: Pick<ReconcilerPort<never>, 'everyMs'>): number =>
  typeof everyMs === 'number' ? everyMs : everyMs();

/** Returns the interval of work that is in memory only: without work the reconciler rests (rule 5). */
export const intervalWhile =
  (hasWork: () => boolean, ms: number): (() => number) =>
  () =>
    hasWork() ? ms : Number.POSITIVE_INFINITY;

const TIMEOUT_MS = 600_000;
/** The daemon has to stop in time, also while the store hangs. */
const RELEASE_MS = 500;

export class Reconciler<R extends string = never> {
  readonly #port: ReconcilerPort<R>;
  #requests = new Set<R>();
  /** Resolved at the end of the pass that answers the present requests. */
  #answer = deferredPromise();
  #lease: PassLease | undefined;
  #round: AbortController | undefined;
  #notify = () => {};
  /** Makes the present wait as long as the interval, if that is shorter. */
  #shorten = () => {};
  #loop: Promise<void> | undefined;
  #closed = false;

  constructor(port: ReconcilerPort<R>) {
    this.#port = port;
  }

  /** Begins the passes. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Requests a pass. @returns resolves when it has ended, and never rejects */
  request(request: R): Promise<void> {
    this.#requests.add(request);
    this.#notify();
    return this.#closed ? Promise.resolve() : this.#answer.promise;
  }

  /** Called when the interval may have become shorter. */
  shortenWait(): void {
    this.#shorten();
  }

  async #run(): Promise<void> {
    const { firstMs = 0, jitter = 0 } = this.#port;
    for (let waitMs = firstMs; ; waitMs = intervalOf(this.#port) * (1 + jitter * (2 * Math.random() - 1))) {
      await this.#wait(waitMs);
      if (this.#closed) return;
      await this.#pass();
    }
  }

  async #wait(ms: number): Promise<void> {
    if (this.#closed || this.#requests.size > 0) return;
    await new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const begin = (waitMs: number) => {
        clearTimeout(timer);
        if (waitMs === Number.POSITIVE_INFINITY) return;
        timer = setTimeout(resolve, waitMs);
        if (this.#port.keepsAlive === false) timer.unref();
      };
      begin(ms);
      this.#shorten = () => {
        const intervalMs = intervalOf(this.#port);
        if (intervalMs >= ms) return;
        ms = intervalMs;
        begin(ms);
      };
      this.#notify = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#notify = () => {};
    this.#shorten = () => {};
  }

  async #pass(): Promise<void> {
    const { name, timeoutMs = TIMEOUT_MS, failed, observe } = this.#port;
    const [requests, answer, round] = [this.#requests, this.#answer, new AbortController()];
    this.#requests = new Set();
    this.#answer = deferredPromise();
    this.#round = round;
    const began = performance.now();
    let result: PassResult = 'done';
    const timer = setTimeout(() => {
      result = 'timeout';
      failed(new Error(`a pass of the reconciler ${name} takes longer than ${timeoutMs} ms; it is aborted`));
      round.abort();
    }, timeoutMs);
    try {
      await this.#port.local?.();
      const isOurs = await this.#holds(requests);
      if (isOurs) await this.#port.pass(this.#roundOf(round, requests));
      else result = 'elsewhere';
    } catch (error) {
      result = 'failed';
      failed(error);
    }
    clearTimeout(timer);
    this.#round = undefined;
    observe?.(name, result, performance.now() - began);
    answer.resolve();
  }

  /** @returns whether this process may make the pass */
  async #holds(requests: ReadonlySet<R>): Promise<boolean> {
    const { acquire, everywhere = [] } = this.#port;
    if (acquire === undefined || everywhere.some((request) => requests.has(request))) return true;
    if (this.#lease === undefined || !(await this.#lease.renew())) this.#lease = await acquire();
    return this.#lease !== undefined;
  }

  #roundOf(round: AbortController, requests: ReadonlySet<R>): Round<R> {
    return {
      // Made when it is asked for: few passes need one, and each costs the garbage collector more than the pass.
      get signal() {
        return round.signal;
      },
      requests,
      goesOn: () => this.#goesOn(round),
    };
  }

  async #goesOn(round: AbortController): Promise<boolean> {
    if (!round.signal.aborted && this.#lease !== undefined && !(await this.#lease.renew())) round.abort();
    return !round.signal.aborted;
  }

  /** Aborts the running pass, waits for its end and releases the lease. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#round?.abort();
    this.#notify();
    await this.#loop;
    this.#answer.resolve();
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease !== undefined) await release(lease);
  }
}

/** If it fails, or while the server hangs, the next heartbeat releases the lease, or its silence does. */
async function release(lease: PassLease): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, RELEASE_MS);
  });
  await Promise.race([lease.release().catch(() => {}), late]);
  clearTimeout(timer);
}

function deferredPromise(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
