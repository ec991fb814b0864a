/** Which columns of a table are shown. */

export interface ColumnUse {
  /** In the address. */
  name: string;
  /** `always` shown, or only `chosen`; absent: shown until the reader hides it. */
  use?: 'always' | 'chosen';
}

/** In the order of the table. @param chosen names with commas; undefined: the usual ones */
export function shownColumns<C extends ColumnUse>(columns: readonly C[], chosen: string | undefined): C[] {
  const names = chosen?.split(',');
  return columns.filter(({ name, use }) =>
    use === 'always' ? true : names === undefined ? use !== 'chosen' : names.includes(name),
  );
}

/** @returns names with commas; undefined: they are the usual ones */
export function namesOfChoice(columns: readonly ColumnUse[], shownNames: ReadonlySet<string>): string | undefined {
  const choosable = columns.filter(({ use }) => use !== 'always');
  if (choosable.every(({ name, use }) => shownNames.has(name) === (use !== 'chosen'))) return undefined;
  return choosable.flatMap(({ name }) => (shownNames.has(name) ? [name] : [])).join(',') || 'none';
}
