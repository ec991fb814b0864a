/** Lets time pass: to the next timer, or for a while. */
import { useSignal } from '@preact/signals';
import { spanText } from './move-words.ts';
import type { PlayedRun } from './use-played.ts';

const units = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
type Unit = keyof typeof units;
const TIMERS = 5;

export function TimeMoves({ found, pass }: { found: PlayedRun; pass: (ms: number) => void }) {
  const amount = useSignal('1');
  const unit = useSignal<Unit>('min');
  const ms = Number(amount.value) * units[unit.value];
  const { elapsedMs, timers } = found;
  return (
    <section class="open-call" aria-label="Time">
      <h3>Time</h3>
      <ul class="timers">
        {timers.slice(0, TIMERS).map(({ label, about, atMs }) => {
          const remainingMs = Math.max(0, atMs - elapsedMs);
          const what = `${label === null ? '' : `${label}: `}${about}`;
          return (
            <li key={`${what} ${atMs}`}>
              <button
                type="button"
                aria-label={`Let ${spanText(remainingMs)} pass, to ${what}`}
                onClick={() => pass(remainingMs)}
              >
                {spanText(remainingMs)}
              </button>{' '}
              {what}
            </li>
          );
        })}
      </ul>
      {timers.length > TIMERS && <p class="quiet">and {timers.length - TIMERS} later timers</p>}
      <div class="actions">
        <input
          type="number"
          min="0"
          step="any"
          aria-label="Time that passes"
          value={amount.value}
          onInput={({ currentTarget }) => {
            amount.value = currentTarget.value;
          }}
        />
        <select
          aria-label="Unit"
          value={unit.value}
          onChange={({ currentTarget }) => {
            unit.value = currentTarget.value as Unit;
          }}
        >
          {Object.keys(units).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button type="button" disabled={!(ms > 0) || amount.value === ''} onClick={() => pass(ms)}>
          Let it pass
        </button>
      </div>
    </section>
  );
}
