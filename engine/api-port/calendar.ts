/** The port of the API to the calendar: the times at which windows are open and schedules are due. */
import { type Static, Type } from 'typebox';
import { orNull, time, words } from './schemas.ts';

const plannedTime = Type.Object(
  {
    kind: words(['window', 'schedule'] as const),
    id: Type.String({ description: 'of the window or of the schedule' }),
    name: Type.String(),
    from: Type.Unsafe<string>({ ...time, description: 'it opens, or is due' }),
    to: orNull(Type.Unsafe<string>({ ...time, description: 'it closes; null: it does not, or it is a schedule' })),
    graph: orNull(Type.String({ description: 'that the schedule starts' })),
    more: Type.Boolean({ description: 'further times of it are left out' }),
  },
  { title: 'PlannedTime' },
);

export const calendarRecord = Type.Object(
  { from: time, to: time, times: Type.Array(plannedTime, { description: 'in their order' }) },
  { title: 'Calendar' },
);

export type PlannedTime = Static<typeof plannedTime>;

/** Windows, or schedules. */
export interface Calendar {
  /** @param from in ms since 1970 @param to after it @param teams of the schedules; absent: all @returns of each at most 200 times */
  timesBetween(from: number, to: number, teams?: readonly string[]): Promise<PlannedTime[]>;
}

/** Times of one window, or of one schedule. */
export const MOST_TIMES = 200;
