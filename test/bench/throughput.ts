/** Steps per second of workflows with five sequential tasks, 50 concurrent, compared with bare BullMQ and five jobs. */
import { openBare } from './bare.ts';
import type { Figure } from './figure.ts';
import { chainOf, openOurs } from './ours.ts';
import { cpu, type Round, rate, ratio, round, STEPS } from './rounds.ts';

const IN_FLIGHT = 50;
const WARM_UP = 300;
const RUNS = 400;
const ROUNDS = 3;

export const throughput: Figure = async (place) => {
  const folder = place.folder('throughput');
  const ours = await openOurs(folder, IN_FLIGHT);
  const bare = openBare();
  const ourRound = (runs: number) =>
    round(runs, IN_FLIGHT, (lane) => ours.run(chainOf(STEPS), ours.nodes[lane] as string));
  const bareRound = (runs: number) => round(runs, IN_FLIGHT, () => bare.run(STEPS));
  try {
    await ourRound(WARM_UP);
    await bareRound(WARM_UP);
    const pairs: [Round, Round][] = [];
    for (let at = 0; at < ROUNDS; at++) pairs.push([await ourRound(RUNS), await bareRound(RUNS)]);
    const our = pairs.map(([round]) => round);
    const other = pairs.map(([, round]) => round);
    return [
      rate('workflows', our),
      rate('bare BullMQ', other),
      ratio('ratio', pairs),
      cpu('workflows', our),
      cpu('bare BullMQ', other),
    ];
  } finally {
    await ours.close();
    await bare.close();
  }
};
