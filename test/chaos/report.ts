/** The report of a campaign: a readable summary, the evidence of violations, and one line of JSON. */
import type { Outcome, Plan } from './campaign.ts';

export function summary({ seed }: Plan, { scene, fate, life, rollouts, seconds }: Outcome): string[] {
  const { client, findings, events, once, again } = scene;
  const { lost, doubled, events: missing, ...others } = findings.counts;
  const recoveries = [...fate.recoveries].sort((a, b) => a - b);
  const told = {
    seed,
    seconds: Math.round(seconds),
    kills: fate.count,
    ...fate.kills,
    workflows: life.known.size,
    ...life.ended,
    rollouts: rollouts.ended,
    steps: life.steps,
    activities: once.lines + again.lines,
    lost,
    doubled,
    eventsMissing: missing,
    ...others,
    events: events.count,
    answers: client.answers,
    slowestAnswerMs: Math.round(client.slowestMs),
    medianRecoveryMs: Math.round(recoveries[recoveries.length >> 1] ?? 0),
    longestRecoveryMs: Math.round(recoveries.at(-1) ?? 0),
    longestStandstillMs: events.longestMs,
  };
  return [
    ...findings.lines,
    `recovery: from SIGKILL until the daemon listens again; slowest answer: ${client.slowest}`,
    `standstill: between two events of a workflow that waits for no input; longest: ${events.longest}`,
    `${fate.count} kills, ${life.known.size} workflows: ${findings.total === 0 ? 'all held' : `${findings.total} wrong`}`,
    JSON.stringify(told),
  ];
}
