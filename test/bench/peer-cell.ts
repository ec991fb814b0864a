/** One measurement of an engine in a new process: the work of a cell of the peers' bench. Prints its round as JSON. */
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { chainOf, openOurs } from './ours.ts';
import { IN_FLIGHT, ownCpuSec, round, STEPS } from './rounds.ts';
import { clocksOf } from './usage.ts';

interface Task {
  folder: string;
  config: ConfigFile;
  /** Process ids of the services, by name. */
  pids: Record<string, number>;
  warmUp: number;
  runs: number;
}

const { folder, config, pids, warmUp, runs } = JSON.parse(process.argv[2] ?? '') as Task;
const ours = await openOurs(folder, IN_FLIGHT, config);
const side = {
  run: (lane: number) => ours.run(chainOf(STEPS), ours.nodes[lane] as string),
  clocks: { engine: ownCpuSec, ...clocksOf(pids) },
};
await round({ ...side, runs: warmUp });
const measured = await round({ ...side, runs });
await ours.close();
process.stdout.write(`\n${JSON.stringify(measured)}\n`, () => process.exit(0));
