/** The states that are active by a state value of XState: `a`, `{ a: 'b' }`, `{ a: { b: 'c', d: {} } }`. */

/** Paths, joined by dots: the active states and those that contain them. @param prefix of each path */
export function activeStates(value: unknown, prefix = ''): ReadonlySet<string> {
  const states = new Set<string>();
  add(value, prefix, states);
  return states;
}

function add(value: unknown, within: string, states: Set<string>): void {
  if (typeof value === 'string') states.add(within + value);
  else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) {
      states.add(within + key);
      add(inner, `${within}${key}.`, states);
    }
  }
}
