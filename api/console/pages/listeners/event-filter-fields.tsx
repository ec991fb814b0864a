/** Fields that select events. */
import type { Signal } from '@preact/signals';
import { Field } from '../../parts/field.tsx';
import type { EventFilter } from './event-buffer.ts';

const fields: { name: Exclude<keyof EventFilter, 'withHeartbeats'>; title: string; example: string }[] = [
  { name: 'event', title: 'Event', example: 'graph.finished' },
  { name: 'severity', title: 'Severity', example: 'critical' },
  { name: 'status', title: 'Status', example: 'failed' },
  { name: 'node', title: 'Node', example: 'name or id' },
  { name: 'of', title: 'Graph or id', example: 'Graph.Drive' },
];

export function EventFilterFields({ filter, changed }: { filter: Signal<EventFilter>; changed: () => void }) {
  return (
    <div class="filters">
      {fields.map(({ name, title, example }) => (
        <Field key={name} label={title}>
          <input
            type="search"
            placeholder={example}
            value={filter.value[name]}
            onInput={({ currentTarget }) => {
              filter.value = { ...filter.value, [name]: currentTarget.value };
              changed();
            }}
          />
        </Field>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={filter.value.withHeartbeats}
          onChange={({ currentTarget }) => {
            filter.value = { ...filter.value, withHeartbeats: currentTarget.checked };
            changed();
          }}
        />{' '}
        Heartbeats
      </label>
    </div>
  );
}
