/** A record that is read live: until it has come, while it cannot be read, and when it is old. */
import type { ComponentChildren } from 'preact';
import type { LiveValue } from '../data/live.ts';
import { NoRight } from './no-right.tsx';
import { Problem } from './problem.tsx';

interface ShownProps<T> {
  live: Pick<LiveValue<T>, 'value' | 'problem'>;
  /** Instead of a record that the daemon does not have; absent: its error. */
  missing?: ComponentChildren;
  children: (value: T) => ComponentChildren;
}

export function LiveContent<T>({ live: { value, problem }, missing, children }: ShownProps<T>) {
  const [content, error] = [value.value, problem.value];
  if (error?.status === 404 && missing !== undefined) return <>{missing}</>;
  // If the daemon is unreachable, the banner already says so.
  const isForbidden = error?.status === 403;
  const problemView =
    error === undefined || error.status === 0 ? null : isForbidden ? (
      <NoRight error={error} />
    ) : (
      <Problem error={error} />
    );
  if (content === undefined)
    return (
      problemView ?? <p class="quiet">{error === undefined ? 'Loading' : 'It is read when the daemon answers.'}</p>
    );
  return (
    <>
      {problemView}
      {children(content)}
    </>
  );
}
