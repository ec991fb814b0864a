/** The gates of BMCs as users see them: each port of a host with its own state, over all processes. */
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { ObmError } from '../../../../engine/define/obm.ts';
import { BmcGates, gateSpec, type StoredGate } from '../../../../engine/hardware/obm/bmc-gates.ts';
import { CircuitBreakers } from '../../../../engine/hardware/obm/circuit-breakers.ts';
import { localChannels } from '../../../../engine/platform/queue/channel.ts';
import { NEVER } from '../../../support/ava/never.ts';
import type { Scope } from '../../../support/ava/scope.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { Hearing } from '../../../support/servers/hearing.ts';

const answers = async () => {};
const fails = async () => {
  throw new ObmError('OBM_UNREACHABLE', 'it does not answer');
};
const GATE_LOOK_MS = 20;

let ticks = 0;
/** No two times are equal. */
const clock = () => {
  ticks += 1;
  return Date.now() + ticks;
};

async function process(t: Scope, id: string, store = new MemoryStore()) {
  const breakers = new CircuitBreakers({ concurrency: 1, failures: 1, backoffMs: 280_000, timeoutMs: 500 }, clock);
  const stored = await store.collection<StoredGate>(gateSpec);
  const channel = localChannels(() => {}).channel<{ host: string }>('gates');
  const gates = new BmcGates(breakers, stored, channel, { id, isHeard: async () => true }, () => {});
  t.teardown(() => gates.close());
  const send = (address: string, command: () => Promise<void>) => breakers.run(address, NEVER, command).catch(() => {});
  return { gates, stored, send };
}

test('a host with an open circuit and a port that answers is not open, and both ports are shown', async (t) => {
  const { gates, send } = await process(t, 'a');
  await send('10.1.1.2:623', fails);
  await send('https://10.1.1.2', answers);
  const [bmc, ...others] = await gates.all();
  t.deepEqual(others, []);
  t.like(bmc, { id: '10.1.1.2', host: '10.1.1.2', retryAt: null, failures: 1 });
  t.not(bmc?.lastAnswerAt, null);
  t.like(bmc?.ports, [
    { address: 'https://10.1.1.2', port: 443, retryAt: null, failures: 0 },
    { address: '10.1.1.2:623', port: 623, failures: 1, lastAnswerAt: null },
  ]);
  t.true(Date.parse(bmc?.ports[1]?.retryAt ?? '') > Date.now());
  t.is(await gates.openCircuits(), 1);
  t.is((await gates.of('https://10.1.1.2')).retryAt, null);
  t.not((await gates.of('10.1.1.2:623')).retryAt, null);
});

test('a host is open while all of its circuits are, until the first of them is tried again', async (t) => {
  const { gates, send } = await process(t, 'a');
  await send('10.1.1.2:623', fails);
  await send('10.1.1.2:624', fails);
  const [bmc] = await gates.all();
  t.is(bmc?.retryAt, bmc?.ports[0]?.retryAt);
  t.true(await gates.reset('10.1.1.2'));
  t.is((await gates.all())[0]?.retryAt ?? null, null);
});

test('a BMC that answers is listed with the time of its answer, also in the list of another process', async (t) => {
  const store = new MemoryStore();
  const [a, b] = [await process(t, 'a', store), await process(t, 'b', store)];
  await a.send('10.1.1.3:623', answers);
  await a.send('10.1.1.4:623', fails);
  await a.gates.start();
  while ((await a.stored.count({})) < 2) await setTimeout(GATE_LOOK_MS);
  const own = await a.gates.all();
  t.like(own, [{ host: '10.1.1.3', failures: 0, retryAt: null }, { host: '10.1.1.4' }]);
  t.not(own[0]?.lastAnswerAt, null);
  t.deepEqual(await b.gates.all(), own);
  t.is(await b.gates.openCircuits(), 1);
  t.true(await b.gates.reset('10.1.1.3'));
  t.false(await b.gates.reset('10.9.9.9'));
});

test('circuits that open, and BMCs that answer again, are reported, once more if that failed', async (t) => {
  const { gates, send } = await process(t, 'a');
  const told = new Hearing<string>();
  let failures = 1;
  gates.onCircuitsChanged(async (circuits) => {
    for (const { host, isOpen } of circuits) told.add(`${host} ${isOpen}`);
    failures -= 1;
    if (failures >= 0) throw new Error('the store is away');
  });
  await send('10.1.1.2:623', fails);
  await gates.start();
  await told.until((all) => all.length === 2);
  await gates.reset('10.1.1.2');
  await send('10.1.1.2:623', answers);
  await told.until((all) => all.length === 3);
  t.deepEqual(told.all, ['10.1.1.2 true', '10.1.1.2 true', '10.1.1.2 false']);
});
