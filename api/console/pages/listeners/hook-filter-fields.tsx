/** Filters of a hook by expressions, each with one expression for each field. */
import type { Signal } from '@preact/signals';
import { type FilterField, filterFields, filterNames, filterText } from './hook-filters.ts';
import type { ShownHookFilter } from './shown-hook.ts';

export function HookFilterFields({ filters }: { filters: Signal<readonly ShownHookFilter[]> }) {
  const change = (at: number, field: FilterField, text: string) => {
    filters.value = filters.value.map((filter, index) => (index === at ? { ...filter, [field]: text } : filter));
  };
  return (
    <>
      <p class="quiet">
        An event is also sent if one of these filters matches: all of its expressions (regular, not anchored).
      </p>
      {filters.value.map((filter, at) => (
        <fieldset key={at} class="filter" aria-label={`Filter ${at + 1}`}>
          {filterNames.map((field) => (
            <label key={field}>
              <span>{filterFields[field].title}</span>
              <input
                maxLength={1_024}
                spellcheck={false}
                placeholder={filterFields[field].example}
                value={filter[field] ?? ''}
                onInput={({ currentTarget }) => change(at, field, currentTarget.value)}
              />
            </label>
          ))}
          <button
            type="button"
            aria-label={`Remove the filter ${filterText([filter])}`}
            onClick={() => {
              filters.value = filters.value.filter((_, index) => index !== at);
            }}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <button
        type="button"
        onClick={() => {
          filters.value = [...filters.value, {}];
        }}
      >
        Add a filter
      </button>
    </>
  );
}
