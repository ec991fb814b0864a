/** The moves so far, and the ways to take the run elsewhere. */
import { saveFile } from '../../data/save-file.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyableText } from '../../parts/copyable.tsx';
import { moveText, nwCommand } from './move-words.ts';
import { MOST_MOVES, type PlayableRun } from './simulated-run.ts';

interface MoveListProps {
  run: PlayableRun;
  undo: () => void;
  restart: () => void;
}

export function MoveList({ run, undo, restart }: MoveListProps) {
  const { graph, moves, ...more } = run;
  const command = nwCommand(graph, moves);
  const save = () => saveFile(`${graph}-moves.json`, JSON.stringify({ ...more, moves }, null, 2));
  return (
    <>
      <h2>Moves</h2>
      {moves.length === 0 && <p class="quiet">None yet.</p>}
      <ol class="moves">
        {moves.map((move, at) => (
          <li key={at}>{moveText(move)}</li>
        ))}
      </ol>
      {moves.length >= MOST_MOVES && <p class="quiet">A run has at most {MOST_MOVES} moves.</p>}
      <div class="actions">
        <button type="button" disabled={moves.length === 0} onClick={undo}>
          Undo
        </button>
        <button type="button" disabled={moves.length === 0} onClick={restart}>
          Start again
        </button>
        <ActionButton run={() => navigator.clipboard.writeText(location.href)}>Copy the link</ActionButton>
        <button type="button" onClick={save}>
          Save the moves
        </button>
      </div>
      {command !== undefined && moves.length > 0 && (
        <p>
          On a terminal: <CopyableText text={command} short={200} />
        </p>
      )}
    </>
  );
}
