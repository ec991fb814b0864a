/** Workflows of daemons that are driven over HTTP. Their ends are events on the broker, so that nothing is polled. */
import type { BenchDaemon } from './daemon.ts';
import { chainOf } from './ours.ts';
import { type Clocks, IN_FLIGHT, type Side, STEPS } from './rounds.ts';
import type { Watch } from './watch.ts';

/** At most this number of daemons. */
const DAEMONS = 2;

/** @param creator of the nodes @returns a function that makes a side of daemons, by the names of their clocks */
export async function driver(watch: Watch, creator: BenchDaemon) {
  const all = Array.from({ length: DAEMONS * IN_FLIGHT }, (_, at) => node(creator, at));
  const nodes = await Promise.all(all);
  /** Each daemon gets as many workflows at a time as one alone. */
  return (named: Readonly<Record<string, BenchDaemon>>, services: Clocks): Side => {
    const daemons = Object.values(named);
    const own = Object.entries(named).map(([name, daemon]) => [name, () => daemon.cpuSec]);
    return {
      inFlight: IN_FLIGHT * daemons.length,
      clocks: { ...services, ...Object.fromEntries(own) },
      async run(lane) {
        const daemon = daemons[lane % daemons.length] as BenchDaemon;
        const { id } = await daemon.post(`/nodes/${nodes[lane]}/workflows`, { name: chainOf(STEPS) });
        return watch.succeeded(id as string);
      },
    };
  };
}

async function node(daemon: BenchDaemon, at: number): Promise<string> {
  return (await daemon.post('/nodes', { type: 'compute', name: `n${at}` })).id as string;
}
