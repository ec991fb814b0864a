/**
 * The report of a test of a burn-in, as the script of its job writes it: from the model of the machine, and its faults. A machine has
 * 71 °C under load, its drives 44.
 */
import type { BurnInOfJob, DriveJob } from '../machine/machine-state.ts';
import type { ModelDrive } from '../machine/model.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { type DriveFacts, drivesOfMachine } from './drive-facts.ts';

const [WARM, HOT, DRIVES] = [71, 102, 44];

/** °C of the processors under load. */
export const loadCelsius = ({ state }: Machine): number => (state.isHot === true ? HOT : WARM);

const isLoading = (test: string): boolean => test === 'cpu' || test === 'memory';

/** Whether the test is stopped because of its heat. */
export const isTooHot = (machine: Machine, { test = '', cpu_limit: limit }: Record<string, string>): boolean =>
  isLoading(test) && loadCelsius(machine) > Number(limit);

const kbPerSec: Record<ModelDrive['kind'], number> = { nvme: 3_200_000, sas: 1_050_000, sata: 520_000 };
/** A magnetic disk, and a drive that is slow. */
const [ROTATING_KB, SLOW_SHARE] = [210_000, 0.08];

function throughputOf({ model, state }: DriveFacts): number {
  const usual = model.isRotational ? ROTATING_KB : kbPerSec[model.kind];
  return Math.round(state.isSlow === true ? usual * SLOW_SHARE : usual);
}

const driveLines = (machine: Machine, names: string | undefined, share: number): string[] =>
  (names ?? '')
    .split(' ')
    .filter((name) => name !== '')
    .flatMap((name) => {
      const drive = drivesOfMachine(machine).find((one) => one.name === name);
      if (drive === undefined) return [`${name}.code 1`, `${name}.kbps `, `${name}.said fio: ${name}: No such device`];
      return [`${name}.code 0`, `${name}.kbps ${Math.round(throughputOf(drive) * share)}`];
    });

const OPERATIONS_PER_THREAD = 420;
/** Memory that one process of memtester passes in a second, in MiB. */
const LOOP_MIB_PER_SEC = 8;
const BAD_BITS = 3;

function linesOf(machine: Machine, wanted: Record<string, string>): string[] {
  const { processor, memory, nics } = machine.facts.model;
  const threads = processor.sockets * processor.threads;
  switch (wanted.test) {
    case 'cpu':
      return [`operations ${threads * OPERATIONS_PER_THREAD}`, 'errors 0'];
    case 'memory': {
      const mib = Math.floor((memory.modules * memory.moduleMib * Number(wanted.share)) / 100);
      const loops = Math.floor((Number(wanted.seconds) * LOOP_MIB_PER_SEC * threads) / mib);
      const lines = [`mib ${mib}`, `processes ${threads}`, `loops ${loops}`, 'early 0'];
      return machine.state.hasBadMemory === true
        ? [
            ...lines,
            `errors ${BAD_BITS}`,
            'said FAILURE: 0xfffffffffffffbff != 0xffffffffffffffff at offset 0x00c0ffee.',
          ]
        : [...lines, 'errors 0'];
    }
    case 'network': {
      const mbps = Math.round((nics[0]?.speedMbps ?? 0) * 0.94);
      return [`peer ${wanted.peer}`, `send.code 0`, `send.mbps ${mbps}`, `receive.code 0`, `receive.mbps ${mbps}`];
    }
    default:
      return driveLines(machine, wanted.drives, wanted.test === 'write' ? 0.7 : 1);
  }
}

export function burnInReport(machine: Machine, { started, until }: DriveJob, { wanted }: BurnInOfJob): string {
  const { time } = machine.around;
  const isHot = isTooHot(machine, wanted);
  const cpu = isLoading(wanted.test ?? '') ? loadCelsius(machine) : WARM;
  const lines = [
    `started ${time.timestampOf(started)}`,
    `floor ${wanted.floor}`,
    `cpuLimit ${wanted.cpu_limit}`,
    `driveLimit ${wanted.drive_limit}`,
    ...linesOf(machine, wanted),
    `cpuCelsius ${cpu}`,
    `driveCelsius ${DRIVES}`,
    `code 0`,
    `state ${isHot ? 'hot' : 'ended'}`,
    `ended ${time.timestampOf(until)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** The report of a test that another boot than that of its facts was to begin. */
export function lostReport({ around: { time } }: Machine, at: number): string {
  return `started ${time.timestampOf(at)}\nstate lost\nended ${time.timestampOf(at)}\n`;
}
