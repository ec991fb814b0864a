/** The rules of a story, which no fault excuses. */
import type { Task } from '../../engine/library/types.ts';
import { countText } from '../../engine/vocabulary/count-texts.ts';
import { isActive } from '../../engine/vocabulary/states.ts';
import type { Story, StoryEffect } from './story-record.ts';

interface JudgedStory extends Pick<Story, 'status' | 'ledger'> {
  runs: readonly JudgedRun[];
  /** The reasons for which it has not ended. */
  waits: readonly string[];
  elapsed: string;
}

interface JudgedRun {
  /** undefined: unknown. */
  task: Task | undefined;
  states: ReadonlySet<string>;
}

export function storyViolations({ status, ledger, runs, waits, elapsed }: JudgedStory): string[] {
  const violations: string[] = [];
  if (isActive(status))
    violations.push(`it has not ended in ${elapsed}: ${waits.join('; ') || 'it waits for nothing'}`);
  const hasActed = runs.some(({ task, states }) => states.has('succeeded') && isForMachine(task));
  if (status === 'succeeded' && hasActed && ledger.length === 0)
    violations.push('it succeeded, and nothing was done to the machine');
  const once = runs.filter(({ task }) => task?.recovery === 'once').map(({ task }) => task as Task);
  const limits = [
    { isOf: isPower, runs: once.filter(({ destructive }) => !destructive).length },
    { isOf: isWork, runs: once.filter(({ power }) => power === undefined).length },
  ];
  for (const { isOf, runs: limit } of limits) {
    for (const [what, times] of effectTimes(ledger, isOf))
      if (times > limit)
        violations.push(
          `${what} was done ${countText(times, 'time')} by ${countText(limit, 'run')} of tasks that act once`,
        );
  }
  return violations;
}

const isForMachine = (task: Task | undefined): boolean =>
  task?.recovery === 'once' && (task.destructive || task.power !== undefined);

/** Commands to the BMC, which are carried out when they are accepted. */
const isPower = ({ kind, by }: StoryEffect): boolean =>
  kind === 'power' && !['agent', 'installer', 'twin', 'firmware'].includes(by);
/** Work that takes time. An installer acts by itself. */
const isWork = ({ kind, by }: StoryEffect): boolean =>
  ['erase', 'install', 'update', 'volume'].includes(kind) && by !== 'installer';

/** The number of times that each was done. Work that a boot or a failure has ended may begin again. */
function effectTimes(ledger: readonly StoryEffect[], isOf: (effect: StoryEffect) => boolean): Map<string, number> {
  const times = new Map<string, number>();
  for (const effect of ledger.filter(isOf)) {
    const { kind, what, outcome } = effect;
    const isDone = outcome === 'done' && (kind === 'power' || kind === 'volume');
    const begins = isDone || (kind !== 'power' && outcome === 'begun');
    const ends = kind !== 'power' && ['lost', 'failed', 'stopped'].includes(outcome);
    times.set(what, (times.get(what) ?? 0) + (begins ? 1 : 0) - (ends ? 1 : 0));
  }
  return times;
}
