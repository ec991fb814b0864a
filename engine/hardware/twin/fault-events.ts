/** The faults that happen at a moment, and their effects on machines. */
import { createHash } from 'node:crypto';
import type { EventFault, TimedFault } from './faults/fault.ts';
import type { EventOfFault } from './faults/faults-at-work.ts';
import type { FieldTime } from './machine/field-time.ts';
import type { Machine } from './machine/twin-machine.ts';

interface EventScene {
  time: FieldTime;
  events: readonly EventOfFault[];
  machines: readonly Machine[];
  /** Notes that the events before it have happened. */
  passed(at: number): Promise<void>;
}

/** Lets each event happen at its time. Ends with the signal. */
export async function runFaultEvents(
  { time, events, machines, passed }: EventScene,
  signal: AbortSignal,
): Promise<void> {
  for (const fault of events) {
    await time.until(time.basis.first + fault.at, signal);
    const [name = '', drive = ''] = fault.target.split('/');
    const hit = machines.filter((machine) => (fault.kind === 'down' ? machine.facts.pdu : machine.name) === name);
    for (const machine of hit) await effects[fault.kind](machine, fault, drive);
    await passed(fault.at + 1);
  }
}

type Effect = (machine: Machine, fault: TimedFault, drive: string) => Promise<void>;

const onDrive =
  (change: (drive: Machine['state']['drives'][number]) => void, ending: string): Effect =>
  (machine, _, name) => {
    const drive = machine.state.drives.find((one) => one.name === name);
    if (drive !== undefined) {
      machine.report('Critical', `The drive ${name} (${drive.serial}) ${ending}.`);
      change(drive);
    }
    return machine.save();
  };

const effects: Record<EventFault, Effect> = {
  dies: async (machine) => machine.restartPhase(),
  changes: (machine) => {
    const [first, second, ...rest] = machine.facts.address.split('.');
    machine.state.address = [first, Number(second) + ADDRESS_STEP, ...rest].join('.');
    return machine.save();
  },
  twice: (machine) => {
    machine.state.notifiesTwice = true;
    return machine.save();
  },
  missing: onDrive((drive) => {
    drive.isMissing = true;
  }, 'does not answer'),
  swapped: onDrive((drive) => {
    const hash = createHash('sha256').update(`swapped ${drive.serial}`).digest('hex');
    drive.serial = hash.slice(0, 12).toUpperCase();
    drive.wwn = `0x5${hash.slice(12, 27)}`;
    drive.content = `swapped ${drive.serial}`;
    delete drive.system;
  }, 'was replaced'),
  'slow drive': onDrive((drive) => {
    drive.isSlow = true;
  }, 'is slow'),
  'bad memory': (machine) => {
    machine.state.hasBadMemory = true;
    machine.report('Warning', 'The memory has correctable errors.');
    return machine.save();
  },
  hot: (machine) => {
    machine.state.isHot = true;
    return machine.save();
  },
  clock: (machine, { ms = 0 }) => {
    machine.state.bmc.clockMs = ms;
    return machine.save();
  },
  down: (machine, { ms = 0 }) => machine.losePower(machine.around.time.now() + ms),
};

/** Away from the addresses of all other machines. */
const ADDRESS_STEP = 50;
