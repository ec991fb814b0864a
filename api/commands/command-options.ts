/** Arguments of a command. */
export interface TakenOptions {
  options: ReadonlySet<string>;
  rest: string[];
}

/** @returns undefined if an option is unknown */
export function takenOptions(args: readonly string[], known: readonly string[]): TakenOptions | undefined {
  const options = new Set(args.filter((arg) => arg.startsWith('--')));
  if ([...options].some((option) => !known.includes(option))) return undefined;
  return { options, rest: args.filter((arg) => !arg.startsWith('--')) };
}
