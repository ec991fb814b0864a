/** The bars of a timeline: a row for each task, in shares of the width, so that it fits any screen. */
import { preciseDuration } from '../../../client/usual-time.ts';
import { wordOf } from '../../data/shown-states.ts';
import { clockTime } from '../../data/shown-times.ts';
import { barTone, type ShownBar, type TimelineRow, ticks } from './timeline-bars.ts';

/** ms since 1970 */
export interface TimelineScale {
  from: number;
  to: number;
}

const TICKS = 6;

const shareOf = ({ from, to }: TimelineScale, at: number): string =>
  `${(100 * (Math.min(Math.max(at, from), to) - from)) / (to - from)}%`;

export function TimelineAxis({ scale }: { scale: TimelineScale }) {
  return (
    <div class="axis" aria-hidden="true">
      {ticks(scale.from, scale.to, TICKS).map((at) => (
        <span key={at} style={{ left: shareOf(scale, at) }}>
          {clockTime(at)}
        </span>
      ))}
    </div>
  );
}

interface TimelineRowsProps {
  rows: readonly TimelineRow[];
  scale: TimelineScale;
  selected?: string | undefined;
  /** Absent: rows cannot be chosen. */
  select?: (label: string) => void;
  /** Workflows around it. */
  depth?: number;
}

export function TimelineRows({ rows, scale, selected, select, depth = 0 }: TimelineRowsProps) {
  return rows.map(({ label, bars }) => {
    const content = (
      <>
        <span class="name" title={label} style={{ paddingLeft: `${depth}rem` }}>
          {label}
        </span>
        <TimelineBars bars={bars} scale={scale} />
      </>
    );
    if (select === undefined)
      return (
        <div class="row" key={label}>
          {content}
        </div>
      );
    return (
      <button type="button" class="row" key={label} aria-pressed={label === selected} onClick={() => select(label)}>
        {content}
      </button>
    );
  });
}

/** @param bars one that has not ended reaches to the end of the scale */
export function TimelineBars({ bars, scale }: { bars: readonly ShownBar[]; scale: TimelineScale }) {
  return (
    <span class="segments">
      {bars.map((bar) => {
        const { from, to = scale.to, state, attempt, error } = bar;
        const texts = [wordOf(state), attempt && `attempt ${attempt}`, preciseDuration(to - from), error];
        return (
          <span
            key={`${from} ${state}`}
            class={`segment ${barTone(bar)}`}
            style={{ left: shareOf(scale, from), width: shareOf(scale, scale.from + to - from) }}
            title={texts.filter(Boolean).join(', ')}
          />
        );
      })}
    </span>
  );
}
