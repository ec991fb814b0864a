/** Makes a failure short: fewer rounds and fewer daemons that break the same rule. */
import type { SimulationPlan, Violation } from './plan.ts';
import type { Simulator } from './simulators.ts';

export interface Failure {
  plan: SimulationPlan;
  violation: Violation;
}

/** Rounds before the one that failed. */
const BEFORE = [0, 1, 4];

/** @returns the shortest that was found, or the given one */
export async function shorten(failure: Failure, simulator: Pick<Simulator, 'run'>): Promise<Failure> {
  let shortest = failure;
  const fails = async (plan: SimulationPlan): Promise<boolean> => {
    const { violation } = await simulator.run(plan);
    if (violation?.rule !== failure.violation.rule) return false;
    shortest = { plan, violation };
    return true;
  };
  const { round } = failure.violation;
  for (const before of BEFORE) {
    const from = Math.max(failure.plan.rounds.from, round - before);
    if (await fails({ ...failure.plan, rounds: { from, to: round + 1 } })) break;
  }
  for (let daemons = 1; daemons < failure.plan.daemons; daemons += 1) {
    if (await fails({ ...shortest.plan, daemons })) break;
  }
  return shortest;
}

/** The command that repeats it. */
export function commandOf({ plan, violation }: Failure, mutation?: string): string {
  const { seed, rounds, daemons, crashesPerHour } = plan;
  const words = [
    `--seed ${seed}`,
    `--rounds ${rounds.from}-${Math.min(rounds.to, violation.round + 1) - 1}`,
    `--daemons ${daemons}`,
    `--crashes-per-hour ${crashesPerHour}`,
    ...(mutation === undefined ? [] : [`--mutation ${mutation}`]),
    `--until ${violation.step}`,
  ];
  return `npm run simulate -- ${words.join(' ')}`;
}
