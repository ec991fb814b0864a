/** The times of tasks as bars: of each task the spans in which it ran and waited, from the history. */

import { type Tone, toneOf } from '../../data/shown-states.ts';

export interface TimelineLine {
  at: string;
  event: string;
  label?: string | undefined;
  to?: unknown;
  attempt?: number | undefined;
  error?: { code: string; message: string } | undefined;
}

export interface TimelineBar {
  state: 'running' | 'waiting';
  attempt: number;
  /** ms since 1970 */
  from: number;
  /** undefined: it continues. */
  to: number | undefined;
  /** The state of the task after it; undefined: it continues. */
  next: string | undefined;
  /** The code of the error that ended it. */
  error: string | undefined;
}

export interface TimelineRow {
  label: string;
  bars: TimelineBar[];
}

/** In the order in which the tasks began; tasks that did not begin have no row. */
export function timelineRows(lines: readonly TimelineLine[]): TimelineRow[] {
  const rows = new Map<string, TimelineRow>();
  for (const { at, event, label, to, attempt = 1, error } of lines) {
    if (label === undefined || !event.startsWith('task.')) continue;
    const row = rows.get(label) ?? { label, bars: [] };
    const open = row.bars.at(-1);
    const time = Date.parse(at);
    if (open !== undefined && open.to === undefined) [open.to, open.next, open.error] = [time, String(to), error?.code];
    if (to === 'running' || to === 'waiting')
      row.bars.push({ state: to, attempt, from: time, to: undefined, next: undefined, error: undefined });
    if (row.bars.length > 0) rows.set(label, row);
  }
  return [...rows.values()];
}

export interface ShownBar extends Pick<TimelineBar, 'from' | 'to' | 'error'> {
  /** The state of a task or a workflow. */
  state: string;
  next?: string | undefined;
  attempt?: number;
}

/** A cancelled task did not fail, although its end has an error. */
export function barTone({ state, to, next, error }: ShownBar): Tone {
  if (next === 'cancelled') return 'cancelled';
  if (error !== undefined) return 'failed';
  return state === 'running' && to !== undefined ? 'succeeded' : toneOf(state);
}

/** Round times between two others, for the axis: at most `most`. */
export function ticks(from: number, to: number, most: number): number[] {
  const wanted = Math.max(1, to - from) / most;
  const step = STEPS.find((size) => size >= wanted) ?? Math.ceil(wanted / DAY) * DAY;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => first + index * step);
}

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const STEPS = [
  ...[1, 5, 10, 50, 100, 500],
  ...[1, 2, 5, 10, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 30].map((n) => n * MINUTE),
  ...[1, 2, 6, 12].map((n) => n * HOUR),
  DAY,
];
