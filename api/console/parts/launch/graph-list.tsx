/** The list of graphs by their titles, in groups: typing narrows it, the arrow keys and Enter choose. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { groupedGraphs, type ListedGraph } from '../../data/graph-groups.ts';
import { recentGraphs } from '../../data/recent-graphs.ts';
import { inShort } from '../in-short.ts';

interface GraphListProps {
  /** undefined: still read. */
  graphs: readonly ListedGraph[] | undefined;
  /** Takes the focus when it is shown. */
  isFocused: boolean;
  choose: (name: string) => void;
}

const LIST_STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

export function GraphList({ graphs, isFocused, choose }: GraphListProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const search = useSignal('');
  const at = useSignal(0);
  const groups = groupedGraphs(graphs ?? [], recentGraphs(), search.value);
  const listed = groups.flatMap((group) => group.graphs);
  const idOf = (index: number) => `${id}-${index}`;
  useEffect(() => {
    if (isFocused) input.current?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = LIST_STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      at.value = (at.value + step + listed.length) % Math.max(1, listed.length);
      document.getElementById(idOf(at.value))?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      // It would send the form around the list.
      event.preventDefault();
      const graph = listed[at.value];
      if (graph !== undefined) choose(graph.name);
    }
  };
  return (
    <div class="graph-list">
      <label class="field">
        <span>Graph</span>
        <input
          ref={input}
          type="search"
          // biome-ignore lint/a11y/noRedundantRoles: without a list it has the role of a field for searches.
          role="combobox"
          list={undefined}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={listed.length > 0 ? idOf(at.value) : undefined}
          placeholder="erase, install, firmware"
          autoComplete="off"
          spellcheck={false}
          onKeyDown={onKeyDown}
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value;
            at.value = 0;
          }}
        />
      </label>
      <div role="listbox" id={`${id}-list`} aria-label="Graphs">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of a list is no set of fields.
          <div role="group" key={group.title} aria-label={group.title}>
            <p class="quiet" aria-hidden="true">
              {group.title}
            </p>
            {group.graphs.map((graph) => {
              const index = listed.indexOf(graph);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
                <div
                  key={graph.name}
                  id={idOf(index)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === at.value}
                  data-graph={graph.name}
                  onClick={() => choose(graph.name)}
                >
                  <span>{inShort(graph.title)}</span> <code class="quiet">{inShort(graph.name)}</code>
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <small class="quiet" role="status">
        {graphs === undefined
          ? 'Loading the graphs'
          : listed.length === 0
            ? 'No graph has these words in its title, its name or its group.'
            : countText(listed.length, 'graph')}
      </small>
    </div>
  );
}
