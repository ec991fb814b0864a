/** The commands of users to a rollout: from its state to the next one, or a rejection with the state. Pure. */
import type { RolloutAction } from '../../api-port/rollouts.ts';
import { invalidInput, NodewrightError } from '../../vocabulary/errors.ts';
import { RolloutDraft } from './rollout-draft.ts';
import { afterResume, noFailures } from './rollout-gates.ts';
import { isBlocked, isRolloutOver, noCounts, type RolloutBlock, type RolloutState } from './rollout-state.ts';
import type { RolloutStep } from './rollout-step.ts';

interface Command extends RolloutAction {
  at: string;
  /** The requesting user. */
  by?: string;
}

/** @throws NodewrightError CONFLICT, INVALID */
export function commandRollout(before: RolloutState, { command, ...given }: Command): RolloutStep {
  rejectStrays(command, given);
  const draft = new RolloutDraft(before, given.at);
  commands[command](draft, given);
  return { state: draft.state, effects: draft.effects };
}

/** The pause of a rollout that may not begin yet. */
export function pausedBy(before: RolloutState, kind: RolloutBlock, at: string): RolloutStep {
  const draft = new RolloutDraft(before, at);
  draft.pause({ kind });
  return { state: draft.state, effects: draft.effects };
}

type Apply = (draft: RolloutDraft, command: Omit<Command, 'command'>) => void;

const commands: Record<RolloutAction['command'], Apply> = {
  pause(draft, { by }) {
    if (draft.state.status !== 'running' && !isBlocked(draft.state))
      throw senseless(draft.state, 'pause', 'a running one');
    draft.pause({ kind: 'user', ...(by !== undefined && { by }) });
  },

  resume(draft) {
    const { state } = draft;
    const { kind } = state.reason ?? {};
    if (kind !== 'user' && kind !== 'gate')
      throw senseless(state, 'resume', kind === 'phase' ? 'the command advance' : 'one that a user or a gate paused');
    state.gateCounts = afterResume(state);
    draft.resume();
  },

  advance(draft, { phase }) {
    const { state } = draft;
    if (state.reason?.kind !== 'phase')
      throw senseless(state, 'advance', 'one that waits for it at the end of a phase');
    const next = state.phase + 1;
    if (phase !== undefined && phase !== next)
      throw new NodewrightError('CONFLICT', `the next phase of the rollout ${state.id} is ${next}; found ${phase}`);
    draft.resume();
    draft.beginPhase(next);
  },

  cancel(draft, { cancelRunning = false }) {
    const { state } = draft;
    if (isRolloutOver(state)) throw senseless(state, 'cancel', 'one that has not ended');
    // Again: the workflows that run are cancelled as well.
    state.status = 'cancelled';
    state.reason = null;
    state.isRetrying = false;
    state.cancelRunning ||= cancelRunning;
  },

  'retry-failed'(draft, { acknowledge = false }) {
    const { state } = draft;
    const isOver = isRolloutOver(state);
    if (state.status !== 'paused' && !isOver) throw senseless(state, 'retry-failed', 'a paused one, or one that ended');
    if (state.isRetrying) throw senseless(state, 'retry-failed', 'one that does not retry already');
    if (draft.counts.failed === 0) throw senseless(state, 'retry-failed', 'one with failed targets');
    state.phases.push({
      index: state.phases.length,
      size: 'rest',
      advance: 'auto',
      targets: 0,
      counts: noCounts(),
      startedAt: null,
      finishedAt: null,
      ...(acknowledge && { acknowledge }),
    });
    state.isRetrying = true;
    state.gateCounts = noFailures(state);
    if (!isOver) return;
    state.status = 'running';
    state.cancelRunning = false;
    state.finishedAt = null;
    state.phase = state.phases.length - 1;
    draft.tell('resumed');
  },
};

function rejectStrays(command: RolloutAction['command'], given: Omit<Command, 'command'>): void {
  const fits = { phase: 'advance', cancelRunning: 'cancel', acknowledge: 'retry-failed' } as const;
  for (const [field, owner] of Object.entries(fits))
    if (field in given && command !== owner) throw invalidInput(field, `is for the command ${owner} only`);
}

const senseless = ({ id, status, reason }: RolloutState, command: string, expected: string) =>
  new NodewrightError(
    'CONFLICT',
    `the rollout ${id} is ${status}${reason === null ? '' : ` (${reason.kind})`}; ${command} needs ${expected}`,
  );
