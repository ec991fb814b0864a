/**
 * Writes on drives of the node with fio, all of each drive that the time allows, and verifies what it wrote, through the agent. **The
 * content of these drives is lost.** Drives are named by their serial numbers; without one nothing is written. A drive that has
 * another identity than before, or that something uses, is not touched.
 *
 * The test begins once, and ends as `Task.BurnIn.Cpu` does; a stopped one leaves drives partly overwritten.
 *
 * Output: `{ verdict, tool, startedAt, endedAt, minimum, figures, problems }`; figures are `drives` (`mbPerSec` and `verdict` by name),
 * `cpuCelsius` and `driveCelsius`.
 */
import { Type } from 'nodewright/define';
import { driveValues } from '../engine/hardware/burn-in/burn-in-activities.ts';
import { serialNumbers } from '../engine/hardware/burn-in/burn-in-tests.ts';
import { defineBurnInTest } from '../engine/hardware/burn-in/define-test.ts';
import { drivesBySerial } from '../engine/hardware/burn-in/drives-by-serial.ts';

interface Options {
  durationSec: number;
  serials?: string[];
  minMBPerSec: number;
}

export default defineBurnInTest<Options>({
  injectableName: 'Task.BurnIn.Write',
  friendlyName: 'Write and verify drives',
  test: 'write',
  properties: {
    serials: Type.Optional(serialNumbers('The serial numbers of the drives whose content is lost; absent: none.')),
    minMBPerSec: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'The least throughput of each drive, in MB (1,000,000 bytes) per second; 0: any.',
    }),
  },
  options: { durationSec: 3_600, minMBPerSec: 0 },
  wanted: ({ minMBPerSec, serials = [] }, { before }) => ({
    floor: `${minMBPerSec}`,
    ...driveValues(before.drives.filter(({ serial }) => serials.includes(serial))),
  }),
  destroys: {
    drives: async ({ options: { serials = [] }, catalog }) =>
      serials.length === 0 ? [] : drivesBySerial(serials, await catalog('driveId')).drives,
    checkLaunch: async ({ options: { serials = [] }, catalog }) =>
      serials.length === 0 ? [] : drivesBySerial(serials, await catalog('driveId')).violations,
  },
});
