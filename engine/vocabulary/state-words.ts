/** State values of machines, for people. */

/** `erasing: booting parked, working waiting`. @param value of a machine: the name of a state, or states by the one around them */
export function stateWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  const [only] = entries;
  if (only !== undefined && entries.length === 1) return `${only[0]}: ${stateWords(only[1])}`;
  return entries.map(([name, inner]) => `${name} ${stateWords(inner)}`).join(', ');
}

/** The paths of the states that contain no other active one: `erasing: waiting`. @param value as of `stateWords` */
export function innermostStates(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [String(value)];
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = innermostStates(inner);
    return below.length === 0 ? [name] : below.map((path) => `${name}: ${path}`);
  });
}
