import test, { type TestFn } from 'ava';
import type { LiveState } from '../../../engine/durable/live/port.ts';
import { liveConformance } from '../../conformance/live.ts';
import { openLive, startProcesses } from '../../support/live.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { needing } from '../../support/needing.ts';
import { noRedis } from '../../support/redis.ts';
import { OwnScope } from '../../support/scope.ts';

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
