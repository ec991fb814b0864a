/** The live line of a task in a drawing: its state, its attempt, and the reason of its wait. */
import type { GetAnswer } from '../../../client/requests.ts';

export type DrawnTask = Pick<
  GetAnswer<'/workflows/:id'>['tasks'][number],
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
