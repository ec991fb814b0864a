/**
 * The step of a schedule, which is pure: it decides the outcome of each time that is due.
 *
 * 1. A time before the process began is missed: nothing ran, as far as it can know. Of all missed times the newest is run, if the
 *    schedule says so.
 * 2. Only the newest missed times are listed one by one; one run represents those before.
 * 3. One run is active at a time. A time that is due in the meantime is skipped, or waits in the queue.
 */
import type { ScheduleRun } from '../../api-port/schedules.ts';
import { dueAfter, dueUntil } from './due-times.ts';
import { hasEffects, type ScheduleEffects, type StoredSchedule } from './stored-schedule.ts';

export interface ScheduleInput {
  /** ms since 1970. */
  at: number;
  /** The time from which this process knows that no time was missed, in ms since 1970. */
  since: number;
  /** Whether the current run of the schedule has not ended. */
  isActive: boolean;
}

/** Times listed one by one in a step, and times in a queue. */
export const QUEUE_LIMIT = 1_000;

type StepResult = Pick<StoredSchedule, 'nextAt' | 'queue' | 'current' | 'effects' | 'lookAt'>;

const iso = (at: number): string => new Date(at).toISOString();

/** @param schedule without effects of an earlier step */
export function stepSchedule(schedule: StoredSchedule, { at, since, isActive }: ScheduleInput): StepResult {
  const { overlap, paused } = schedule;
  const current = isActive ? schedule.current : null;
  const queue = [...schedule.queue];
  const { times, earlier } = dueTimes(schedule, at);
  const newest = schedule.missed === 'run' ? times.findLast((due) => due < since) : undefined;
  const effects: ScheduleEffects = { runs: earlier, start: null };
  for (const due of times) {
    const time = iso(due);
    if (due < since && due !== newest)
      effects.runs.push({ at: time, status: 'missed', reason: 'no daemon ran at this time' });
    else if (current === null && queue.length === 0 && effects.start === null) effects.start = time;
    else effects.runs.push(overlap === 'skip' ? skippedRun(time, OVERLAP) : queueTime(queue, time));
  }
  if (!paused && current === null) effects.start ??= queue.shift() ?? null;
  const nextAt = schedule.nextAt === null ? null : nextDue(schedule, at);
  return { nextAt, queue, current, effects, lookAt: lookAt({ paused, nextAt, queue, effects }, at) };
}

export const OVERLAP = 'the run before has not ended';

const skippedRun = (at: string, reason: string): ScheduleRun => ({ at, status: 'skipped', reason });

/** Adds a time to the queue, if it has room. */
export function queueTime(queue: string[], at: string): ScheduleRun {
  if (queue.length >= QUEUE_LIMIT) return skippedRun(at, `${QUEUE_LIMIT} times are in the queue`);
  queue.push(at);
  return { at, status: 'queued' };
}

/** Returns the due time after a moment, unless the schedule is over by then. @param at ms since 1970 */
export function nextDue({ when, until }: Pick<StoredSchedule, 'when' | 'until'>, at: number): string | null {
  const due = dueAfter(when, at);
  return due === undefined || (until !== null && due > Date.parse(until)) ? null : iso(due);
}

/** Yields the due times from a moment to another, in ms since 1970, which is not included. */
export function* duesBetween(schedule: Pick<StoredSchedule, 'when' | 'until'>, from: number, to: number) {
  for (
    let due = nextDue(schedule, from - 1);
    due !== null && Date.parse(due) < to;
    due = nextDue(schedule, Date.parse(due))
  )
    yield { from: due, to: null };
}

/** A queue is looked at in each pass: the end of a run is no event of its schedule. */
export function lookAt(
  { paused, nextAt, queue, effects }: Pick<StoredSchedule, 'paused' | 'nextAt' | 'queue' | 'effects'>,
  at: number,
): string | null {
  return hasEffects(effects) || (queue.length > 0 && !paused) ? iso(at) : nextAt;
}

/** @returns `times` oldest first, and the run that represents those before them */
function dueTimes(schedule: StoredSchedule, at: number): { times: number[]; earlier: ScheduleRun[] } {
  const { nextAt, when, until } = schedule;
  const times: number[] = [];
  if (nextAt === null || Date.parse(nextAt) > at) return { times, earlier: [] };
  const last = until === null ? at : Math.min(at, Date.parse(until));
  for (const due of dueUntil(when, last)) {
    if (due < Date.parse(nextAt)) break;
    if (times.length === QUEUE_LIMIT)
      return {
        times: times.reverse(),
        earlier: [{ at: nextAt, upTo: iso(due), status: 'missed', reason: 'too many were missed to list each' }],
      };
    times.push(due);
  }
  return { times: times.reverse(), earlier: [] };
}
