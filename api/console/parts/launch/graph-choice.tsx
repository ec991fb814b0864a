/** The choice of a graph: a list of all until one is chosen, then its title. */
import { useSignal } from '@preact/signals';
import { mayLaunchGraph } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import type { ListedGraph } from '../../data/graph-groups.ts';
import { graphTitle } from '../../data/graph-titles.ts';
import { useLive } from '../../data/live.ts';
import { inShort } from '../in-short.ts';
import { Problem } from '../problem.tsx';
import { GraphList } from './graph-list.tsx';
import '../../styles/launch.css';

interface GraphChoiceProps {
  /** '': none. */
  value: string;
  /** Called with the name of a graph, or with '' while another one is looked for. */
  choose: (name: string) => void;
}

export function GraphChoice({ value, choose }: GraphChoiceProps) {
  const { value: graphs, problem } = useLive('graph-choice', readGraphs);
  const name = useSignal(value);
  const isChanged = useSignal(false);
  const change = (chosen: string) => {
    [name.value, isChanged.value] = [chosen, true];
    choose(chosen);
  };
  const title = graphs.value?.find((graph) => graph.name === name.value)?.title;
  return (
    <div class="graph-choice">
      {name.value === '' ? (
        <GraphList graphs={graphs.value} isFocused={isChanged.value} choose={change} />
      ) : (
        <p class="chosen-graph">
          <span class="quiet">Graph</span> <strong>{inShort(title ?? name.value)}</strong>{' '}
          {title !== undefined && <code class="quiet">{inShort(name.value)}</code>}{' '}
          <button
            type="button"
            class="plain"
            // The list that had the focus is not there any more.
            ref={(button) => {
              if (isChanged.value && document.activeElement === document.body) button?.focus();
            }}
            onClick={() => change('')}
          >
            Choose another graph
          </button>
        </p>
      )}
      <Problem error={problem.value} />
    </div>
  );
}

/** Reads the graphs that the user may launch. */
async function readGraphs(): Promise<ListedGraph[]> {
  const { body } = await client.get('/workflows/graphs', { query: { $top: 1_000 } });
  const graphs = body as { injectableName: string; friendlyName: string }[];
  return graphs
    .filter(({ injectableName }) => mayLaunchGraph(injectableName))
    .map(({ injectableName, friendlyName }) => ({
      name: injectableName,
      title: graphTitle(injectableName, friendlyName),
    }));
}
