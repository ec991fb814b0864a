/** Pseudo-random numbers from a seed (mulberry32), so that the faults of a campaign can be repeated. */
export type Draw = () => number;

/** Returns numbers from 0 to below 1. @param part each part of a campaign has its own independent sequence */
export function random(seed: number, part = 0): Draw {
  let state = (seed + Math.imul(part, 0x9e3779b9)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const between = (draw: Draw, from: number, to: number): number => from + draw() * (to - from);

/** @param choices options, drawn in proportion to their weights */
export function pick<T>(draw: Draw, choices: readonly { weight: number; of: T }[]): T {
  let left = draw() * choices.reduce((sum, { weight }) => sum + weight, 0);
  for (const { weight, of } of choices) {
    left -= weight;
    if (left < 0) return of;
  }
  return (choices.at(-1) as { of: T }).of;
}
