/** The options of a launch, as a request has them. */

/** By task label, or `defaults` for all tasks. */
export type TaskOptions = Record<string, Record<string, unknown>>;

export interface TaskOption {
  label: string;
  key: string;
  value: unknown;
}

/** The last of several values of one key counts. */
export function taskOptionsOf(given: readonly TaskOption[]): TaskOptions {
  const labels = new Set(given.map(({ label }) => label));
  const ofLabel = (wanted: string) =>
    Object.fromEntries(given.filter(({ label }) => label === wanted).map(({ key, value }) => [key, value]));
  return Object.fromEntries([...labels].map((label) => [label, ofLabel(label)]));
}
