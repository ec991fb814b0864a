/** The days of a calendar, each with the windows that are open and the schedules that are due. */
import type { GetAnswer } from '../../../client/requests.ts';

type PlannedTime = GetAnswer<'/calendar'>['times'][number];

export interface CalendarLine {
  key: string;
  kind: PlannedTime['kind'];
  name: string;
  graph: string | null;
  /** Such as `22:00 – 05:00`. */
  times: string;
}

/** @param day such as `2026-05-03` */
export const dayLater = (day: string, days: number): string => {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, DATE);
};

const DATE = 10;
/** Due times of a schedule that one day names. */
const NAMED = 3;

/** @param local returns a moment as `2026-05-03 14:30:00` on the clock of the reader */
export function linesOfDay(
  planned: readonly PlannedTime[],
  day: string,
  local: (at: number) => string,
): CalendarLine[] {
  const lines: CalendarLine[] = [];
  const dues = new Map<string, { first: PlannedTime; times: string[] }>();
  for (const one of planned) {
    const { kind, id, name, graph } = one;
    const times = kind === 'window' ? openTimes(one, day, local) : undefined;
    if (times !== undefined) lines.push({ key: `${id} ${one.from}`, kind, name, graph, times });
    if (kind === 'window' || local(Date.parse(one.from)).slice(0, DATE) !== day) continue;
    const due = dues.get(id) ?? { first: one, times: [] };
    due.times.push(clockIn(local(Date.parse(one.from))) + (one.more ? ' and later' : ''));
    dues.set(id, due);
  }
  for (const [id, { first, times }] of dues)
    lines.push({ key: id, kind: 'schedule', name: first.name, graph: first.graph, times: dueTimes(times) });
  return lines;
}

const clockIn = (local: string): string => local.slice(DATE + 1, DATE + 6);

/** @returns undefined: it is closed all day */
function openTimes({ from, to }: PlannedTime, day: string, local: (at: number) => string): string | undefined {
  const begin = local(Date.parse(from));
  // The moment before, because an opening that ends at midnight is not one of the next day.
  const end = to === null ? undefined : local(Date.parse(to) - 1);
  const [firstDay, lastDay] = [begin.slice(0, DATE), end?.slice(0, DATE) ?? '9999'];
  if (day < firstDay || day > lastDay) return undefined;
  const closing = to === null ? '' : clockIn(local(Date.parse(to))).replace('00:00', '24:00');
  if (day === firstDay && day === lastDay) return `${clockIn(begin)} – ${closing}`;
  if (day === firstDay) return `from ${clockIn(begin)}`;
  return day === lastDay ? `until ${closing}` : 'all day';
}

const dueTimes = (times: readonly string[]): string =>
  times.length <= NAMED
    ? times.join(', ')
    : `${times.slice(0, NAMED - 1).join(', ')} … ${times.at(-1)}, ${times.length} times`;
