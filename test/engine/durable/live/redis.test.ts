import test, { type TestFn } from 'ava';
import type { LiveState } from '../../../../engine/durable/live/port.ts';
import { liveConformance } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { OwnScope } from '../../../support/ava/scope.ts';
import { openLive, startProcesses } from '../../../support/engine/live.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { noRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
const record = new MemoryStore();
const scope = new OwnScope();
const states: LiveState[] = [];

test.before(async () => {
  if (noRedis) return;
  const { connections } = await startProcesses(scope);
  for (const own of connections) states.push(await openLive(scope, own, record));
});
test.after.always(() => scope.close());

liveConformance(redis.serial as unknown as TestFn, (process) => (states[process] as LiveState).workflows);
