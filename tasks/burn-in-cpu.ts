/**
 * Loads all processors of the node with stress-ng, whose methods verify their results, through the agent.
 *
 * - **planning**: needs the facts of `Task.BurnIn.Prepare`.
 * - **watching**: the node starts the test once, and reports how it ends. A daemon or an agent that dies finds it running; a cancel
 *   stops its tools. A temperature beyond a limit stops it, too.
 * - **concluding**: a wrong result, a temperature or a rate beyond its limit fails as `BURN_IN_FAILED`; a tool that does not run to its
 *   end as `BURN_IN_INCOMPLETE`.
 *
 * Output: `{ verdict, tool, startedAt, endedAt, minimum, figures, problems }`; figures are `operationsPerSec` (stress-ng's bogo operations),
 * `errors`, `cpuCelsius` and `driveCelsius`.
 */
import { Type } from 'nodewright/define';
import { defineBurnInTest } from '../engine/hardware/burn-in/define-test.ts';

interface Options {
  durationSec: number;
  minOperationsPerSec: number;
}

export default defineBurnInTest<Options>({
  injectableName: 'Task.BurnIn.Cpu',
  friendlyName: 'Test processors under load',
  test: 'cpu',
  properties: {
    minOperationsPerSec: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: "The least rate of stress-ng's bogo operations of all processors together, per second; 0: any.",
    }),
  },
  options: { durationSec: 3_600, minOperationsPerSec: 0 },
  wanted: ({ minOperationsPerSec }) => ({ floor: `${minOperationsPerSec}` }),
});
