/** Returns a copy of plain data with `change` applied to every text, keys included. */
export function mapTextsAndKeys(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((inner) => mapTextsAndKeys(inner, change));
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries, because assigning a key `__proto__` would set the prototype.
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name), mapTextsAndKeys(inner, change)]),
  );
}
