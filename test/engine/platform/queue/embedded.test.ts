import { createRequire } from 'node:module';
import test from 'ava';
import { createEmbeddedQueues } from '../../../../engine/platform/queue/embedded.ts';
import type { Queues } from '../../../../engine/platform/queue/port.ts';
import { channelConformance } from '../../../conformance/channel.ts';
import { type Logged, queueConformance } from '../../../conformance/queue.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { fileScope } from '../../../support/ava/file-scope.ts';

const scope = fileScope();
let queues: Queues;
const logged: Logged[] = [];
test.before(() => {
  queues = createEmbeddedQueues((message, error) => logged.push({ message, error }));
  scope.teardown(() => queues.close());
});

queueConformance(test, () => queues, logged);
channelConformance(test, () => queues, logged);

test('an idle worker is notified of a new job, and does not poll', async (t) => {
  const queue = queues.queue<{ n: number }>('quick');
  let came = deferred<number>();
  const consumer = queue.consume(async () => came.resolve(performance.now()), 1);
  const took: number[] = [];
  for (let n = 0; n < 15; n++) {
    came = deferred<number>();
    const at = performance.now();
    await queue.add([{ id: `j${n}`, data: { n } }]);
    took.push((await came.promise) - at);
  }
  const median = took.toSorted((a, b) => a - b)[7] ?? 0;
  // A polling worker would need 5 s.
  t.true(median < 2_000, `${median} ms`);
  await consumer.close();
});

test('the embedded queue loads no Redis module', (t) => {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  t.deepEqual(
    loaded.filter((path) => path.includes('node_modules/ioredis/')),
    [],
  );
});
