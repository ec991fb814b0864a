/** Seven days of a calendar: when changes may begin, and what begins by itself. */
import { useLocation } from 'preact-iso';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { dateTime, timeOfField } from '../../data/shown-times.ts';
import { inShort } from '../../parts/in-short.ts';
import { GraphLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { type CalendarLine, dayLater, linesOfDay } from './calendar-days.ts';

const DAYS = 7;
const dayForm = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

export function CalendarWeek() {
  const { query } = useLocation();
  const today = dateTime(Date.now()).slice(0, 10);
  const first = timeOfField(`${query.from}T00:00`) === undefined ? today : (query.from ?? today);
  const [from = '', to = ''] = [first, dayLater(first, DAYS)].map((day) => timeOfField(`${day}T00:00`) ?? '');
  const live = useLive(
    `calendar ${from} ${to}`,
    () => client.get('/calendar', { query: { from, to } }),
    ({ type }) => type === 'schedule',
  );
  const days = Array.from({ length: DAYS }, (_, n) => dayLater(first, n));
  return (
    <>
      <nav class="actions" aria-label="Weeks">
        <WeekLink day={dayLater(first, -DAYS)}>Week before</WeekLink>
        <WeekLink day={today}>From today</WeekLink>
        <WeekLink day={dayLater(first, DAYS)}>Week after</WeekLink>
      </nav>
      <LiveContent live={live}>
        {({ body }) => (
          <ol class="calendar">
            {days.map((day) => (
              <li key={day} aria-current={day === today ? 'date' : undefined}>
                <h2>{dayForm.format(Date.parse(day))}</h2>
                <DayLines lines={linesOfDay(body.times, day, dateTime)} />
              </li>
            ))}
          </ol>
        )}
      </LiveContent>
    </>
  );
}

const WeekLink = ({ day, children }: { day: string; children: string }) => (
  <a class="button" href={`/ui/rollouts?${new URLSearchParams({ tab: 'calendar', from: day })}`}>
    {children}
  </a>
);

function DayLines({ lines }: { lines: readonly CalendarLine[] }) {
  if (lines.length === 0) return <p class="quiet">Nothing is planned.</p>;
  return (
    <ul>
      {lines.map(({ key, kind, name, graph, times }) => (
        <li key={key} class={kind}>
          <strong>{times}</strong> {inShort(name)}
          {kind === 'window' ? ' is open' : null}
          {graph !== null && (
            <>
              : <GraphLink name={graph} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
