/** How long the oracle takes to find a mutation. */
import { performance } from 'node:perf_hooks';
import type { Mutation } from './mutations.ts';
import type { SimulationPlan, Violation } from './plan.ts';
import { simulatorProgram } from './program.ts';
import { startSimulator } from './simulators.ts';

export interface Finding {
  violation: Violation | undefined;
  plan: SimulationPlan;
  /** Real time, without the start of the process. */
  seconds: number;
}

const HOURS = 12;
const ROUNDS = 5 * HOURS;
/** Most faults show when a daemon dies: with five deaths, one of them took six times as many steps to find. */
const CRASHES_PER_HOUR = 25;

/** Simulates seeds until a rule does not hold, or the time is over. */
export async function findMutation(mutation: Mutation, seconds: number): Promise<Finding> {
  const { crashesPerHour = CRASHES_PER_HOUR, fleet = false, seed: first = 1 } = mutation;
  const simulator = await startSimulator(await simulatorProgram(mutation));
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1_000;
  try {
    for (let seed = first; ; seed += 1) {
      const plan = { seed, daemons: 3, crashesPerHour, fleet, rounds: { from: 0, to: ROUNDS } };
      const { violation } = await simulator.run(plan);
      if (violation !== undefined || passed() > seconds) return { violation, plan, seconds: passed() };
    }
  } finally {
    await simulator.close();
  }
}
