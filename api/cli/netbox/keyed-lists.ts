/** @param keysOf several keys put a value into several lists @returns the values that have a key in common, by the key */
export function keyedLists<K, T>(values: readonly T[], keysOf: (value: T) => readonly K[]): Map<K, T[]> {
  const lists = new Map<K, T[]>();
  for (const value of values) {
    for (const key of keysOf(value)) {
      const list = lists.get(key);
      if (list === undefined) lists.set(key, [value]);
      else list.push(value);
    }
  }
  return lists;
}
