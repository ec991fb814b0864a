/** Graph.BurnIn on a machine of a twin, whose agent answers: its faults, and what the catalog and the health of its node say. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { burnInOf, burnInVerdictText } from '../../api/client/burn-in-texts.ts';
import { nodeQueryOf } from '../../engine/api-port/node-filters.ts';
import type { BurnInRecord } from '../../engine/hardware/burn-in/burn-in-record.ts';
import { factsOfMachine } from '../../engine/hardware/twin/machine/machine-facts.ts';
import type { MachineState } from '../../engine/hardware/twin/machine/machine-state.ts';
import type { TestEngine } from '../support/engine/engine.ts';
import { serve, southbound } from '../support/servers/api.ts';
import { sharedEngine } from '../support/servers/shared-resources.ts';
import { newState, smallModel, TwinMachine } from '../support/twin/twin-machine.ts';

const test = anyTest as TestFn;
const engine = sharedEngine();

interface Scene {
  it: TestEngine;
  node: string;
  twin: TwinMachine;
  run(options?: object): Promise<string>;
  catalog(): Promise<BurnInRecord | undefined>;
  /** The report of the last burn-in. */
  health(): Promise<{ state: string; message: string } | undefined>;
}

/** The results as people read them. */
const textsOf = (record: BurnInRecord | undefined): string[] =>
  (burnInOf(record)?.lines ?? []).map(({ test: title, target, measured, verdict }) =>
    [title, target, measured, burnInVerdictText(verdict)].join(' | '),
  );

const short = { cpu: { durationSec: 600 }, memory: { durationSec: 600 }, disk: { durationSec: 600 } };

/** The agent of the machine already asks. */
async function scene(t: ExecutionContext, change: (state: MachineState) => void = () => {}): Promise<Scene> {
  const it = await engine();
  const { port } = await serve(t, southbound, it.engine);
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'noop-obm-service' });
  const base = `http://127.0.0.1:${port}`;
  const state = newState(factsOfMachine(7, 0, smallModel));
  const cmdline = `nodewright.api=${base}/api/current nodewright.node=${node}`;
  state.phase = { name: 'agent', image: { kernel: 'vmlinuz', cmdline } };
  change(state);
  const twin = new TwinMachine({ base, state });
  t.teardown(() => twin.close());
  return {
    it,
    node,
    twin,
    run: async (options = {}) =>
      (await it.launch('Graph.BurnIn', { 'disk-scan-delay': { duration: 10 }, ...short, ...options }, node)).id,
    catalog: async () => (await it.engine.catalogs.latestOf(node, 'burn-in'))?.data as BurnInRecord | undefined,
    health: async () => (await it.engine.health.of(node))?.reports.find(({ source }) => source === 'burn-in'),
  };
}

test('a sound machine passes each test once, and its catalog and its health say so', async (t) => {
  const { it, node, twin, run, catalog, health } = await scene(t);
  const row = await it.finished(await run({ network: { peer: '10.1.1.1', durationSec: 60 } }));
  t.is(row.status, 'succeeded', JSON.stringify([row.error, twin.problems]));
  t.deepEqual(twin.lines('burn-in'), [
    ...['stress-ng cpu: begun', 'stress-ng cpu: done', 'memtester memory: begun', 'memtester memory: done'],
    ...['fio disk: begun', 'fio disk: done', 'iperf3 network: begun', 'iperf3 network: done'],
  ]);
  const record = await catalog();
  t.like(record, { run: row.id, verdict: 'passed', problems: [], memoryErrors: { corrected: 0, uncorrected: 0 } });
  t.deepEqual(Object.keys(record?.tests ?? {}), ['cpu', 'memory', 'disk', 'network']);
  t.like(record?.tests.disk, {
    verdict: 'passed',
    tool: 'fio',
    figures: { drives: { sda: { mbPerSec: 210 }, nvme0n1: { mbPerSec: 3_200 }, sdb: { mbPerSec: 1_050 } } },
  });
  t.like(record?.tests.network, { minimum: null, figures: { peer: '10.1.1.1' } });
  const texts = textsOf(record);
  for (const line of [
    /^processors \| all \| [\d,]+ operations\/s, no wrong results \| passed$/,
    /^memory \| [\d.]+ GiB in \d+ processes \| \d+ complete pass(?:es)?, no errors \| passed$/,
    /^drive, read \| sda \(SN-SDA\) \| 210 MB\/s \| passed$/,
    /^network \| to 10\.1\.1\.1 \| [\d,]+ Mbit\/s sent, [\d,]+ Mbit\/s received \| passed$/,
    /^temperature \| processors \| 71 °C \| passed$/,
    /^new errors \| memory \| none \| passed$/,
    /^new errors \| sda \(SN-SDA\) \| none, health PASSED \| passed$/,
  ])
    t.is(texts.filter((text) => line.test(text)).length, 1, `${line} in ${texts.join('\n')}`);
  t.like(record?.drives.sda, { serial: 'SN-SDA', health: 'PASSED' });
  t.deepEqual(row.output, record);
  t.like(await health(), { state: 'ok', until: null });
  t.is((await it.engine.nodes.find(node))?.burnIn, 'passed');
  t.is(twin.drive('sda')?.content, 'data of sda');
});

test('bad memory, a slow drive and a hot processor each fail, with what was found and expected; a repair passes', async (t) => {
  const { it, node, twin, run, catalog, health } = await scene(t, (state) => {
    state.hasBadMemory = true;
    state.isHot = true;
    Object.assign(state.drives.find(({ name }) => name === 'sda') ?? {}, { isSlow: true });
  });
  const row = await it.finished(await run({ disk: { durationSec: 600, minMBPerSec: 100 } }));
  t.like(row, { status: 'failed', error: { code: 'BURN_IN_FAILED' } });
  const record = await catalog();
  t.is(record?.verdict, 'failed');
  const texts = textsOf(record);
  for (const line of [
    'drive, read | sda (SN-SDA) | 17 MB/s | failed',
    'drive, read | sdb (SN-SDB) | 1,050 MB/s | passed',
    'temperature | processors | 102 °C | failed',
    'temperature | drives | 44 °C | passed',
    'new errors | memory | 40 corrected | failed',
  ])
    t.true(texts.includes(line), texts.join('\n'));
  t.is(record?.tests.disk?.minimum, 100);
  t.deepEqual(record?.problems, [
    'cpu: found 102 °C (processors) and 44 °C (drives); expected at most 95 and 70',
    'memory: found 102 °C (processors) and 44 °C (drives); expected at most 95 and 70',
    'disk: found 17 MB/s read on sda; expected at least 100',
    'found 40 new corrected errors of memory; expected at most 0',
  ]);
  t.deepEqual(
    row.tasks.filter(({ state }) => state === 'failed').map(({ label, error }) => [label, error?.code]),
    [...['cpu', 'memory', 'disk', 'conclude'].map((label) => [label, 'BURN_IN_FAILED'])],
  );
  t.like(await health(), { state: 'critical' });
  t.is((await it.engine.nodes.find(node))?.burnIn, 'failed');
  const listed = async (burnIn: string) => {
    const { filter } = nodeQueryOf({ id: node, burnIn });
    return (await it.engine.nodes.list({ skip: 0, limit: 10, filter })).total;
  };
  t.deepEqual(await Promise.all(['failed', 'passed,failed', 'passed', 'null'].map(listed)), [1, 1, 0, 0]);
  t.throws(() => nodeQueryOf({ burnIn: 'broken' }), { code: 'INVALID' });
  t.regex((await health())?.message ?? '', /^failed at \S+: cpu: found 102 °C/);

  twin.state.isHot = false;
  const again = await it.finished(await run());
  t.is(again.status, 'failed');
  t.regex(again.error?.message ?? '', /^memory: found 3 errors in \d+ MiB: FAILURE: .*; expected none$/);
  t.like(await health(), { state: 'critical' });

  twin.state.hasBadMemory = false;
  t.is((await it.finished(await run())).status, 'succeeded');
  t.like(await health(), { state: 'ok' });
});

test('a write test needs the serial number of each drive, and only then the launch destroys data', async (t) => {
  const { it, node, twin, run, catalog } = await scene(t);
  const planned = async (options: object) => {
    const { tasks } = await it.engine.plans.plan({ name: 'Graph.BurnIn', nodeId: node, options: { ...options } });
    return tasks.find(({ label }) => label === 'write');
  };
  t.like(await planned({}), { destructive: false, drives: [] });
  await t.throwsAsync(run({ write: { serials: ['SN-SDB'] } }), {
    message: /found 0 drives with the serial number SN-SDB/,
  });
  await it.finished(await run({ prepare: { tests: ['cpu'] } }));
  const write = { serials: ['SN-SDB'], durationSec: 60 };
  const plan = await planned({ write });
  t.true(plan?.destructive);
  t.like(plan?.drives?.[0], { name: 'sdb', serial: 'SN-SDB' });
  twin.ledger.length = 0;
  const row = await it.finished(await run({ prepare: { tests: [] }, write }));
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.deepEqual(twin.lines('burn-in'), ['fio write: begun', 'fio write: done']);
  t.regex(twin.drive('sdb')?.content ?? '', /^patterns of /);
  t.is(twin.drive('sda')?.content, 'data of sda');
  t.deepEqual(Object.keys((await catalog())?.tests ?? {}), ['write']);
});

test('a cancel stops the test on the machine, and leaves no result', async (t) => {
  const { it, twin, run, catalog, health } = await scene(t);
  const id = await run({ cpu: { durationSec: 600_000 } });
  await it.until(() => twin.lines('burn-in').length === 1);
  await it.engine.control.cancel(id);
  const row = await it.finished(id);
  t.is(row.status, 'cancelled');
  t.deepEqual(twin.lines('burn-in'), ['stress-ng cpu: begun', 'stress-ng cpu: stopped']);
  t.regex(JSON.stringify(row.tasks), /The test was stopped\./);
  t.is(await catalog(), undefined);
  t.is(await health(), undefined);
});

test('a machine that restarts under load has failed, and its test is not begun again', async (t) => {
  const { it, twin, run, catalog } = await scene(t);
  const id = await run({ cpu: { durationSec: 6_000 } });
  await it.until(() => twin.lines('burn-in').length === 1);
  // The system of the machine starts anew: its jobs are lost.
  twin.state.bootId = 'another';
  twin.state.jobs = [];
  twin.machine.restartPhase();
  const row = await it.finished(id);
  t.is(row.error?.code, 'BURN_IN_FAILED');
  t.regex(row.error?.message ?? '', /^cpu: found that the machine had restarted; expected it to run/);
  t.deepEqual(twin.lines('burn-in'), ['stress-ng cpu: begun']);
  t.is((await catalog())?.tests.cpu?.verdict, 'failed');
});

test('an agent that dies finds its test running', async (t) => {
  const { it, twin, run } = await scene(t);
  const id = await run({ prepare: { tests: ['memory'] }, memory: { durationSec: 6_000 } });
  await it.until(() => twin.lines('burn-in').length === 1);
  twin.machine.restartPhase();
  t.is((await it.finished(id)).status, 'succeeded');
  t.deepEqual(twin.lines('burn-in'), ['memtester memory: begun', 'memtester memory: done']);
});
