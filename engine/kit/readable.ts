/** States, times, values and steps as one line of text, for people and snapshots: without ids and dates. */
import type { HistoryEntry } from '../durable/step/row.ts';

/** Returns the names of the active states, as in `erasing.booting.parked, erasing.working.waiting`. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '(none)';
  const parts = Object.entries(value).flatMap(([key, below]) => {
    const inner = stateText(below);
    return inner === '' ? [key] : inner.split(', ').map((one) => `${key}.${one}`);
  });
  return parts.join(', ');
}

const UNITS: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** Returns a duration as in `1h 30m` or `1.5s`; not rounded. */
export function timeText(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  let remainingMs = ms;
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = unit === 's' ? remainingMs / size : Math.floor(remainingMs / size);
    if (count > 0) parts.push(`${count}${unit}`);
    remainingMs -= count * size;
  }
  return parts.join(' ');
}

const TEXT_LIMIT = 80;

/** Returns a value as short JSON. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}...` : text;
}

/** Returns a step since the launch, such as `1.5s disks: running -> waiting (attempt 2, OBM_BUSY: the BMC is busy)`. */
export function traceLine({ at, event, label, from, to, attempt, error }: HistoryEntry, start: number): string {
  const who = label ?? (event.startsWith('workflow.') ? 'workflow' : 'graph');
  const notes = [
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(error === undefined ? [] : [`${error.code}: ${error.message}`]),
  ];
  const [before, after] = [stateText(from), stateText(to)];
  const states = before === after ? `${after} [${event.replace(/^\w+\./, '')}]` : `${before} -> ${after}`;
  return `${timeText(Date.parse(at) - start)} ${who}: ${states}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}
