/** The rows of a long list that are in view, and the room that the others need. Rows may have different heights. */

export interface RowsInView {
  first: number;
  /** The row after the last one. */
  end: number;
  /** px of the rows before the first one. */
  above: number;
  /** px of the rows from `end`. */
  below: number;
}

/** Rows above and below the view, so that a quick scroll shows no gap. */
const SPARE = 6;

/** @returns where each row begins, in px from the first one; and at last, where the rows end */
export function rowEdges<T>(rows: readonly T[], heightOf: (row: T) => number): number[] {
  const edges = [0];
  let edge = 0;
  for (const row of rows) {
    edge += heightOf(row);
    edges.push(edge);
  }
  return edges;
}

/** @param top px from the first row to the upper edge of the view @param height px of the view */
export function rowsInView(edges: readonly number[], top: number, height: number): RowsInView {
  const count = edges.length - 1;
  const total = edges[count] ?? 0;
  const end = Math.min(count, rowAt(edges, Math.max(0, top + height)) + 1 + SPARE);
  const first = Math.max(0, Math.min(rowAt(edges, Math.max(0, top)) - SPARE, end - 1));
  return { first, end, above: edges[first] ?? 0, below: total - (edges[end] ?? total) };
}

/** The row at a place, or the last one if the place lies below it. */
function rowAt(edges: readonly number[], place: number): number {
  let [low, high] = [0, Math.max(0, edges.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((edges[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
