/**
 * A power command is sent once in a task run, whatever the BMC answers and when. The ledger of the BMC is the proof: it
 * contains each `set` at most once. Times are small here; `test/chaos/power.ts` has the same with realistic times.
 */
import { availableParallelism } from 'node:os';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { ObmService } from '../../engine/define/node.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { needing } from '../support/ava/needs.ts';
import { type IpmiSim, noIpmiSim, startIpmiSim } from '../support/bmcs/ipmi-sim.ts';
import { startRedfish, type Trouble } from '../support/bmcs/redfish.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { type PowerGraph, powerGraphs } from '../support/faults/power-campaign.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
const withSim = needing(noIpmiSim) as Pick<TestFn<{ it: TestEngine }>, 'serial'>;
type T = ExecutionContext<{ it: TestEngine }>;

const names = Object.keys(powerGraphs) as PowerGraph[];

test.before(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 4_000, failures: 2, backoffMs: 1_000 } });
});
test.after.always((t) => t.context.it?.close());

async function nodeWith(t: T, service: ObmService, config: Record<string, unknown>): Promise<string> {
  const { it } = t.context;
  const { id } = await it.node();
  await it.engine.obms.put(id, { service, config });
  return id;
}

async function run(t: T, name: PowerGraph, node: string, options = {}): Promise<WorkflowRow> {
  const { it } = t.context;
  return it.finished((await it.launch(`Graph.${name}.Node`, { defaults: options }, node)).id);
}

async function machine(t: T, power: 'on' | 'off'): Promise<{ sim: IpmiSim; node: string }> {
  const sim = await startIpmiSim(t);
  sim.power = power;
  return { sim, node: await nodeWith(t, 'ipmi-obm-service', sim.config) };
}

/** A few at a time: each is a simulator and its ipmitool processes. */
async function each<C>(cases: readonly C[], work: (one: C) => Promise<void>): Promise<void> {
  const left = [...cases];
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: 2 * availableParallelism() + 2 }, worker));
}

// The answer to a command is waited for one second, a query takes two, and after two without an answer the circuit of
// the BMC opens.
const silences = [0, 0.5, 1.5, 4, 9];
const matrix = (['silent', 'late'] as const).flatMap((kind) =>
  silences.flatMap((seconds) => names.map((name) => ({ kind, seconds, name }))),
);

withSim.serial('each command is sent once by IPMI, however long the BMC is silent before or after it', async (t) => {
  await each(matrix, async ({ kind, seconds, name }) => {
    const { before, sets } = powerGraphs[name];
    const { sim, node } = await machine(t, before);
    sim[kind](seconds);
    const { status, error } = await run(t, name, node);
    const what = `${name}, ${kind} for ${seconds} s: ${status} ${error?.message ?? ''}`;
    t.deepEqual(sim.ledger, [...sets], what);
    // A BMC cannot report whether a reset has happened.
    if (name === 'Reset' && status === 'failed') t.is(error?.code, 'OBM_UNANSWERED', what);
    else t.is(status, 'succeeded', what);
    t.true(seconds > 1 || status === 'succeeded', what);
    await sim.stop();
  });
});

withSim.serial(
  'a BMC that never answers is queried until the task run ends, which fails as OBM_UNANSWERED',
  async (t) => {
    await each(names, async (name) => {
      const { before, sets } = powerGraphs[name];
      const { sim, node } = await machine(t, before);
      sim.hold();
      for (const options of [{ _taskTimeout: 15_000 }, ...(name === 'Reset' ? [] : [{ timeoutMs: 5_000 }])]) {
        const { status, error } = await run(t, name, node, options);
        t.is(status, 'failed', name);
        t.is(error?.code, 'OBM_UNANSWERED', `${name}: ${error?.message}`);
        t.deepEqual(sim.ledger, sets.slice(0, 1), name);
        sim.letGo();
        await t.context.it.until(() => sim.tool('mc', 'info').then(Boolean, () => false));
        sim.forget();
        sim.power = before;
        sim.hold();
      }
    });
  },
);

withSim.serial(
  'a node that a person switches back in the meantime is left alone, and the task run reports it',
  async (t) => {
    const { sim, node } = await machine(t, 'on');
    sim.silent(6);
    const running = run(t, 'PowerOff', node, { timeoutMs: 9_000 });
    await sim.asked(1);
    await t.context.it.until(() => sim.power === 'off');
    sim.power = 'on';
    const { status, error } = await running;
    t.is(status, 'failed');
    t.is(error?.code, 'OBM_UNCHANGED');
    t.regex(error?.message ?? '', /command to switch the node off to \S+, but the node is on /);
    t.deepEqual(sim.ledger, ['power 0']);
    t.is(sim.power, 'on');
  },
);

withSim.serial('an answer that leaves the result of a command open does not cause a second send', async (t) => {
  const { sim, node } = await machine(t, 'off');
  sim.reject();
  const { error } = await run(t, 'PowerOn', node, { timeoutMs: 2_000 });
  t.is(error?.code, 'OBM_UNCHANGED');
  t.regex(error?.message ?? '', /the node is off .*Unspecified error/);
  t.deepEqual(sim.ledger, ['power 1']);
});

withSim.serial('a command that was certainly not sent is sent by a later attempt', async (t) => {
  const { sim, node } = await machine(t, 'on');
  const { it } = t.context;
  sim.signal('SIGSTOP');
  const { id } = await it.launch('Graph.Reset.Node', {}, node);
  await it.until(async () => ((await it.get(id)).tasks[0]?.attemptErrors?.length ?? 0) > 0);
  sim.signal('SIGCONT');
  t.is((await it.finished(id)).status, 'succeeded');
  t.deepEqual(sim.ledger, ['reset 1']);
});

const troubles: Trouble[] = [
  ...[300, 1_500, 6_000].flatMap((ms): Trouble[] => [
    { kind: 'silent', ms },
    { kind: 'late', ms },
  ]),
  { kind: 'cut' },
  { kind: 'broken' },
  { kind: 'expired' },
];

test.serial('each command is executed once by Redfish, whatever happens to its answer', async (t) => {
  const { it } = t.context;
  const cases = troubles.flatMap((trouble) => names.map((name) => ({ trouble, name })));
  await each(cases, async ({ trouble, name }) => {
    const { before, resets } = powerGraphs[name];
    const bmc = await startRedfish(t);
    bmc.power = before === 'on' ? 'On' : 'Off';
    bmc.trouble = trouble;
    const { status, error } = await run(t, name, await nodeWith(t, 'redfish-obm-service', bmc.config));
    const what = `${name}, ${JSON.stringify(trouble)}: ${status} ${error?.message ?? ''}`;
    await it.until(() => bmc.done.all.length >= resets.length);
    t.deepEqual([...bmc.done.all], [...resets], what);
    if (name === 'Reset' && status === 'failed') t.is(error?.code, 'OBM_UNANSWERED', what);
    else t.is(status, 'succeeded', what);
  });
});

test.serial('a Redfish service that never answers a command fails the task run as OBM_UNANSWERED', async (t) => {
  const bmc = await startRedfish(t);
  bmc.power = 'On';
  bmc.trouble = { kind: 'silent', ms: 60_000 };
  const node = await nodeWith(t, 'redfish-obm-service', bmc.config);
  const { error } = await run(t, 'PowerOff', node, { _taskTimeout: 12_000 });
  t.is(error?.code, 'OBM_UNANSWERED', error?.message);
  t.deepEqual(bmc.done.all, ['reset ForceOff']);
});
