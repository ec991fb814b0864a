/** Queues on a Redis of the test, with their log, closed when the test ends. */
import type { ExecutionContext } from 'ava';
import type { Queues } from '../../../engine/platform/queue/port.ts';
import { openRedis, redisQueues } from '../../../engine/platform/queue/redis.ts';
import type { RedisDurability } from '../../../engine/platform/redis/redis-durability.ts';
import { type Child, startChild } from '../faults/child.ts';
import { Hearing } from '../servers/hearing.ts';

export interface Opened {
  queues: Queues;
  /** Each line as pino would write it, errors with all properties. */
  lines: Hearing<string>;
}

export async function openQueues(t: ExecutionContext, url: string, durability?: RedisDurability): Promise<Opened> {
  const lines = new Hearing<string>();
  const queues = redisQueues(await openRedis(url, logTo(lines), durability), 'test');
  t.teardown(() => queues.close());
  return { queues, lines };
}

export const logTo = (lines: Hearing<string>) => ({
  info: (message: string) => lines.add(message),
  warn: (fields: object, message: string) => lines.add(`${message} ${whole(fields)}`),
});

export const whole = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) =>
    inner instanceof Error
      ? Object.fromEntries(Object.getOwnPropertyNames(inner).map((key) => [key, inner[key as keyof Error]]))
      : inner,
  );

/** A process that prints the `n` of each job of `queue`; write `end` and it closes its consumer and exits by itself. */
export async function startConsumer(
  t: ExecutionContext,
  url: string,
  queue: string,
  handler = '',
  env: NodeJS.ProcessEnv = {},
): Promise<Child> {
  const source = `
    import { openRedis, redisQueues } from './engine/platform/queue/redis.ts';
    const log = { info() {}, warn(fields, message) { console.error(message, fields); } };
    const queues = redisQueues(await openRedis(${JSON.stringify(url)}, log), 'child');
    const consumer = queues.queue(${JSON.stringify(queue)}).consume(async ({ n }) => {
      console.log(String(n));
      ${handler}
    }, 10);
    process.stdin.once('data', async () => {
      await consumer.close();
      await queues.close();
      process.stdin.destroy();
    });
    console.log('ready');
  `;
  const child = startChild(source, env);
  t.teardown(() => child.kill('SIGKILL'));
  await child.line();
  return child;
}
