/** State values of machines, for people. */

/** `erasing: booting parked, working waiting`. @param value of a machine: the name of a state, or states by the one around them */
export function stateWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  const [only] = entries;
  if (only !== undefined && entries.length === 1) return `${only[0]}: ${stateWords(only[1])}`;
  return entries.map(([name, inner]) => `${name} ${stateWords(inner)}`).join(', ');
}
