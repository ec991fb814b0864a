/** The entries of a record: simple ones as texts, and nested ones. */

/** Empty values are left out. A value that is no record has a row without a name. */
export function partedEntries(value: unknown): { simple: [string, string][]; nested: [string, unknown][] } {
  const entries = isRecord(value) ? Object.entries(value) : [['', value] as [string, unknown]];
  const full = entries.filter(([, inner]) => !isEmpty(inner));
  return {
    simple: full.flatMap(([name, inner]) => {
      const text = simpleText(inner);
      return text === undefined ? [] : [[name, text] as [string, string]];
    }),
    nested: full.filter(([, inner]) => simpleText(inner) === undefined),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** A list of simple values is simple too. @returns undefined for what is nested */
function simpleText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) {
    const texts = value.map(simpleText);
    return texts.every((text) => text !== undefined) ? texts.join(', ') : undefined;
  }
  return typeof value === 'object' ? undefined : String(value);
}

/** `eraseSettings` as `erase settings`; names with other signs stay as they are. */
export const wordsOfName = (name: string): string =>
  /^[a-z]+(?:[A-Z][a-z]+)*$/.test(name) ? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : name;
