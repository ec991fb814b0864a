/** Filters of a hook, each with one expression for each field. */
import type { Signal } from '@preact/signals';
import { type FilterField, filterFields, filterNames, filterText, type ShownHookFilter } from './hook-filters.ts';

export function HookFilterFields({ filters }: { filters: Signal<readonly ShownHookFilter[]> }) {
  const change = (at: number, field: FilterField, text: string) => {
    filters.value = filters.value.map((filter, index) => (index === at ? { ...filter, [field]: text } : filter));
  };
  return (
    <fieldset>
      <legend>Events</legend>
      <p class="quiet">
        {filters.value.length === 0
          ? 'Every event is sent, heartbeats too.'
          : 'An event is sent if one of these filters matches: all of its expressions (regular, not anchored).'}
      </p>
      {filters.value.map((filter, at) => (
        <fieldset key={at} class="filter" aria-label={`Filter ${at + 1}`}>
          {filterNames.map((field) => (
            <label key={field}>
              <span>{field}</span>
              <input
                maxLength={1_024}
                spellcheck={false}
                placeholder={filterFields[field]}
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
    </fieldset>
  );
}
