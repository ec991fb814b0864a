/** A run after its moves: where it is, and what can happen next. */
import { useSignal } from '@preact/signals';
import type { PlayMove } from '../../../../engine/api-port/index.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { ErrorText } from '../../parts/error-text.tsx';
import { GraphDrawing, type PickedItem } from '../../parts/graph/graph-drawing.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { MoveList } from './move-list.tsx';
import { moveText, spanText } from './move-words.ts';
import { NextMoves } from './next-moves.tsx';
import { RunRecord } from './run-record.tsx';
import { MOST_MOVES, type PlayableRun } from './simulated-run.ts';
import { type PlayedRun, usePlayed } from './use-played.ts';

interface RunViewProps {
  run: PlayableRun;
  change: (moves: readonly PlayMove[]) => void;
}

export function RunView({ run, change }: RunViewProps) {
  const { graph, ...body } = run;
  const params = { name: graph };
  const selected = useSignal<string | undefined>(undefined);
  const key = JSON.stringify([graph, run.node, run.options]);
  const played = usePlayed(run);
  const machine = useLive(
    `machine ${graph}`,
    async () => (await client.get('/workflows/graphs/:name/machine', { params })).body,
  );
  const pick = (picked: PickedItem) => {
    selected.value = picked.kind === 'label' ? picked.label : undefined;
  };
  const moveList = <MoveList run={run} undo={() => change(body.moves.slice(0, -1))} restart={() => change([])} />;
  // Without an answer the moves stay, so that the last one can be undone.
  if (played.value.value === undefined) {
    return (
      <>
        <LiveContent live={played}>{() => null}</LiveContent>
        {body.moves.length > 0 && moveList}
      </>
    );
  }
  return (
    <LiveContent live={played}>
      {(playedRun) => (
        <>
          <RunStatus found={playedRun} moves={body.moves} change={change} />
          <div class="simulator" key={key}>
            <section aria-label="Graph">
              <LiveContent live={machine}>
                {(view) => (
                  <GraphDrawing
                    view={view as never}
                    states={playedRun.value}
                    tasks={playedRun.tasks}
                    select={pick}
                    selected={selected.value}
                  />
                )}
              </LiveContent>
            </section>
            <section aria-label="Next moves">
              <NextMoves
                found={playedRun}
                selected={selected.value}
                add={(more) => change([...movesMade(playedRun, body.moves), ...more].slice(0, MOST_MOVES))}
              />
              {moveList}
            </section>
          </div>
          <RunRecord found={playedRun} />
        </>
      )}
    </LiveContent>
  );
}

/** A move that was not made is dropped, and those after it. */
const movesMade = (run: PlayedRun, moves: readonly PlayMove[]): readonly PlayMove[] =>
  run.stopped === null ? moves : moves.slice(0, run.made);

interface RunStatusProps {
  found: PlayedRun;
  moves: readonly PlayMove[];
  change: RunViewProps['change'];
}

function RunStatus({ found, moves, change }: RunStatusProps) {
  const { status, elapsedMs, error, stopped } = found;
  const rejected = moves[found.made];
  return (
    <>
      <p role="status" class="run-status">
        <StatePill of={status} /> <span class="quiet">{spanText(elapsedMs)} after the launch</span>
        {error !== null && <ErrorText error={error} />}
      </p>
      {stopped !== null && rejected !== undefined && (
        <div class="problem" role="alert">
          <p>
            Move {found.made + 1}, “{moveText(rejected)}”, was not made: <ErrorText error={stopped} />
          </p>
          <button type="button" onClick={() => change(movesMade(found, moves))}>
            Drop it, and the moves after it
          </button>
        </div>
      )}
    </>
  );
}
