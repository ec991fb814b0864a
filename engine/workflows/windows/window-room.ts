/** The room of a window: something begins only if the time that it usually needs is over before the window closes. */
import type { UsualMs } from '../../api-port/diagnosis.ts';
import type { WindowRecord, WindowTimes } from '../../api-port/windows.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';
import { windowState } from './window-state.ts';

type Window = WindowTimes & Pick<WindowRecord, 'leadMinutes'>;

/** Openings that an estimate looks at. */
const OPENINGS = 400;

/** @param usual how long it takes; undefined: not known @param at ms since 1970 */
export function hasRoom(window: Window, usual: UsualMs | undefined, at: number): boolean {
  const { open, closesAt } = windowState(window, at);
  return open && at + neededMs(window, usual) < endOf(closesAt);
}

/** Returns the end of turns that follow each other, in ms since 1970; undefined: the window has no room for them. */
export function endOfTurns(window: Window, usual: UsualMs, turns: number, at: number): number | undefined {
  const turnMs = Math.max(1, usual.p50);
  let begin = at;
  let remaining = turns;
  for (let n = 0; n < OPENINGS; n += 1) {
    const { open, closesAt, next } = windowState(window, begin);
    const fitting = open ? Math.max(0, Math.ceil((endOf(closesAt) - neededMs(window, usual) - begin) / turnMs)) : 0;
    if (fitting >= remaining) return begin + remaining * turnMs;
    if (next === null) return undefined;
    remaining -= fitting;
    begin = Date.parse(next.opensAt);
  }
  return undefined;
}

const neededMs = ({ leadMinutes }: Window, usual: UsualMs | undefined): number =>
  Math.max(usual?.p90 ?? 0, leadMinutes * MINUTE_MS);

/** A window that does not close ends at infinity. */
const endOf = (closesAt: string | null | undefined): number =>
  typeof closesAt === 'string' ? Date.parse(closesAt) : Number.POSITIVE_INFINITY;
