/** The options of `npm run simulate`, checked. */
import { parseArgs } from 'node:util';
import { type Mutation, mutations } from './mutations.ts';
import { ROUNDS_PER_HOUR, type SimulationPlan } from './plan.ts';

export interface SimulateOptions {
  plan: SimulationPlan;
  /** New seeds, from that of the plan, until the time is over; absent: that seed alone. */
  minutes?: number;
  /** Path, or `-` for standard output. */
  trace?: string;
  mutation?: Mutation;
}

const MOST_HOURS = 100_000;
const HOURS_PER_SEED = 24;

/** @throws Error with one line that says what was found and expected */
export function simulateOptions(args: readonly string[]): SimulateOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      hours: { type: 'string' },
      rounds: { type: 'string' },
      daemons: { type: 'string', default: '3' },
      'crashes-per-hour': { type: 'string', default: '5' },
      until: { type: 'string' },
      minutes: { type: 'string' },
      trace: { type: 'string' },
      mutation: { type: 'string' },
    },
  });
  const number = (name: string, text: string, least: number, most: number, isWhole = true): number => {
    const value = Number(text);
    const isRight = /^\d+(\.\d+)?$/.test(text) && value >= least && value <= most;
    if (isRight && (!isWhole || Number.isInteger(value))) return value;
    throw new Error(`--${name}: found ${text}, expected a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}`);
  };
  const hours = number('hours', values.hours ?? String(HOURS_PER_SEED), 0.2, MOST_HOURS, false);
  const { mutation } = mutationOf(values.mutation);
  if (values.minutes !== undefined && values.trace !== undefined) {
    throw new Error('--trace: found it with --minutes, expected one seed');
  }
  return {
    plan: {
      seed: values.seed === undefined ? Date.now() % 1_000_000 : number('seed', values.seed, 0, 2 ** 32),
      daemons: number('daemons', values.daemons, 1, 20),
      crashesPerHour: number('crashes-per-hour', values['crashes-per-hour'], 0, 1_000, false),
      fleet: mutation === undefined || mutation.fleet === true,
      rounds: roundsOf(values.rounds, hours),
      ...untilOf(values.until),
    },
    ...(values.minutes !== undefined && { minutes: number('minutes', values.minutes, 0.01, 10_000, false) }),
    ...(values.trace !== undefined && { trace: values.trace }),
    ...(mutation && { mutation }),
  };
}

function roundsOf(text: string | undefined, hours: number): SimulationPlan['rounds'] {
  if (text === undefined) return { from: 0, to: Math.round(hours * ROUNDS_PER_HOUR) };
  const [, from, to] = /^(\d{1,7})-(\d{1,7})$/.exec(text) ?? [];
  if (from === undefined || Number(to) < Number(from)) {
    throw new Error(`--rounds: found ${text}, expected the first and the last round, such as 16-17`);
  }
  return { from: Number(from), to: Number(to) + 1 };
}

function untilOf(text: string | undefined): Pick<SimulationPlan, 'untilStep' | 'untilHour'> {
  if (text === undefined) return {};
  const [, value, hour] = /^(\d{1,12}(?:\.\d+)?)(h?)$/.exec(text) ?? [];
  if (value === undefined) throw new Error(`--until: found ${text}, expected a step or a number of hours, such as 12h`);
  return hour === 'h' ? { untilHour: Number(value) } : { untilStep: Number(value) };
}

function mutationOf(name: string | undefined): { mutation?: Mutation } {
  if (name === undefined) return {};
  const mutation = mutations.find((one) => one.name === name);
  if (mutation !== undefined) return { mutation };
  throw new Error(`--mutation: found ${name}, expected one of ${mutations.map((one) => one.name).join(', ')}`);
}
