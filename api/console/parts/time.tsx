/** Times, in both zones on hover; durations that advance by themselves. */
import { signal } from '@preact/signals';
import { duration, roughDuration } from '../../client/times.ts';
import { bothTimes, shortTime } from '../data/shown-times.ts';

/** ms since 1970; moves every second. */
export const clock = signal(Date.now());
setInterval(() => {
  clock.value = Date.now();
}, 1_000);

/** @param at ISO 8601 */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <span class="quiet">never</span>;
  return (
    <time dateTime={at} title={bothTimes(Date.parse(at))}>
      {shortTime(Date.parse(at), clock.value)}
    </time>
  );
}

/** `5 min ago`. @param at ISO 8601 */
export function Ago({ at }: { at: string | null }) {
  if (at === null) return <span class="quiet">never</span>;
  return (
    <time dateTime={at} title={bothTimes(Date.parse(at))}>
      {roughDuration(Math.max(0, clock.value - Date.parse(at)))} ago
    </time>
  );
}

/** `in 5 min`, then `now`. @param at ISO 8601 */
export function Until({ at }: { at: string }) {
  const remainingMs = Date.parse(at) - clock.value;
  return (
    <time dateTime={at} title={bothTimes(Date.parse(at))}>
      {remainingMs < 1_000 ? 'now' : `in ${duration(remainingMs)}`}
    </time>
  );
}

/** From one time to another, or until now. @param from ISO 8601 */
export function Took({ from, to }: { from: string | null; to: string | null }) {
  if (from === null) return null;
  const ms = (to === null ? clock.value : Date.parse(to)) - Date.parse(from);
  return <span class="took">{ms < 1_000 ? `${Math.max(0, ms)} ms` : duration(ms)}</span>;
}
