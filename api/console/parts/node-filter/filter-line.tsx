/** The filters of the list of nodes: one line of words and tokens, which the browser completes. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { filterOfLine, isSameFilter, lineCompletions, lineOfFilter, lineProblem } from './filter-tokens.ts';
import { tokenValues } from './filter-values.ts';
import type { FilterChoices, NodeFilter } from './node-filter.ts';

interface FilterLineProps {
  filter: NodeFilter;
  choices: FilterChoices;
  skuNames: ReadonlyMap<string, string>;
  change: (filter: NodeFilter) => void;
}

export function FilterLine({ filter, choices, skuNames, change }: FilterLineProps) {
  const id = useId();
  const typed = useSignal(lineOfFilter(filter, skuNames));
  const values = tokenValues(choices, skuNames);
  // Another address, such as that of a link, has another line.
  const line = isSameFilter(filterOfLine(typed.value, values, skuNames), filter)
    ? typed.value
    : lineOfFilter(filter, skuNames);
  // Before nodes are read, no value of theirs is known.
  const problem = choices.types.length === 0 ? undefined : lineProblem(line, values);
  return (
    <search class="filter-line">
      <label>
        <span>Filter</span>
        <input
          type="search"
          list={id}
          value={line}
          autoComplete="off"
          spellcheck={false}
          placeholder="name, model, serial or MAC, status:failed, sku:r640, rack:r12, tag:gpu, power:off, health:critical"
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            change(filterOfLine(currentTarget.value, values, skuNames));
          }}
        />
      </label>
      <datalist id={id}>
        {lineCompletions(line, values).map((completion) => (
          <option key={completion} value={completion} />
        ))}
      </datalist>
      {problem !== undefined && <p role="status">{problem}</p>}
    </search>
  );
}
