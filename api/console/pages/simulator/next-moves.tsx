/** The next possible moves: ends of open calls, notifications, time, cancel, a crash of the daemon. */
import { useEffect, useRef } from 'preact/hooks';
import type { PlayMove } from '../../../../engine/api-port/index.ts';
import { OpenCall } from './open-call.tsx';
import { TimeMoves } from './time-moves.tsx';
import type { PlayedRun } from './use-played.ts';

interface NextMovesProps {
  found: PlayedRun;
  /** A label that is chosen in the drawing. */
  selected: string | undefined;
  add: (moves: readonly PlayMove[]) => void;
}

const isActive = ({ status }: PlayedRun): boolean => ['running', 'pending', 'paused'].includes(status);
const isCall = ({ kind }: { kind: string }): boolean => kind !== 'notification' && kind !== 'release';

export function NextMoves({ found, selected, add }: NextMovesProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The button of the last move is gone, and the focus with it.
  useEffect(() => {
    if (found.made > 0 && document.activeElement === document.body) heading.current?.focus();
  }, [found]);
  if (!isActive(found)) {
    return (
      <>
        <h2 ref={heading} tabIndex={-1}>
          The end
        </h2>
        <p>The workflow has ended as {found.status}. Undo a move to go another way.</p>
      </>
    );
  }
  const calls = found.open.filter(isCall);
  const waits = found.open.filter(({ kind }) => kind === 'notification').length;
  const first = found.open.toSorted((one, other) => Number(other.label === selected) - Number(one.label === selected));
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        Next
      </h2>
      {first.map((open) => (
        <OpenCall
          key={`${open.label} ${open.kind} ${open.attempt} ${found.made}`}
          open={open}
          isSelected={open.label === selected}
          isOnlyWait={waits === 1}
          add={(move) => add([move])}
        />
      ))}
      {found.open.length === 0 && <p class="quiet">No call is open: time has to pass.</p>}
      <TimeMoves found={found} pass={(ms) => add([{ do: 'advance', ms }])} />
      <div class="actions">
        {calls.length > 1 && (
          <button type="button" onClick={() => add(calls.map(({ label }) => ({ do: 'end', label })))}>
            All {calls.length} calls succeed
          </button>
        )}
        <button type="button" onClick={() => add([{ do: 'cancel' }])}>
          Cancel the workflow
        </button>
        <button type="button" onClick={() => add([{ do: 'crash' }])}>
          Crash the daemon
        </button>
      </div>
    </>
  );
}
