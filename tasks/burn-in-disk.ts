/**
 * Reads all drives of the node with fio at the same time, without writing, through the agent. It ends as `Task.BurnIn.Cpu` does.
 *
 * Output: `{ verdict, tool, startedAt, endedAt, minimum, figures, problems }`; figures are `drives` (`mbPerSec` and `verdict` by name),
 * `cpuCelsius` and `driveCelsius`.
 */
import { Type } from 'nodewright/define';
import { driveValues } from '../engine/hardware/burn-in/burn-in-activities.ts';
import { defineBurnInTest } from '../engine/hardware/burn-in/define-test.ts';

interface Options {
  durationSec: number;
  minMBPerSec: number;
}

export default defineBurnInTest<Options>({
  injectableName: 'Task.BurnIn.Disk',
  friendlyName: 'Read drives under load',
  test: 'disk',
  properties: {
    minMBPerSec: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'The least throughput of each drive, in MB (1,000,000 bytes) per second; 0: any.',
    }),
  },
  options: { durationSec: 3_600, minMBPerSec: 0 },
  wanted: ({ minMBPerSec }, { before }) => ({ floor: `${minMBPerSec}`, ...driveValues(before.drives) }),
});
