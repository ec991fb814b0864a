/** The states that are active by a state value of XState: `a`, `{ a: 'b' }`, `{ a: { b: 'c', d: {} } }`. */

/** Paths, joined by dots: the active states and those that contain them. */
export function activeStates(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  add(value, '', found);
  return found;
}

function add(value: unknown, within: string, found: Set<string>): void {
  if (typeof value === 'string') found.add(within + value);
  else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) {
      found.add(within + key);
      add(inner, `${within}${key}.`, found);
    }
  }
}
