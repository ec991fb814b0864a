/** Power through the real daemon that is killed in the middle: the BMC's ledger records the commands. */
import { setTimeout } from 'node:timers/promises';
import { needing } from '../support/ava/needs.ts';
import { type IpmiSim, noIpmiSim, startIpmiSim } from '../support/bmcs/ipmi-sim.ts';
import { powerCampaign, silencesOf } from '../support/faults/power-campaign.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noIpmiSim);

interface Scene {
  sim: IpmiSim;
  daemon: DaemonProcess;
  launch(graph: string): Promise<string>;
  /** The daemon dies and comes back. @param whileDown called while no daemon runs */
  crash(whileDown?: () => void): Promise<void>;
}

/** The scene of the tests that need no other limits, with an empty ledger and a machine that is on. */
async function scene(): Promise<Scene> {
  const opened = await sharedScene();
  opened.sim.forget();
  opened.sim.power = 'on';
  return opened;
}

const sharedScene = shared(async (file): Promise<Scene> => {
  const sim = await startIpmiSim(file);
  const daemon = await startDaemonProcess(file);
  const node = (await daemon.api('POST', '/nodes', { type: 'compute', name: 'one' })).body.id;
  await daemon.api('PUT', `/nodes/${node}/obm`, { service: 'ipmi-obm-service', config: sim.config });
  return {
    sim,
    daemon,
    launch: async (graph) => (await daemon.api('POST', `/nodes/${node}/workflows?name=${graph}`)).body.id,
    async crash(whileDown) {
      await daemon.kill('SIGKILL');
      whileDown?.();
      await daemon.start();
    },
  };
});

test.serial('a kill during either half of a reboot leaves each half done once, and the node on', async (t) => {
  const { sim, daemon, launch, crash } = await scene();
  for (const half of [1, 2]) {
    sim.forget();
    sim.power = 'on';
    if (half === 1) sim.hold();
    const id = await launch('Graph.Reboot.Node');
    await sim.asked(1);
    if (half === 2) {
      sim.hold();
      await sim.asked(2);
    }
    await crash(() => sim.letGo());
    t.like(await ended(daemon, id), { status: 'succeeded', error: null });
    t.deepEqual(sim.ledger, ['power 0', 'power 1']);
    t.is(sim.power, 'on');
  }
});

test.serial('a reset during a kill is not sent again, and the workflow reports it', async (t) => {
  const { sim, daemon, launch, crash } = await scene();
  sim.hold();
  const id = await launch('Graph.Reset.Node');
  await sim.asked(1);
  await crash(() => sim.letGo());
  t.like(await ended(daemon, id), { status: 'failed', error: { code: 'TASK_INTERRUPTED' } });
  t.deepEqual(sim.ledger, ['reset 1']);
});

test.serial('a reboot that is killed at any moment switches the machine off once and on once at most', async (t) => {
  const { sim, daemon, launch, crash } = await scene();
  for (let n = 0; n < 2; n += 1) {
    sim.forget();
    // If the machine is off already, the daemon after the crash treats the first half as done.
    sim.power = 'on';
    const id = await launch('Graph.Reboot.Node');
    await setTimeout(Math.random() * 1_000);
    await crash();
    const { status, error } = await ended(daemon, id);
    const expected = ['power 0', 'power 1'];
    // A kill between the save of the mark and the send leaves it unsent for good: no process could distinguish this
    // from a send.
    if (status === 'failed') t.is(error?.code, 'OBM_UNCHANGED', `round ${n}`);
    t.deepEqual(sim.ledger, status === 'failed' ? expected.slice(0, sim.ledger.length) : expected, `round ${n}`);
    t.true(status === 'succeeded' || sim.ledger.length < 2, `round ${n}`);
  }
  t.false(daemon.log.join('\n').includes(sim.config.password));
});

test.serial('a kill while a BMC is silent leaves each command sent once', async (t) => {
  const silences = silencesOf(['ipmi-obm-service', 'redfish-obm-service'], [3, 12]);
  const obm = { timeoutMs: 4_000, failures: 2, backoffMs: 1_000 };
  for (const one of await powerCampaign(t, { silences, obm, kills: [0.7, 5] }))
    t.deepEqual(one.wrong, [], JSON.stringify(one));
});

test.serial('a task run that waits for its BMC continues to wait after the daemon was killed', async (t) => {
  const sim = await startIpmiSim(t);
  const daemon = await startDaemonProcess(t, { config: { obm: { timeoutMs: 4_000, failures: 2, backoffMs: 30_000 } } });
  const node = (await daemon.api('POST', '/nodes', { type: 'compute', name: 'one' })).body.id;
  await daemon.api('PUT', `/nodes/${node}/obm`, { service: 'ipmi-obm-service', config: sim.config });
  sim.signal('SIGSTOP');
  const { id } = (await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.PowerOn.Node`)).body;
  const task = async () => (await daemon.api('GET', `/workflows/${id}`)).body.tasks[0];
  await seen(async () => (await task()).waitingOn === 'bmc');
  const { nextAttemptAt, attempts } = await task();
  await daemon.kill('SIGKILL');
  sim.signal('SIGCONT');
  await daemon.start();
  t.like(await task(), { state: 'waiting', waitingOn: 'bmc', nextAttemptAt, attempts });
  t.is((await ended(daemon, id)).status, 'succeeded');
  const last = await task();
  t.true(Date.parse(last.finishedAt) >= Date.parse(nextAttemptAt));
  t.is(last.attempts, attempts);
  t.deepEqual(sim.ledger, ['power 1']);
});

test.serial(
  'why names a BMC with an open circuit, and closing it, which it suggests, begins the attempt that waits for it',
  async (t) => {
    const sim = await startIpmiSim(t);
    const daemon = await startDaemonProcess(t, {
      config: { obm: { timeoutMs: 4_000, failures: 2, backoffMs: 280_000 } },
    });
    const node = (await daemon.api('POST', '/nodes', { type: 'compute', name: 'one' })).body.id;
    await daemon.api('PUT', `/nodes/${node}/obm`, { service: 'ipmi-obm-service', config: sim.config });
    sim.signal('SIGSTOP');
    const { id } = (await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.PowerOn.Node`)).body;
    const why = async () => (await daemon.api('GET', `/workflows/${id}/why`)).body;
    await seen(async () => (await why()).waits[0]?.waitingOn === 'bmc');
    const { bmc, waits, suggestions } = await why();
    t.like(bmc, { host: '127.0.0.1', failures: 2 });
    t.true(Date.parse(bmc.retryAt) > Date.now());
    t.regex(waits[0].detail, /the BMC at 127\.0\.0\.1:\d+ gave no answer 2 times in a row/);
    t.regex(waits[0].then, /attempt \d of 6 of `poweron` begins/);
    const gates = await daemon.api('GET', '/bmcs');
    t.like(gates.body, [{ id: '127.0.0.1', failures: 2, retryAt: bmc.retryAt }]);
    const stuck = await daemon.api('GET', '/workflows?stuck=true&fields=id');
    t.deepEqual(stuck.body, [{ id }]);
    t.is((await daemon.api('GET', '/summary')).body.bmcs.circuitsOpen, 1);
    sim.signal('SIGCONT');
    const paths = suggestions.map(({ action, method, path }: Record<string, string>) => [action, method, path]);
    t.deepEqual(paths, [
      ['retry-now', 'PUT', `/api/current/workflows/${id}/action`],
      ['check', 'DELETE', '/api/current/bmcs/127.0.0.1/circuit'],
      ['cancel', 'PUT', `/api/current/workflows/${id}/action`],
    ]);
    const inApi = (path: string) => path.replace('/api/current', '');
    t.is((await daemon.api('DELETE', inApi(paths[1][2]))).status, 204);
    t.is((await daemon.api('GET', '/bmcs')).body[0]?.retryAt ?? null, null);
    t.is((await ended(daemon, id)).status, 'succeeded');
    t.deepEqual(sim.ledger, ['power 1']);
    t.is((await daemon.api('PUT', `/workflows/${id}/action`, { command: 'retry-now' })).status, 409);
    t.is((await daemon.api('DELETE', '/bmcs/10.9.9.9/circuit')).status, 404);
  },
);
