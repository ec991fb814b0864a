/**
 * A workflow without hardware: the reader chooses how each call ends, what the node notifies, and when time passes. The
 * daemon takes the steps, in memory; the page keeps only the moves, which its address has too.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { mayOperateSite } from '../data/current-user.ts';
import { Heading } from '../parts/heading.tsx';
import { Problem } from '../parts/problem.tsx';
import { RunSetup } from './simulator/run-setup.tsx';
import { RunView } from './simulator/run-view.tsx';
import { addressOfRun, type PlayableRun, runOfAddress } from './simulator/simulated-run.ts';
import '../styles/simulator.css';

export function SimulatorPage() {
  const { query } = useLocation();
  const run = useSignal<PlayableRun>({
    graph: query.graph ?? '',
    moves: [],
    ...(query.node !== undefined && { node: query.node }),
  });
  const problem = useSignal<unknown>(undefined);
  const isTooLong = useSignal(false);
  const change = async (next: PlayableRun) => {
    run.value = next;
    const address = await addressOfRun(next);
    isTooLong.value = address === undefined;
    if (run.value === next) history.replaceState(history.state, '', `/ui/simulator#${address ?? ''}`);
  };
  useEffect(() => {
    const read = () => {
      const address = location.hash.slice(1);
      if (address === '') return;
      runOfAddress(address).then(
        (playableRun) => {
          [run.value, problem.value] = [playableRun, undefined];
        },
        () => {
          problem.value = 'The address of this page has no run that can be read. Start a new one.';
        },
      );
    };
    read();
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return (
    <>
      <Heading>Simulator</Heading>
      {mayOperateSite.value ? (
        <>
          <Problem error={problem.value} />
          <RunSetup run={run.value} begin={(next) => void change(next)} />
          {isTooLong.value && <p class="quiet">The run is too long for an address: it cannot be linked to.</p>}
          {run.value.graph !== '' && (
            <RunView run={run.value} change={(moves) => void change({ ...run.value, moves })} />
          )}
        </>
      ) : (
        <p class="quiet">
          Your role may not simulate workflows. The privilege ConfigureComponents is needed: the code of the graph runs
          in the daemon.
        </p>
      )}
    </>
  );
}
