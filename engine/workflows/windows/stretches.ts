/** Stretches of time: joined, and cut. */

/** From a time to another, which does not belong to it, in ms. */
export interface Interval {
  from: number;
  to: number;
}

/** Returns the stretches in their order, those that overlap or meet as one. */
export function joinStretches(stretches: readonly Interval[]): Interval[] {
  const all: Interval[] = [];
  for (const { from, to } of [...stretches].sort((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

/** Yields what remains of a stretch. @param cuts joined */
export function* cutStretch({ from, to }: Interval, cuts: readonly Interval[]): Generator<Interval, void> {
  let begin = from;
  for (const cut of cuts) {
    if (cut.to <= begin) continue;
    if (cut.from >= to) break;
    if (begin < cut.from) yield { from: begin, to: cut.from };
    begin = cut.to;
  }
  if (begin < to) yield { from: begin, to };
}
