/** Commands to a BullMQ queue, and their execution on one backend: each yields a plain answer that can be compared. */
import fc from 'fast-check';
import { HOUR_MS } from '../../../engine/vocabulary/units.ts';
import { type Bull, type BullJob, type BullQueue, type BullWorker, REMOVED } from './bullmq.ts';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const SCHEDULERS = ['s', 'u'];

export type Command =
  | { do: 'add'; id: string; delay: number }
  | { do: 'bulk'; jobs: { id: string; delay: number }[] }
  | { do: 'remove'; id: string }
  | { do: 'take' }
  | { do: 'end'; how: 'completed' | 'failed'; held: number; next: boolean; token: 'own' | 'other' }
  | { do: 'pass'; ms: number }
  | { do: 'pause' | 'resume' }
  | { do: 'repeat'; id: string; every: number; firstMs: number }
  | { do: 'unrepeat'; id: string }
  | { do: 'obliterate' };

const job = {
  id: fc.constantFrom(...IDS),
  delay: fc.constantFrom(0, 0, 0, 500, 500, 70_000),
};
const of = <T extends Command['do'], R>(name: T, fields: { [K in keyof R]: fc.Arbitrary<R[K]> }) =>
  fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<Command>;

export const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: of('add', job) },
  { weight: 2, arbitrary: of('bulk', { jobs: fc.array(fc.record(job), { minLength: 1, maxLength: 4 }) }) },
  { weight: 2, arbitrary: of('remove', { id: fc.constantFrom(...IDS) }) },
  { weight: 8, arbitrary: of('take', {}) },
  {
    weight: 8,
    arbitrary: of('end', {
      how: fc.constantFrom('completed', 'completed', 'failed'),
      held: fc.nat({ max: 5 }),
      next: fc.boolean(),
      token: fc.constantFrom('own', 'own', 'own', 'other'),
    }),
  },
  // Backward too: a clock may be set.
  {
    weight: 4,
    arbitrary: of('pass', { ms: fc.constantFrom(1, 499, 500, 1_000, 61_000, 3_600_000, -2_000, -3_600_000) }),
  },
  { weight: 1, arbitrary: of('pause', {}) },
  { weight: 2, arbitrary: of('resume', {}) },
  {
    weight: 3,
    arbitrary: of('repeat', {
      id: fc.constantFrom(...SCHEDULERS),
      every: fc.constantFrom(1_000, 60_000),
      firstMs: fc.constantFrom(0, 300, 5_000),
    }),
  },
  { weight: 1, arbitrary: of('unrepeat', { id: fc.constantFrom(...SCHEDULERS) }) },
  { weight: 1, arbitrary: of('obliterate', {}) },
);

/** As the worker itself makes a job of what it fetched with the end of another. */
interface Fetching {
  nextJobFromJobData(data: unknown, id: string, token: string): Promise<BullJob | undefined>;
}

/** One backend with one queue and one worker, whose jobs the commands take and end. */
export class Side {
  readonly #queue: BullQueue;
  readonly #worker: BullWorker;
  readonly #errors: string[] = [];
  #held: { job: BullJob; token: string }[] = [];
  #tokens = 0;
  #isPaused = false;

  constructor(bull: Bull, name: string) {
    this.#queue = bull.queue(name);
    this.#worker = bull.worker(name, null, { name: 'side', lockDuration: HOUR_MS, skipStalledCheck: true });
    // A collision of iterations.
    this.#worker.on('error', ({ message }) => this.#errors.push(message));
    this.#queue.on('error', ({ message }) => this.#errors.push(message));
  }

  async ready(): Promise<void> {
    await Promise.all([this.#queue.waitUntilReady(), this.#worker.waitUntilReady()]);
  }

  /** Returns the answer, or the error with its code. */
  async run(command: Command): Promise<unknown> {
    try {
      return (await this.#do(command)) ?? 'nothing';
    } catch (error) {
      const { message, code } = error as Error & { code?: number };
      return { message: message.replaceAll('undefined', ''), code };
    }
  }

  async #do(command: Command): Promise<unknown> {
    switch (command.do) {
      case 'add': {
        const { name, data, opts } = jobOf(command);
        return (await this.#queue.add(name, data, opts)).id;
      }
      case 'bulk':
        return (await this.#queue.addBulk(command.jobs.map(jobOf))).map(({ id }) => id);
      case 'remove':
        // On Redis, the removal of a job that does not exist succeeds.
        if ((await this.#queue.getJob(command.id)) === undefined) return 'unknown';
        return this.#queue.remove(command.id);
      case 'take':
        return this.#take();
      case 'end':
        return this.#end(command);
      case 'pass':
        return;
      case 'pause':
        this.#isPaused = true;
        return this.#queue.pause();
      case 'resume':
        this.#isPaused = false;
        return this.#queue.resume();
      case 'repeat':
        return this.#repeat(command.id, { every: command.every, startDate: Date.now() + command.firstMs });
      case 'unrepeat':
        return this.#queue.removeJobScheduler(command.id);
      case 'obliterate':
        await this.#queue.obliterate({ force: true });
        this.#isPaused = false;
    }
  }

  /** While a queue is paused, BullMQ does not find the iteration to replace on Redis, and leaves it in the queue. */
  async #repeat(id: string, times: Parameters<BullQueue['upsertJobScheduler']>[1]): Promise<unknown> {
    if (this.#isPaused) return 'paused';
    const job = await this.#queue.upsertJobScheduler(id, times, { name: id, data: { times: id }, opts: REMOVED });
    return job && [job.id, job.delay];
  }

  async #take(): Promise<unknown> {
    const token = `t${this.#tokens++}`;
    return this.#hold(await this.#worker.getNextJob(token, { block: false }), token);
  }

  #hold(job: BullJob | undefined, token: string): unknown {
    if (job === undefined) return;
    this.#held.push({ job, token });
    return [shown(job), job.token];
  }

  async #end({ how, held, next, token }: Extract<Command, { do: 'end' }>): Promise<unknown> {
    const one = this.#held[held % Math.max(1, this.#held.length)];
    if (one === undefined) return;
    const used = token === 'own' ? one.token : 'other';
    const { job } = one;
    if (token === 'own') this.#held = this.#held.filter((other) => other !== one);
    const result =
      how === 'completed'
        ? await job.moveToCompleted({ n: 1 }, used, next)
        : await job.moveToFailed(new Error('on purpose'), used, next);
    if (!Array.isArray(result)) return;
    const [data, id, limit = 0, until = 0] = result;
    if (!data) return { limit, until };
    return this.#hold(await (this.#worker as unknown as Fetching).nextJobFromJobData(data, id, used), used);
  }

  /** The jobs, schedulers and errors that a user sees. The order of jobs shows when the worker takes them. */
  async state(): Promise<object> {
    return {
      jobs: await Promise.all(IDS.map(async (id) => shown(await this.#queue.getJob(id)))),
      counts: await this.#queue.getJobCounts(),
      schedulers: (await this.#queue.getJobSchedulers(0, -1, true)).map(({ key, every, next }) => [key, every, next]),
      errors: this.#errors,
    };
  }

  async close(): Promise<void> {
    await this.#worker.close(true);
    await this.#queue.obliterate({ force: true });
    await this.#queue.close();
  }
}

function jobOf({ id, delay }: { id: string; delay: number }) {
  return { name: 'job', data: { id, delay }, opts: { ...REMOVED, jobId: id, ...(delay > 0 && { delay }) } };
}

/** The fields of a job that the engine uses. */
function shown(job: BullJob | undefined): unknown {
  if (job === undefined) return;
  const { id, name, data, opts, delay, priority, timestamp, repeatJobKey } = job;
  const given = Object.entries(opts as object).filter(([, value]) => value !== undefined);
  return { id, name, data, delay, priority, timestamp, repeatJobKey, opts: given.sort() };
}
