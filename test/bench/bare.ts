/**
 * What we are measured against: BullMQ alone on the same kind of database, doing chains of jobs in which each adds the
 * next. It saves no state, tells nobody, and its commits do not wait for the disk.
 */
import { createPostgresBackend, Queue, runMigrations, Worker } from 'bullmq';
import { openDatabase } from '../../engine/store/pglite.ts';

interface Link {
  chain: number;
  /** Jobs that come after this one. */
  left: number;
}

const CONCURRENCY = 100;
const NAME = 'links';

export type Bare = Awaited<ReturnType<typeof openBare>>;

export async function openBare(dataDir: string) {
  const connection = await openDatabase({ dataDir });
  const client = await connection.connect();
  await runMigrations(client);
  client.release();
  const queue = new Queue(NAME, { connection }, createPostgresBackend);
  const add = (link: Link) => queue.add(NAME, link, { removeOnComplete: true });
  const handle = async ({ data }: { data: Link }) => {
    if (data.left > 0) await add({ ...data, left: data.left - 1 });
  };
  const worker = new Worker(NAME, handle, { connection, concurrency: CONCURRENCY }, createPostgresBackend);
  const asked = new Map<number, (at: number) => void>();
  worker.on('completed', ({ data: { chain, left } }: { data: Link }) => {
    if (left > 0) return;
    asked.get(chain)?.(performance.now());
    asked.delete(chain);
  });
  let chains = 0;
  return {
    /** @returns when the last job of the chain was completed */
    async run(length: number): Promise<number> {
      const chain = chains++;
      const ended = new Promise<number>((resolve) => asked.set(chain, resolve));
      await add({ chain, left: length - 1 });
      return ended;
    },
    async close() {
      await worker.close();
      await queue.close();
      await connection.end();
    },
  };
}
