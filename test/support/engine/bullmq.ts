/** BullMQ's own classes on any backend, so that one test can run on several. */
import {
  type BackendFactory,
  type ConnectionOptions,
  createRedisBackend,
  type IQueueBackend,
  type Job,
  Queue,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { createMemoryBackend, MemoryConnection } from '../../../engine/platform/queue/memory/memory-backend.ts';
import type { Scope } from '../ava/scope.ts';
import type { RedisServer } from '../servers/redis.ts';

export type BullQueue = Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend, unknown>;
export type BullWorker = Worker<unknown, unknown, string, IQueueBackend, number, unknown>;
export type BullJob = Job<unknown, unknown, string>;
/** With a signal for a processor of three parameters. */
export type Processor = (job: BullJob, token?: string, signal?: AbortSignal) => Promise<unknown>;

export interface Bull {
  queue(name: string): BullQueue;
  /** Without a processor, the test takes the jobs itself. */
  worker(name: string, processor: Processor | null, opts?: Partial<Omit<WorkerOptions, 'connection'>>): BullWorker;
}

function bullOf<B extends IQueueBackend, C>(connection: C, factory: BackendFactory<B, C>): Bull {
  return {
    queue(name) {
      const queue = new Queue<unknown, unknown, string, unknown, unknown, string, B, C>(name, { connection }, factory);
      return queue as unknown as BullQueue;
    },
    worker(name, processor, opts) {
      const all = { connection, autorun: processor !== null, ...opts };
      const worker = new Worker<unknown, unknown, string, B, number, C>(name, processor, all, factory);
      return worker as unknown as BullWorker;
    },
  };
}

/** All queues and workers of one call share their jobs. */
export const bullInMemory = (): Bull => bullOf(new MemoryConnection(), createMemoryBackend);

export const bullOnRedis = ({ port }: Pick<RedisServer, 'port'>): Bull =>
  bullOf<IQueueBackend, ConnectionOptions>({ host: '127.0.0.1', port, maxRetriesPerRequest: null }, createRedisBackend);

/** The in-process backend keeps no finished job. */
export const REMOVED = { removeOnComplete: true, removeOnFail: true } as const;

/** A queue of its own on a backend, and its workers, which end with the test; errors of workers are expected. */
export function freshBull(t: Scope, bull: Bull) {
  const name = `bull${names++}`;
  const queue = bull.queue(name);
  t.teardown(() => queue.close());
  return {
    queue,
    add: (n: number, opts: object = {}) => queue.add('job', { n }, { ...REMOVED, jobId: `job-${jobs++}`, ...opts }),
    worker(processor: Processor | null, opts: Parameters<Bull['worker']>[2] = {}) {
      const worker = bull.worker(name, processor, opts);
      worker.on('error', () => {});
      // Without waiting for jobs: in a test that failed, one may never end.
      t.teardown(() => worker.close(true));
      return worker;
    },
  };
}

let names = 0;
let jobs = 0;

/** The number that a job was added with. */
export const numberOf = (job: BullJob | undefined) => (job?.data as { n: number } | undefined)?.n;
