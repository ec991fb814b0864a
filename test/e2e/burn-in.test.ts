/** A burn-in of a machine of a twin, whose daemon is killed during each of its tests: each begins once, and the result is one. */
import test from 'ava';
import { factsOfMachine } from '../../engine/hardware/twin/machine/machine-facts.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { freePort } from '../support/servers/server.ts';
import { newState, smallModel, TwinMachine } from '../support/twin/twin-machine.ts';

const tests = ['cpu', 'memory', 'disk', 'write', 'network'] as const;
const programs = { cpu: 'stress-ng', memory: 'memtester', disk: 'fio', write: 'fio', network: 'iperf3' };

test('a daemon that is killed during each test begins none again, and has one catalog', async (t) => {
  const daemon = await startDaemonProcess(t, { port: await freePort() });
  const node = (await daemon.api('POST', '/nodes', { type: 'compute', name: 'burnt' })).body.id as string;
  await daemon.api('PUT', `/nodes/${node}/obm`, { service: 'noop-obm-service', config: {} });
  const base = daemon.southboundUrl('');
  const state = newState(factsOfMachine(7, 0, smallModel));
  const cmdline = `nodewright.api=${base}/api/current nodewright.node=${node}`;
  state.phase = { name: 'agent', image: { kernel: 'vmlinuz', cmdline } };
  const twin = new TwinMachine({ base, state });
  t.teardown(() => twin.close());
  const launched = async (options: object) => {
    const { status, body } = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.BurnIn`, {
      options: { 'disk-scan-delay': { duration: 10 }, ...options },
    });
    t.is(status, 201, JSON.stringify(body));
    return body.id as string;
  };
  // Its catalog of drives is there afterwards.
  const first = await launched({ prepare: { tests: [] } });
  await ended(daemon, first);
  const durationSec = 1_800;
  const id = await launched({
    ...Object.fromEntries(tests.map((name) => [name, { durationSec }])),
    write: { durationSec, serials: ['SN-SDB'] },
    network: { durationSec, peer: '10.1.1.1' },
  });
  for (const name of tests) {
    await seen(async () => twin.lines('burn-in').includes(`${programs[name]} ${name}: begun`));
    await daemon.kill('SIGKILL');
    await daemon.start();
  }
  await ended(daemon, id);
  const { body: row } = await daemon.api('GET', `/workflows/${id}`);
  t.is(row.status, 'succeeded', JSON.stringify([row.error, twin.problems, twin.ledger]));
  t.deepEqual(
    twin.lines('burn-in'),
    tests.flatMap((name) => ['begun', 'done'].map((outcome) => `${programs[name]} ${name}: ${outcome}`)),
  );
  const { body: catalogs } = await daemon.api('GET', `/nodes/${node}/catalogs/burn-in`);
  t.like(catalogs.data, { run: id, verdict: 'passed' });
  const { body: health } = await daemon.api('GET', `/nodes/${node}/health`);
  t.like(
    health.reports.find(({ source }: { source: string }) => source === 'burn-in'),
    { state: 'ok' },
  );
});
