/** Numbers that a seed decides (mulberry32): what befalls a campaign can be asked for again. */
export type Draw = () => number;

/** @returns numbers from 0 to below 1. @param part each part of a campaign has a row of its own, whatever the others draw */
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

/** @param choices what may come, each as often as its weight says */
export function pick<T>(draw: Draw, choices: readonly { weight: number; of: T }[]): T {
  let left = draw() * choices.reduce((sum, { weight }) => sum + weight, 0);
  for (const { weight, of } of choices) {
    left -= weight;
    if (left < 0) return of;
  }
  return (choices.at(-1) as { of: T }).of;
}
