/** Returns the text as every store keeps it: without NUL, and with U+FFFD for half of a character (a lone surrogate). */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '');

/** Returns the beginning of the text, as every store and receiver takes it: a cut may leave half of a character. */
export const storableBeginning = (text: string, characters: number): string => storableText(text.slice(0, characters));

/** Returns plain data with `change` applied to every text, keys included. */
export const mapTextsAndKeys = (value: unknown, change: (text: string) => string): unknown =>
  typeof value === 'string' ? change(value) : mapInner(value, (inner) => mapTextsAndKeys(inner, change), change);

/**
 * Returns the value with `map` applied to what is directly in it. Parts that do not change are not copied: copies of the widest
 * bodies take longer than all else.
 * @param map gets the key too, '' in a list @param rename changes the keys
 */
export function mapInner(
  value: unknown,
  map: (inner: unknown, key: string) => unknown,
  rename?: (key: string) => string,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  let isSame = true;
  const changeText = (before: unknown, after: unknown) => {
    if (before !== after) isSame = false;
    return after;
  };
  if (Array.isArray(value)) {
    const items = value.map((inner) => changeText(inner, map(inner, '')));
    return isSame ? value : items;
  }
  const keys = Object.keys(value);
  const names = rename === undefined ? keys : keys.map((key) => changeText(key, rename(key)) as string);
  const inner = keys.map((key) => {
    const before: unknown = Reflect.get(value, key);
    return changeText(before, map(before, key));
  });
  // fromEntries, because assigning a key `__proto__` would set the prototype.
  return isSame ? value : Object.fromEntries(names.map((name, at) => [name, inner[at]]));
}

/** Returns parsed JSON with storable texts and keys. @param text its source: without an escape, all are */
export const storableJson = (value: unknown, text: string): unknown =>
  text.includes('\\u') ? mapTextsAndKeys(value, storableText) : value;
