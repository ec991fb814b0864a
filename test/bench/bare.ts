/**
 * The baseline: BullMQ alone on the same backend, running chains of jobs in which each job adds the next. It saves no
 * state and publishes nothing.
 */
import {
  type BackendFactory,
  type ConnectionOptions,
  createRedisBackend,
  type IQueueBackend,
  Queue,
  Worker,
} from 'bullmq';
import { createMemoryBackend, MemoryConnection } from '../../engine/queue/memory/memory-backend.ts';

interface Link {
  chain: number;
  /** Number of jobs after this one. */
  left: number;
}

const CONCURRENCY = 100;
const NAME = 'links';

export interface Bare {
  /** Returns the time when the last job of the chain was completed. */
  run(length: number): Promise<number>;
  close(): Promise<void>;
}

export const openBare = (): Bare => chains(new MemoryConnection(), createMemoryBackend);

export const openBareOnRedis = (port: number): Bare =>
  chains<IQueueBackend, ConnectionOptions>({ host: '127.0.0.1', port, maxRetriesPerRequest: null }, createRedisBackend);

function chains<B extends IQueueBackend, C>(connection: C, factory: BackendFactory<B, C>): Bare {
  const queue = new Queue<Link, void, string, Link, void, string, B, C>(NAME, { connection }, factory);
  const add = (link: Link) => queue.add(NAME, link, { removeOnComplete: true, removeOnFail: true });
  const handle = async ({ data }: { data: Link }) => {
    if (data.left > 0) await add({ ...data, left: data.left - 1 });
  };
  const options = { connection, concurrency: CONCURRENCY };
  const worker = new Worker<Link, void, string, B, number, C>(NAME, handle, options, factory);
  const asked = new Map<number, (at: number) => void>();
  worker.on('completed', ({ data: { chain, left } }: { data: Link }) => {
    if (left > 0) return;
    asked.get(chain)?.(performance.now());
    asked.delete(chain);
  });
  let chains = 0;
  return {
    async run(length) {
      const chain = chains++;
      const ended = new Promise<number>((resolve) => asked.set(chain, resolve));
      await add({ chain, left: length - 1 });
      return ended;
    },
    async close() {
      await worker.close();
      await queue.close();
    },
  };
}
