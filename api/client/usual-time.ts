/** The usual times of graphs and tasks, by earlier runs, as people read them. */
import type { GetAnswer } from './requests.ts';
import { duration } from './times.ts';

export type UsualTime = NonNullable<GetAnswer<'/workflows/:id/why'>['waits'][number]['usualMs']>;

/** Below a second, a duration in ms; above, in whole seconds. */
export const preciseDuration = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : duration(Math.round(ms / 1_000) * 1_000);

export function usualTime(usual: UsualTime | null): string {
  if (usual === null) return 'duration unknown';
  const { p50, p90, runs } = usual;
  return `about ${preciseDuration(p50)} (p90 ${preciseDuration(p90)}, ${runs} ${runs === 1 ? 'run' : 'runs'})`;
}

/** The time that is left by earlier runs, such as `about 6 min left`; of a late one, by how much it is late. */
export function remainingText(usual: UsualTime | null, elapsedMs: number): string {
  if (usual === null || usual.p50 <= 0) return '';
  const { p50, p90 } = usual;
  const expected = elapsedMs < p50 ? p50 : p90;
  if (elapsedMs < expected) return `about ${preciseDuration(expected - elapsedMs)} left`;
  return `${(elapsedMs / p50).toFixed(1)} times its usual ${preciseDuration(p50)}`;
}
