/**
 * The baseline: BullMQ alone on Redis, running chains of jobs in which each job adds the next. It saves no state and
 * publishes nothing.
 */
import { Queue, Worker } from 'bullmq';

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

/** @param port of Redis on the loopback address */
export function openBare(port: number): Bare {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const queue = new Queue<Link>(NAME, { connection });
  const add = (link: Link) => queue.add(NAME, link, { removeOnComplete: true, removeOnFail: true });
  const handle = async ({ data }: { data: Link }) => {
    if (data.left > 0) await add({ ...data, left: data.left - 1 });
  };
  const worker = new Worker<Link>(NAME, handle, { connection, concurrency: CONCURRENCY });
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
