/** Faults that happen at a moment, on a machine whose parts show them. */
import test from 'ava';
import { runFaultEvents } from '../../../../engine/hardware/twin/fault-events.ts';
import { FaultsAtWork } from '../../../../engine/hardware/twin/faults/faults-at-work.ts';
import { readFaults } from '../../../../engine/hardware/twin/faults/read-faults.ts';
import { twinMachine } from '../../../support/bmcs/twin-bmc.ts';

test('a clock that is wrong is that of the BMC, and an address, a drive and the mains change too', async (t) => {
  const { machine, alerts } = twinMachine({ speed: 1 });
  const [drive] = machine.state.drives;
  const { name, address } = machine;
  const serial = drive?.serial;
  const plan = readFaults(
    [
      `at 0 s: clock ${name} 3600 s`,
      `at 0 s: address ${name} changes`,
      `at 0 s: drive ${name}/${drive?.name} swapped`,
      `at 0 s: notifications ${name} twice`,
      `at 0 s: pdu ${machine.facts.pdu} down 10 min`,
    ].join('\n'),
  );
  const { time } = machine.around;
  const happened: number[] = [];
  await runFaultEvents(
    {
      time,
      events: new FaultsAtWork(plan, 1, () => time.sinceFirst()).events(0),
      machines: [machine],
      passed: async (at) => void happened.push(at),
    },
    new AbortController().signal,
  );
  t.is(machine.state.bmc.clockMs, 3_600_000);
  t.not(machine.address, address);
  t.not(machine.state.drives[0]?.serial, serial);
  t.true(machine.state.notifiesTwice);
  t.false(machine.hasMains);
  t.is(happened.length, 5);
  t.deepEqual(
    alerts.map(({ severity, message }) => [severity, message]),
    [['Critical', `The drive ${drive?.name} (${serial}) was replaced.`]],
  );
  t.true(
    machine.state.bmc.log.some(({ message }) => message.includes('was replaced')),
    'its log has it, too',
  );
});
