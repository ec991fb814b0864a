/** The times of a window, as commands take them: `mon-fri 22:00-05:00`. */
import { InvalidArgumentError } from 'commander';
import type { NewWindow } from '../../engine/api-port/windows.ts';
import { weekdays } from '../../engine/vocabulary/weekdays.ts';

type Span = NewWindow['spans'][number];

const DAYS: readonly string[] = weekdays;
const SPAN = /^([a-z,-]+)\s+(\d\d:\d\d)-(\d\d:\d\d)$/i;
const EXPECTED = 'Expected days and times such as "mon-fri 22:00-05:00", "sat,sun 08:00-20:00" or "daily 01:00-04:00".';

/** For commander: one value of `--span`, with those before it. */
export function spanOption(text: string, before: readonly Span[] = []): Span[] {
  const [, days, from, to] = SPAN.exec(text.trim()) ?? [];
  if (days === undefined || from === undefined || to === undefined) throw new InvalidArgumentError(EXPECTED);
  return [...before, { days: daysIn(days.toLowerCase()), from, to }];
}

function daysIn(text: string): Span['days'] {
  if (text === 'daily') return [...weekdays];
  const numbers = text.split(',').flatMap((part) => {
    const [first = '', last = first, ...more] = part.split('-');
    const [from, to] = [DAYS.indexOf(first), DAYS.indexOf(last)];
    if (from < 0 || to < 0 || more.length > 0) throw new InvalidArgumentError(EXPECTED);
    return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, n) => (from + n) % 7);
  });
  return weekdays.filter((_, day) => numbers.includes(day));
}
