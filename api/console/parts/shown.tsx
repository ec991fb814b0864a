/** A record that is read live: until it has come, while it cannot be read, and when it is old. */
import type { ComponentChildren } from 'preact';
import type { LiveValue } from '../data/live.ts';
import { Problem } from './problem.tsx';

interface ShownProps<T> {
  live: LiveValue<T>;
  children: (value: T) => ComponentChildren;
}

export function LiveContent<T>({ live: { value, problem }, children }: ShownProps<T>) {
  const [found, error] = [value.value, problem.value];
  // If the daemon is unreachable, the banner already says so.
  const shown = error !== undefined && error.status !== 0 ? <Problem error={error} /> : null;
  if (found === undefined) return shown ?? <p class="quiet">Loading</p>;
  return (
    <>
      {shown}
      {children(found)}
    </>
  );
}
