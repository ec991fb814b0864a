/** The order of a table: a field, with a minus if it descends. */

/** The order after a click on the header: the first one of its column, then the opposite. @param first such as `-createdAt` */
export const nextSort = (first: string, current: string): string => (current === first ? oppositeSort(first) : first);

export const oppositeSort = (sort: string): string => (sort.startsWith('-') ? sort.slice(1) : `-${sort}`);

/** @returns undefined: the table is not sorted by the column */
export function directionOf(first: string | undefined, current: string): 'ascending' | 'descending' | undefined {
  if (first === undefined || (current !== first && current !== oppositeSort(first))) return undefined;
  return current.startsWith('-') ? 'descending' : 'ascending';
}
