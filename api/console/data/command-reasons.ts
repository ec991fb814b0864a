/** Which commands a rollout takes now, and why it does not take the others. */
import type { GetAnswer } from '../../client/requests.ts';

export type ShownRollout = GetAnswer<'/rollouts/:id'>;
type RolloutState = Pick<ShownRollout, 'status' | 'reason' | 'counts'>;

/** Each is undefined if it is taken. */
export interface CommandReasons {
  pause: string | undefined;
  resume: string | undefined;
  advance: string | undefined;
  cancel: string | undefined;
  retryFailed: string | undefined;
}

/** The reasons that end by themselves. */
const untilThen: Partial<Record<string, string>> = {
  window: 'It continues when its window opens.',
  ticket: 'It begins when its ticket is approved.',
  phase: 'A phase has ended: advance it.',
};

export function commandReasons({ status, reason, counts }: RolloutState): CommandReasons {
  const hasEnded = status !== 'running' && status !== 'paused';
  const ended = hasEnded ? 'The rollout has ended.' : undefined;
  const running = status === 'running' ? 'The rollout is running.' : undefined;
  return {
    pause: ended ?? (status === 'paused' ? 'The rollout is paused.' : undefined),
    resume: ended ?? running ?? untilThen[reason?.kind ?? ''],
    advance: ended ?? running ?? (reason?.kind === 'phase' ? undefined : 'No phase waits for you.'),
    cancel: ended,
    retryFailed: running ?? (counts.failed === 0 ? 'No target has failed.' : undefined),
  };
}
