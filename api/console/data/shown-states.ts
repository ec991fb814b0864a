/** The tone of each state that a record may have, and its word where that is not the state itself. */

/** As in `tokens.css`. */
export type Tone = 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled' | 'held';

const tones: Record<Tone, readonly string[]> = {
  running: ['running', 'busy', 'connecting'],
  waiting: ['waiting', 'warning', 'requested', 'missed', 'polling', 'differs'],
  succeeded: ['succeeded', 'ok', 'alive', 'delivered', 'approved', 'open', 'live', 'on', 'matches', 'passed'],
  failed: ['failed', 'timeout', 'critical', 'completed_with_failures', 'stopped', 'silent', 'away'],
  cancelled: [
    'cancelled',
    'skipped',
    'pending',
    'unknown',
    'free',
    'information',
    'rejected',
    'withdrawn',
    'expired',
    'off',
  ],
  held: ['paused', 'held'],
};

const toneByState = new Map(
  (Object.entries(tones) as [Tone, readonly string[]][]).flatMap(([tone, states]) =>
    states.map((state): [string, Tone] => [state, tone]),
  ),
);

/** Each that has a tone. */
export const allStates: readonly string[] = [...toneByState.keys()];

export const toneOf = (state: string): Tone => toneByState.get(state) ?? 'cancelled';

const words: Record<string, string> = { timeout: 'timed out', completed_with_failures: 'completed with failures' };

export const wordOf = (state: string): string => words[state] ?? state;

export interface WorkflowState {
  status: string;
  paused: unknown;
  waiting: unknown;
}

/** A workflow that is paused, or that waits, does not run. */
export function stateNow({ status, paused, waiting }: WorkflowState): string {
  if (status !== 'running' && status !== 'pending') return status;
  return paused !== null ? 'paused' : waiting !== null ? 'waiting' : status;
}
