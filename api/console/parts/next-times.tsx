/** The next times of what the form around it describes: the daemon computes them while it is filled in. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { browserZone, timeIn } from '../data/zone-times.ts';
import { Problem } from './problem.tsx';

interface NextTime {
  /** ISO 8601. */
  from: string;
  /** null: it does not end; absent: it is a moment. */
  to?: string | null;
}

interface NextTimesProps {
  /** @returns undefined: the form does not say enough yet */
  ask: (form: FormData) => Promise<readonly NextTime[]> | undefined;
  /** The zone of the form's times. */
  zoneIn: (form: FormData) => string;
}

interface Answer {
  zone: string;
  times: readonly NextTime[];
}

/** ms after the last change. */
const QUIET_MS = 400;
const CHANGES = ['input', 'change', 'click'] as const;

export function NextTimes({ ask, zoneIn }: NextTimesProps) {
  const section = useRef<HTMLElement>(null);
  const answer = useSignal<Answer | undefined>(undefined);
  const problem = useSignal<unknown>(undefined);
  useEffect(() => {
    const form = section.current?.closest('form');
    if (!form) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let questions = 0;
    const look = async () => {
      const entered = new FormData(form);
      questions += 1;
      const number = questions;
      const isNewest = () => number === questions && section.current !== null;
      try {
        const times = await ask(entered);
        if (isNewest()) [answer.value, problem.value] = [times && { zone: zoneIn(entered), times }, undefined];
      } catch (error) {
        if (isNewest()) [answer.value, problem.value] = [undefined, error];
      }
    };
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void look(), QUIET_MS);
    };
    for (const change of CHANGES) form.addEventListener(change, soon);
    soon();
    return () => {
      clearTimeout(timer);
      for (const change of CHANGES) form.removeEventListener(change, soon);
    };
  }, []);
  return (
    <section ref={section} aria-label="Next times">
      <h3>Next times</h3>
      <Problem error={problem.value} />
      {answer.value === undefined ? (
        problem.value === undefined && <p class="quiet">The times are not complete yet.</p>
      ) : (
        <TimeList {...answer.value} />
      )}
    </section>
  );
}

function TimeList({ zone, times }: Answer) {
  const zones = [...new Set([zone, browserZone()])];
  if (times.length === 0) return <p class="quiet">None follows.</p>;
  return (
    <ul>
      {times.map((time) => (
        <li key={time.from}>{zones.map((each) => `${rangeText(time, each)} ${each}`).join(', which is ')}</li>
      ))}
    </ul>
  );
}

/** The length of `22:00`. */
const CLOCK = 5;

/** The date of the end only if it is another one. */
function rangeText({ from, to }: NextTime, zone: string): string {
  const begin = timeIn(from, zone);
  if (to === undefined) return begin;
  if (to === null) return `${begin}, without an end`;
  const end = timeIn(to, zone);
  return `${begin} – ${end.slice(0, -CLOCK) === begin.slice(0, -CLOCK) ? end.slice(-CLOCK) : end}`;
}
