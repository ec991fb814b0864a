/** /calendar: when windows are open and schedules are due. */
import { Type } from 'typebox';
import { calendarRecord } from '../../engine/api-port/calendar.ts';
import { time } from '../../engine/api-port/schemas.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';
import { DAY_MS } from '../../engine/vocabulary/units.ts';
import { routesOf } from '../http/route.ts';

const route = routesOf('fleet');

const USUAL_DAYS = 7;
const MOST_DAYS = 31;

const range = Type.Object(
  {
    from: Type.Optional(Type.Unsafe<string>({ ...time, description: 'absent: now' })),
    to: Type.Optional(
      Type.Unsafe<string>({
        ...time,
        description: `at most ${MOST_DAYS} days later; absent: ${USUAL_DAYS} days later`,
      }),
    ),
  },
  { additionalProperties: false },
);

export const calendarRoutes = [
  route({
    id: 'getCalendar',
    summary: 'Get the times at which windows are open and schedules are due, in their order',
    method: 'GET',
    path: '/calendar',
    reach: { by: 'handler' },
    query: range,
    answer: { status: 200, schema: calendarRecord },
    handle: async ({ engine, query, scope }) => {
      const from = query.from === undefined ? Date.now() : Date.parse(query.from);
      const to = query.to === undefined ? from + USUAL_DAYS * DAY_MS : Date.parse(query.to);
      if (to <= from || to - from > MOST_DAYS * DAY_MS)
        throw invalidInput('to', `is ${query.to}; expected a time after \`from\`, at most ${MOST_DAYS} days later`);
      const planned = await Promise.all([
        engine.windows.timesBetween(from, to),
        engine.schedules.timesBetween(from, to, scope?.teams),
      ]);
      const times = planned.flat().toSorted((one, other) => (one.from < other.from ? -1 : 1));
      return { body: { from: new Date(from).toISOString(), to: new Date(to).toISOString(), times } };
    },
  }),
];
