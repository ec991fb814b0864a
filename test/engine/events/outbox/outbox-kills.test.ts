/** Pending events of processes that are killed with SIGKILL at a call to their store, and resumed by another process. */
import anyTest, { type ExecutionContext } from 'ava';
import { openAdapters } from '../../../../engine/assembly/adapters.ts';
import { localChannels } from '../../../../engine/platform/queue/channel.ts';
import type { ListedEvent } from '../../../../engine/vocabulary/event.ts';
import { checkEvents, stillPending } from '../../../conformance/pending-events.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { OwnScope } from '../../../support/ava/scope.ts';
import { type Ids, type PendingChange, pendingChanges } from '../../../support/engine/pending-changes.ts';
import type { Killed } from '../../../support/engine/pending-child.ts';
import { openSkuProcess } from '../../../support/engine/sku-process.ts';
import { startChild } from '../../../support/faults/child.ts';
import type { Moment } from '../../../support/faults/dying-store.ts';
import { noMongoDb, openMongoDb } from '../../../support/servers/mongodb.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';

const shared = needing(noRedis ?? noMongoDb, 'mongodb');
const CALLS = 60;
/** Calls between two kills, so that each run of the tests meets other ones. */
const EVERY = 3;

/** @returns the lines of the child until it is dead; the last is `lived` if it was not killed */
async function runChild(t: ExecutionContext, killed: Killed): Promise<unknown[]> {
  const child = startChild("await import('./test/support/engine/pending-child.ts')", {
    KILLED: JSON.stringify(killed),
  });
  t.teardown(() => child.kill('SIGKILL'));
  const lines: unknown[] = [];
  for (let line = await child.line(); line !== undefined; line = await child.line()) lines.push(JSON.parse(line));
  await child.ended;
  return lines;
}

/** Kills a process at every third call of a change; `pending-events.test.ts` has one die at each. */
async function survive(t: ExecutionContext, stores: Killed['stores'], name: string): Promise<void> {
  const change = pendingChanges[name] as PendingChange;
  let kills = 0;
  for (let calls = Math.floor(Math.random() * EVERY); calls < CALLS; calls += EVERY) {
    const moment: Moment = kills % 2 === 0 ? 'after' : 'before';
    const [ids, ...said] = await runChild(t, { stores, change: name, calls, moment });
    const hasLived = said.at(-1) === 'lived';
    const published = (hasLived ? said.slice(0, -1) : said).flat() as ListedEvent[];
    const { store, close } = await openAdapters(stores, { info() {}, warn() {} }, (error) => t.fail(error.message));
    const scope = new OwnScope();
    const channel = localChannels(() => {}).channel<null>('skus');
    const publish = async (all: readonly { body: unknown }[]) =>
      void published.push(...all.map(({ body }) => body as ListedEvent));
    const heir = await openSkuProcess(scope, { store, channel, publish });
    await heir.publisher.sweep(0);
    await heir.publisher.close();
    const at = `${name}, killed ${moment} call ${calls}`;
    await checkEvents(t, change, heir, ids as Ids, published, at);
    t.deepEqual(await stillPending(store), [], at);
    await scope.close();
    await close();
    if (hasLived) break;
    kills += 1;
  }
  t.true(kills > 1, `${kills} kills`);
}

anyTest.serial('a change of a node is published, though its process is killed at every third call', async (t) => {
  const dataDir = folder(t);
  await survive(t, { dataDir, mongodb: undefined, redis: undefined }, 'a node that is changed');
});

shared.serial(
  'changes are published, though their process is killed at every third call, on shared stores',
  async (t) => {
    const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
    t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
    const stores = { dataDir: folder(t), mongodb: mongodb.url, redis: redis.url };
    await survive(t, stores, 'a node that is removed');
    await survive(t, stores, 'a node that gets another SKU');
    await survive(t, stores, 'an event log that is read');
  },
);
