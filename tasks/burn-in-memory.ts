/**
 * Tests a share of the available memory of the node with memtester, one process for each processor, through the agent. It ends as
 * `Task.BurnIn.Cpu` does.
 *
 * Output: `{ verdict, tool, startedAt, endedAt, minimum, figures, problems }`; figures are `mib`, `processes`, `loops` (complete passes of
 * memtester, of its slowest process), `errors`, `cpuCelsius` and `driveCelsius`.
 */
import { Type } from 'nodewright/define';
import { defineBurnInTest } from '../engine/hardware/burn-in/define-test.ts';

interface Options {
  durationSec: number;
  sharePercent: number;
  minLoops: number;
}

export default defineBurnInTest<Options>({
  injectableName: 'Task.BurnIn.Memory',
  friendlyName: 'Test memory',
  test: 'memory',
  properties: {
    sharePercent: Type.Integer({
      minimum: 1,
      maximum: 95,
      description:
        'The share of the available memory that is tested, in percent. The rest is for the system and the agent.',
    }),
    minLoops: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'The least number of complete passes; with 0 a test that is too short for one passes, too.',
    }),
  },
  options: { durationSec: 3_600, sharePercent: 80, minLoops: 0 },
  wanted: ({ sharePercent, minLoops }) => ({ share: `${sharePercent}`, floor: `${minLoops}` }),
});
