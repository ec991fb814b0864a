/** Times and durations as people read them. */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** The largest unit alone, such as `2 h`. */
export const roughDuration = (ms: number): string => duration(ms, 1);

/** The two largest units, such as `2 h 5 min`; below a second `0 s`. */
export function duration(ms: number, units = 2): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first < 0) return '0 s';
  let rest = ms;
  const parts: string[] = [];
  for (const [unit, size] of UNITS.slice(first, first + units)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ');
}

/** The time since then. @param at ISO 8601 */
export const ago = (at: string, now = Date.now()): string => duration(Math.max(0, now - Date.parse(at)));
