/** The faults of a story: read from lines, or drawn from a seed. */

import type { FaultPlan } from '../../engine/hardware/twin/faults/fault.ts';
import { FaultLineError, readFaults } from '../../engine/hardware/twin/faults/read-faults.ts';
import type { Model } from '../../engine/hardware/twin/machine/model.ts';
import { SeededRandom } from '../../engine/platform/lib/seeded-random.ts';

const [MACHINE, PDU] = ['r01s01', 'p01a'];

const FAULTS_AT_MOST = 3;
/** Seconds after the launch: short graphs have faults too, and long ones have them in their midst. */
const WITHIN_SEC = [10, 300, 1_500];

/** @throws FaultLineError at the first wrong line, or one about something that the story does not have */
export function faultsRead(lines: readonly string[], { drives }: Model): FaultPlan {
  const plan = readFaults(lines.join('\n'));
  const targets = new Set([MACHINE, PDU, ...drives.map(({ name }) => `${MACHINE}/${name}`)]);
  const strange = plan.timed.find(({ target }) => !targets.has(target));
  if (strange === undefined) return plan;
  throw new FaultLineError(strange.line, `found ${strange.target}; expected one of ${[...targets].join(', ')}`);
}

/** The faults of a file, without its comments. */
export const faultLines = (text: string): string[] => text.split('\n').map((line) => line.replace(/#.*/, '').trim());

export function faultsDrawn(seed: number, { drives }: Model): string[] {
  const random = new SeededRandom(`${seed} faults`);
  const span = (least: number, most: number) => `${least + random.below(most - least)} s`;
  const drive = () => `${MACHINE}/${random.pick(drives).name}`;
  const kinds: readonly (() => string)[] = [
    () => `bmc ${MACHINE} silent ${span(10, 300)}`,
    () => `bmc ${MACHINE} slow ${span(30, 300)}`,
    () => `bmc ${MACHINE} 503 ${span(10, 300)}`,
    () => `bmc ${MACHINE} reset ignored`,
    () => `bmc ${MACHINE} power stuck ${span(10, 120)}`,
    () => `agent ${MACHINE} dies`,
    () => `address ${MACHINE} changes`,
    () => `notifications ${MACHINE} twice`,
    () => `clock ${MACHINE} ${span(600, 7_200)}`,
    () => `pdu ${PDU} down ${span(10, 120)}`,
    ...(drives.length === 0 ? [] : [() => `drive ${drive()} missing`, () => `drive ${drive()} swapped`]),
  ];
  const count = 1 + random.below(FAULTS_AT_MOST);
  const moments = Array.from({ length: count }, () => random.below(random.pick(WITHIN_SEC))).sort((a, b) => a - b);
  return moments.map((second) => `at ${second} s: ${random.pick(kinds)()}`);
}
