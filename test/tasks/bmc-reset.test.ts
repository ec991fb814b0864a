/** The restart of a BMC: its command is sent once, and it has ended when the BMC answers again. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { ObmService } from '../../engine/define/node.ts';
import { needing } from '../support/ava/needs.ts';
import { noIpmiSim, startIpmiSim } from '../support/bmcs/ipmi-sim.ts';
import { startRedfish } from '../support/bmcs/redfish.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
const withSim = needing(noIpmiSim) as Pick<TestFn<{ it: TestEngine }>, 'serial'>;
type T = ExecutionContext<{ it: TestEngine }>;

const GRAPH_NAME = 'Graph.Bmc.Reset';

test.before(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 1_000, failures: 2, backoffMs: 1_000 } });
});
test.after.always((t) => t.context.it?.close());

async function nodeWith(t: T, service: ObmService, config: Record<string, unknown>): Promise<string> {
  const { it } = t.context;
  const { id } = await it.node();
  await it.engine.obms.put(id, { service, config });
  return id;
}

const launch = (t: T, node: string, options = {}) => t.context.it.launch(GRAPH_NAME, { 'reset-bmc': options }, node);

test.serial('a BMC that is silent from the command on is not sent it again, and is awaited', async (t) => {
  const { it } = t.context;
  const bmc = await startRedfish(t);
  bmc.silentAfterReset = true;
  const { id } = await launch(t, await nodeWith(t, 'redfish-obm-service', bmc.config), { timeoutMs: 20_000 });
  await it.until(async () => (await it.get(id)).tasks[0]?.waitingOn === 'bmc');
  bmc.silent = undefined;
  const { status, tasks } = await it.finished(id);
  t.is(status, 'succeeded');
  t.deepEqual(tasks[0]?.output, { service: 'redfish-obm-service' });
  t.deepEqual(bmc.done.all, ['reset bmc GracefulRestart']);
});

test.serial('a BMC that does not come back fails the task run', async (t) => {
  const bmc = await startRedfish(t);
  bmc.silentAfterReset = true;
  const { id } = await launch(t, await nodeWith(t, 'redfish-obm-service', bmc.config), { timeoutMs: 100 });
  const { error } = await t.context.it.finished(id);
  t.is(error?.code, 'OBM_UNANSWERED');
  t.regex(error?.message ?? '', /restart the BMC to .*, which does not answer/);
  t.deepEqual(bmc.done.all, ['reset bmc GracefulRestart']);
});

withSim.serial('by IPMI it is a cold reset', async (t) => {
  const sim = await startIpmiSim(t);
  const { id } = await launch(t, await nodeWith(t, 'ipmi-obm-service', sim.config), { timeoutMs: 2_000 });
  const { status, error } = await t.context.it.finished(id);
  t.is(status, 'succeeded', error?.message);
});
