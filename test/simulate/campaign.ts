/** Simulates one seed, or new seeds on all processors until the time is over; shortens the first failure. */
import { availableParallelism } from 'node:os';
import type { SimulateOptions } from './options.ts';
import type { SimulationOutcome, SimulationPlan } from './plan.ts';
import { commandOf, type Failure, shorten } from './shorten.ts';
import { type Simulator, startSimulator } from './simulators.ts';

export interface CampaignPort {
  /** The program of a simulator. */
  path: string;
  tell(line: string): void;
  tellSpeed(line: string): void;
}

const MINUTE_MS = 60_000;
/** Each leaves some memory behind. */
const SEEDS_PER_PROCESS = 4;
const HOUR_MINUTES = 60;

/** @returns whether every rule held */
export async function campaign(options: SimulateOptions, port: CampaignPort): Promise<boolean> {
  const { plan, minutes, trace, mutation } = options;
  const count = minutes === undefined ? 1 : availableParallelism();
  const simulators = await Promise.all(Array.from({ length: count }, () => startSimulator(port.path)));
  const totals = new Totals();
  try {
    const failure =
      minutes === undefined
        ? await one(simulators, plan, trace, totals, port)
        : await many(simulators, plan, minutes * MINUTE_MS, totals, port);
    port.tellSpeed(totals.speed());
    if (failure === undefined) return true;
    const shortest = await shorten(failure, simulators[0] as Simulator);
    const { rule, step, found } = shortest.violation;
    port.tell(`seed ${shortest.plan.seed} fails at step ${step}: ${rule}: ${found}`);
    port.tell(commandOf(shortest, mutation?.name));
    return false;
  } finally {
    await Promise.all(simulators.map((simulator) => simulator.close()));
  }
}

async function one(
  [simulator]: readonly Simulator[],
  plan: SimulationPlan,
  trace: string | undefined,
  totals: Totals,
  { tell }: CampaignPort,
): Promise<Failure | undefined> {
  const outcome = await (simulator as Simulator).run(plan, trace);
  totals.add(outcome);
  tell(lineOf(plan, outcome));
  return outcome.violation && { plan, violation: outcome.violation };
}

async function many(
  simulators: Simulator[],
  first: SimulationPlan,
  ms: number,
  totals: Totals,
  { path, tell }: CampaignPort,
): Promise<Failure | undefined> {
  const end = performance.now() + ms;
  let failure: Failure | undefined;
  let next = first.seed;
  const work = async (_: Simulator, place: number) => {
    for (let count = 0; failure === undefined && performance.now() < end; count += 1) {
      if (count > 0 && count % SEEDS_PER_PROCESS === 0) {
        await simulators[place]?.close();
        simulators[place] = await startSimulator(path);
      }
      const plan = { ...first, seed: next };
      next += 1;
      const outcome = await (simulators[place] as Simulator).run(plan);
      totals.add(outcome);
      tell(lineOf(plan, outcome));
      if (outcome.violation) failure ??= { plan, violation: outcome.violation };
    }
  };
  await Promise.all(simulators.map(work));
  return failure;
}

function lineOf({ seed }: SimulationPlan, outcome: SimulationOutcome): string {
  const { hours, crashes, launches, steps, digest, violation } = outcome;
  const end = violation === undefined ? 'every rule held' : `${violation.rule} did not hold`;
  const done = `${hours.toFixed(1)} h, ${crashes} crashes, ${launches} launches, ${steps} steps`;
  return `seed ${seed}: ${end}; ${done}; trace ${digest.slice(0, 16)}`;
}

class Totals {
  readonly #began = performance.now();
  #hours = 0;
  #crashes = 0;

  add({ hours, crashes }: SimulationOutcome): void {
    this.#hours += hours;
    this.#crashes += crashes;
  }

  speed(): string {
    const minutes = (performance.now() - this.#began) / MINUTE_MS;
    const [hours, crashes] = [this.#hours / minutes, this.#crashes / minutes].map(Math.round);
    return `${(minutes * HOUR_MINUTES).toFixed(1)} s: ${hours} hours and ${crashes} crashes per minute`;
  }
}
