/** Whether the window is narrow, as a phone's: then rows are cards. The styles have the same width. */
import { type ReadonlySignal, signal } from '@preact/signals';

const query = matchMedia('(width < 44rem)');
const matches = signal(query.matches);
query.addEventListener('change', () => {
  matches.value = query.matches;
});

export const isNarrow: ReadonlySignal<boolean> = matches;
