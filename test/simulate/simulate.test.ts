/** Several daemons under virtual time: the same seed gives the same run, and whatever dies, every rule holds. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { folder } from '../support/ava/folder.ts';
import { simulatorProgram } from './program.ts';
import { startSimulator } from './simulators.ts';

const plan = { seed: 7, daemons: 3, crashesPerHour: 15, fleet: true, rounds: { from: 0, to: 8 } };

test.serial(
  'the same seed gives the same trace to the last byte, in two processes, and every rule holds',
  async (t) => {
    const program = await simulatorProgram();
    const home = folder(t);
    const run = async (name: string) => {
      const simulator = await startSimulator(program);
      t.teardown(() => simulator.close());
      const path = join(home, name);
      const outcome = await simulator.run(plan, path);
      return { outcome, trace: readFileSync(path, 'utf8') };
    };
    const [one, other] = await Promise.all([run('one'), run('other')]);
    t.is(one.outcome.violation, undefined);
    t.deepEqual(other.outcome, one.outcome);
    t.true(one.outcome.crashes > 10);
    t.true(one.trace === other.trace);
    // A process has no state of an earlier simulation in it.
    const simulator = await startSimulator(program);
    t.teardown(() => simulator.close());
    await simulator.run({ ...plan, seed: 8, rounds: { from: 0, to: 1 } });
    t.is((await simulator.run(plan)).digest, one.outcome.digest);
  },
);

test.serial(
  'a daemon that stood still after its claim, and whose activity another daemon took over, does not begin it',
  async (t) => {
    const simulator = await startSimulator(await simulatorProgram());
    t.teardown(() => simulator.close());
    const found = { seed: 6005, daemons: 3, crashesPerHour: 5, fleet: false, rounds: { from: 50, to: 56 } };
    const { violation, steps } = await simulator.run(found);
    t.is(violation, undefined);
    t.true(steps > 12_000);
  },
);

test.serial('a daemon whose first heartbeat arrives after its death does not keep its leases', async (t) => {
  const simulator = await startSimulator(await simulatorProgram());
  t.teardown(() => simulator.close());
  const found = { seed: 5009, daemons: 1, crashesPerHour: 40, fleet: true, rounds: { from: 0, to: 4 } };
  t.is((await simulator.run(found)).violation, undefined);
});

test.serial('a hold is answered after the workflow began that had taken the node before it', async (t) => {
  const simulator = await startSimulator(await simulatorProgram());
  t.teardown(() => simulator.close());
  const found = { seed: 854_512, daemons: 3, crashesPerHour: 5, fleet: true, rounds: { from: 0, to: 17 } };
  t.is((await simulator.run(found)).violation, undefined);
});
