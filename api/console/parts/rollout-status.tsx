/** The state of a rollout, with the reason of its pause. */
import { useMemo } from 'preact/hooks';
import { duration } from '../../client/times.ts';
import type { ShownRollout } from '../data/command-reasons.ts';
import { StatePill } from './state-pill.tsx';

const reasonWords: Record<string, string> = {
  user: 'by a user',
  phase: 'after a phase',
  gate: 'by a gate',
  window: 'until its window opens',
  ticket: 'until its ticket is approved',
};

export function RolloutPill({ rollout: { status, reason } }: { rollout: Pick<ShownRollout, 'status' | 'reason'> }) {
  if (reason === null) return <StatePill of={status} />;
  return (
    <StatePill of={reason.kind === 'gate' ? 'failed' : status} text={`paused ${reasonWords[reason.kind] ?? ''}`} />
  );
}

/** `3 of 40`: of a rollout that was cancelled, only those that ran count. */
export function RolloutProgress({ counts }: Pick<ShownRollout, 'counts'>) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const ended = counts.succeeded + counts.failed;
  const without = counts.cancelled + counts.skipped;
  return (
    <>
      <progress aria-label="Ended targets" value={ended} max={Math.max(1, all)} /> {ended} of {all}
      {without > 0 && <span class="quiet">, {without} cancelled or skipped</span>}
      {counts.failed > 0 && <StatePill of="failed" text={`${counts.failed} failed`} />}
    </>
  );
}

/** How long it takes from the time of the estimate, which does not run down while nothing runs. */
export function Estimate({ finishedAt }: { finishedAt: string }) {
  const ms = useMemo(() => Math.max(0, Date.parse(finishedAt) - Date.now()), [finishedAt]);
  return <>about {duration(ms)}</>;
}
