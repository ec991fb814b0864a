/** The results of the bench: one line each, with its goal if there is one. */

export interface Line {
  name: string;
  value: number;
  unit: string;
  goal?: Goal;
}

export interface Goal {
  /** `least`: the value is a minimum. */
  kind: 'least' | 'most';
  value: number;
}

export const least = (value: number): Goal => ({ kind: 'least', value });
export const most = (value: number): Goal => ({ kind: 'most', value });

/** All files of a figure are below a folder that is removed when the bench ends. */
export interface Place {
  /** Returns the path of a folder; the same name returns the same folder. */
  folder(name: string): string;
}

/** @throws Skipped */
export type Figure = (place: Place) => Promise<Line[]>;

/** This machine lacks something that the figure needs. It is reported, and is no failure. */
export class Skipped extends Error {}

const meets = (value: number, { kind, value: limit }: Goal): boolean =>
  kind === 'least' ? value >= limit : value <= limit;

export const verdict = ({ value, goal }: Line): 'PASS' | 'FAIL' | undefined =>
  goal && (meets(value, goal) ? 'PASS' : 'FAIL');

/** @param share 0.5 is the median; the nearest existing value, not an average */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function spread(name: string, millis: readonly number[]): Line[] {
  return [
    { name: `${name}, p50`, value: median(millis), unit: 'ms' },
    { name: `${name}, p99`, value: quantile(millis, 0.99), unit: 'ms' },
  ];
}

/** Puts the circumstances in front of the name of each line. */
export const under = (circumstances: string, lines: readonly Line[]): Line[] =>
  lines.map((line) => ({ ...line, name: `${circumstances}: ${line.name}` }));
