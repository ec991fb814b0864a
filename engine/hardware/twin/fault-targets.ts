/** Faults whose target a twin does not have. */

import type { FaultPlan, TimedFault } from './faults/fault.ts';
import { FaultLineError } from './faults/read-faults.ts';
import type { Machine } from './machine/twin-machine.ts';

/** @throws FaultLineError at the first fault of a machine, a drive or a PDU that is not there */
export function checkFaultTargets({ timed }: FaultPlan, machines: readonly Machine[]): void {
  for (const fault of timed) {
    const problem = targetProblem(fault, machines);
    if (problem !== undefined) throw new FaultLineError(fault.line, problem);
  }
}

function targetProblem({ kind, target }: TimedFault, machines: readonly Machine[]): string | undefined {
  const [name = '', drive] = target.split('/');
  if (kind === 'down' || kind === 'pdu silent') {
    const pdus = [...new Set(machines.map(({ facts }) => facts.pdu))];
    return pdus.includes(name) ? undefined : `the twin has no PDU ${name}; expected one of ${shortList(pdus)}`;
  }
  const machine = machines.find((one) => one.name === name);
  if (machine === undefined)
    return `the twin has no machine ${name}; expected one of ${shortList(machines.map((one) => one.name))}`;
  const drives = machine.state.drives.map((one) => one.name);
  return drive === undefined || drives.includes(drive)
    ? undefined
    : `${name} has no drive ${drive}; expected one of ${shortList(drives)}`;
}

const shortList = (names: readonly string[]): string =>
  names.length > 6 ? `${names[0]} to ${names.at(-1)}` : names.join(', ');
