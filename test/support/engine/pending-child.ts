/**
 * Makes one of `pendingChanges` in a separate process, which kills itself with SIGKILL at one of its calls. Prints the
 * ids, then what it publishes, and `lived` if the change makes fewer calls.
 */
import { setTimeout } from 'node:timers/promises';
import { openAdapters } from '../../../engine/assembly/adapters.ts';
import { localChannels } from '../../../engine/platform/queue/channel.ts';
import type { Channel } from '../../../engine/platform/queue/port.ts';
import { OwnScope } from '../ava/scope.ts';
import { Life, type Moment } from '../faults/dying-store.ts';
import { type PendingChange, pendingChanges } from './pending-changes.ts';
import { openSkuProcess } from './sku-process.ts';

export interface Killed {
  stores: { dataDir: string; mongodb: string | undefined; redis: string | undefined };
  change: string;
  calls: number;
  moment: Moment;
}

const FOREVER_MS = 60_000;

const { stores, change: name, calls, moment } = JSON.parse(process.env.KILLED as string) as Killed;
const say = (line: unknown) => console.log(JSON.stringify(line));
const { store, close } = await openAdapters(stores, { info() {}, warn() {} }, (error) => {
  throw error;
});
const life = new Life(async () => {
  process.kill(process.pid, 'SIGKILL');
  await setTimeout(FOREVER_MS);
  throw new Error('not expected');
});
const scope = new OwnScope();
const channel = localChannels(() => {}).channel('skus') as Channel<null>;
const change = pendingChanges[name] as PendingChange;
const preparing = await openSkuProcess(scope, { store, channel });
const ids = await change.prepare(preparing);
await preparing.publisher.close();
say(ids);
const dying = await openSkuProcess(scope, {
  store: life.store(store),
  channel,
  publish: (publications) => life.call(async () => say(publications.map(({ body }) => body))),
});
life.dieAfter(calls, moment);
await change.run(dying, ids);
await dying.publisher.close();
say('lived');
await scope.close();
await close();
