/** The weekly times at which a window is open: days on which it opens, from and to. */
import type { Signal } from '@preact/signals';
import { weekdays } from '../../../../engine/vocabulary/weekdays.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { Field } from '../../parts/field.tsx';

export type Span = GetAnswer<'/windows'>[number]['spans'][number];

/** Monday first. */
const days = [...weekdays.slice(1), ...weekdays.slice(0, 1)];

export const NIGHT: Span = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '22:00', to: '05:00' };

/** The end of the day is midnight in a field for times. */
const fieldTime = (time: string): string => (time === '24:00' ? '00:00' : time);

export function SpanFields({ spans }: { spans: Signal<readonly Span[]> }) {
  const change = (at: number, changed: Partial<Span>) => {
    spans.value = spans.value.map((span, index) => (index === at ? { ...span, ...changed } : span));
  };
  const time = (at: number, key: 'from' | 'to') => (
    <Field label={key}>
      <input
        type="time"
        required
        value={fieldTime(spans.value[at]?.[key] ?? '')}
        onInput={({ currentTarget }) => change(at, { [key]: currentTarget.value })}
      />
    </Field>
  );
  return (
    <fieldset>
      <legend>Open</legend>
      {spans.value.map((span, at) => (
        <fieldset key={at} aria-label={`Times ${at + 1}`}>
          <p class="actions">
            {days.map((day) => (
              <label class="check" key={day}>
                <input
                  type="checkbox"
                  checked={span.days.includes(day)}
                  onChange={({ currentTarget: { checked } }) =>
                    change(at, { days: days.filter((one) => (one === day ? checked : span.days.includes(one))) })
                  }
                />{' '}
                {day}
              </label>
            ))}
          </p>
          <div class="bounds">
            {time(at, 'from')}
            {time(at, 'to')}
          </div>
          {spans.value.length > 1 && (
            <button
              type="button"
              aria-label={`Remove times ${at + 1}`}
              onClick={() => {
                spans.value = spans.value.filter((_, index) => index !== at);
              }}
            >
              Remove
            </button>
          )}
        </fieldset>
      ))}
      <p class="quiet">An end that is not after its begin is on the next day.</p>
      <button
        type="button"
        onClick={() => {
          spans.value = [...spans.value, NIGHT];
        }}
      >
        Add times
      </button>
    </fieldset>
  );
}
