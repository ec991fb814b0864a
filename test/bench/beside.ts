/** Workflows of an engine in this process, and the same number of jobs of bare BullMQ, in alternation. */
import type { Bare } from './bare.ts';
import type { Goal, Line } from './figure.ts';
import { chainOf, type Ours } from './ours.ts';
import { type Clocks, cpu, ownCpuSec, rate, ratio, rounds, STEPS } from './rounds.ts';

const ENGINE = 'engine';

/** @param services the CPU time of those that the engine uses */
export async function besideBare(ours: Ours, bare: Bare, services: Clocks, goals: Goals): Promise<Line[]> {
  const clocks = { [ENGINE]: ownCpuSec, ...services };
  const { workflows, jobs } = await rounds({
    workflows: { run: (lane) => ours.run(chainOf(STEPS), ours.nodes[lane] as string), clocks },
    jobs: { run: () => bare.run(STEPS), clocks },
  });
  const each = Object.keys(services);
  return [
    rate('workflows', workflows),
    rate('bare BullMQ', jobs),
    ratio('throughput beside bare BullMQ', [workflows, jobs], ({ stepsPerSec }) => stepsPerSec, goals.throughput),
    cpu('engine', workflows, [ENGINE]),
    cpu("bare BullMQ's process", jobs, [ENGINE]),
    ...each.map((name) => cpu(name, workflows, [name])),
    ...(goals.engineCpu
      ? [
          ratio(
            'engine CPU beside bare BullMQ',
            [workflows, jobs],
            ({ cpuSec }) => cpuSec[ENGINE] ?? Number.NaN,
            goals.engineCpu,
          ),
        ]
      : []),
    ...(goals.allCpu ? [cpu([ENGINE, ...each].join(' + '), workflows, [ENGINE, ...each], goals.allCpu)] : []),
  ];
}

export interface Goals {
  throughput: Goal;
  engineCpu?: Goal;
  /** Seconds for 1,000 steps. */
  allCpu?: Goal;
}
