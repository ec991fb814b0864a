/** The first times of a window or of a schedule in a calendar. */
import { MOST_TIMES, type PlannedTime } from '../api-port/calendar.ts';

type Times = Pick<PlannedTime, 'from' | 'to'>;

/** @param all in their order, as many as there are */
export function plannedTimes(of: Omit<PlannedTime, keyof Times | 'more'>, all: Iterable<Times>): PlannedTime[] {
  const times: PlannedTime[] = [];
  for (const one of all) {
    const last = times.at(-1);
    if (last !== undefined && times.length === MOST_TIMES) {
      last.more = true;
      break;
    }
    times.push({ ...of, ...one, more: false });
  }
  return times;
}
