/** Rows that one click chooses. */

export interface RowClick {
  id: string;
  /** Whether its box is checked since the click. */
  isChosen: boolean;
}

/**
 * @param rows as they are shown
 * @param from the row before, with which the range begins; undefined, or not shown any more: the click is for one row
 * @returns the ids of `chosen` with those of the range, or without them
 */
export function withRows(
  chosen: ReadonlySet<string>,
  rows: readonly { id: string }[],
  { id, isChosen }: RowClick,
  from: string | undefined,
): Set<string> {
  const [first, last] = [from ?? id, id]
    .map((one) => rows.findIndex((row) => row.id === one))
    .toSorted((a, b) => a - b);
  const isRange = first !== undefined && last !== undefined && first >= 0;
  const clickedIds = isRange ? rows.slice(first, last + 1).map((row) => row.id) : [id];
  const next = new Set(chosen);
  for (const one of clickedIds) {
    if (isChosen) next.add(one);
    else next.delete(one);
  }
  return next;
}
