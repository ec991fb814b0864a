/** Fields that a narrow window folds, so that what they select is in view. */
import type { ComponentChildren } from 'preact';
import { isNarrow } from './narrow.ts';

/** @param used how many of them have a value */
export function MoreFields({ used, children }: { used: number; children: ComponentChildren }) {
  if (!isNarrow.value) return children;
  return (
    <details class="more-fields">
      <summary>Filters{used > 0 && ` (${used})`}</summary>
      <div>{children}</div>
    </details>
  );
}
