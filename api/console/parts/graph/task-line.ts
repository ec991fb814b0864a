/** What a drawing says of a task: its state, its attempt, and what it waits for. */
import type { Got } from '../../../client/requests.ts';

export type DrawnTask = Pick<
  Got<'/workflows/:id'>['tasks'][number],
  'label' | 'state' | 'attempts' | 'maxAttempts' | 'waitingOn'
>;

/** Characters that the drawing keeps free for it. */
export const STATE_WIDTH = 26;

/** Such as `waiting 2/3 notification`. */
export function taskLine({ state, attempts, maxAttempts, waitingOn }: DrawnTask): string {
  const attempt = maxAttempts > 1 && attempts > 0 ? ` ${attempts}/${maxAttempts}` : '';
  const wait = waitingOn === null ? '' : ` ${waitingOn}`;
  return `${state}${attempt}${wait}`;
}
