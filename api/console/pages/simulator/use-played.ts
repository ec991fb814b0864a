/** The answer of the daemon to a run. While the next one is asked for, the last one stays. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PostAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { type LiveValue, onEvents } from '../../data/live.ts';
import type { RequestError } from '../../data/request-error.ts';
import type { PlayableRun } from './simulated-run.ts';

export type PlayedRun = PostAnswer<'/workflows/graphs/:name/simulate'>;

export function usePlayed(run: PlayableRun): LiveValue<PlayedRun> {
  const value = useSignal<PlayedRun | undefined>(undefined);
  const problem = useSignal<RequestError | undefined>(undefined);
  const again = useSignal(0);
  useEffect(() => {
    let isWanted = true;
    const { graph, node, options, moves } = run;
    const body = {
      moves: [...moves],
      ...(node !== undefined && { node }),
      ...(options !== undefined && { options }),
    };
    if (value.value?.graph !== graph) value.value = undefined;
    client.post('/workflows/graphs/:name/simulate', { params: { name: graph }, body }).then(
      (answer) => {
        if (isWanted) [value.value, problem.value] = [answer.body, undefined];
      },
      (error: RequestError) => {
        if (!isWanted) return;
        problem.value = error;
        // While the daemon is away, the last answer stays, and the banner says so.
        if (error.status !== 0) value.value = undefined;
      },
    );
    const ignore = onEvents((event) => {
      if (event === undefined && problem.peek() !== undefined) again.value += 1;
    });
    return () => {
      isWanted = false;
      ignore();
    };
  }, [run, again.value]);
  return {
    value,
    problem,
    reload: () => {
      again.value += 1;
    },
  };
}
