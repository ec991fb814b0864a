/** The filters of the list of nodes: one line of words and tokens, which the browser completes. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { filterOfLine, isSameFilter, lineCompletions, lineOfFilter } from './filter-tokens.ts';
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
  // Another address, such as that of a link, has another line.
  const line = isSameFilter(filterOfLine(typed.value, skuNames), filter) ? typed.value : lineOfFilter(filter, skuNames);
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
          placeholder="name, model, serial or MAC, health:critical, state:busy, power:off, sku:, tag:, type:, held:held"
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            change(filterOfLine(currentTarget.value, skuNames));
          }}
        />
      </label>
      <datalist id={id}>
        {lineCompletions(line, choices, skuNames).map((completion) => (
          <option key={completion} value={completion} />
        ))}
      </datalist>
    </search>
  );
}
