/** Child workflows below the one at their top, the oldest first, folded until the reader wants them. */

interface Wait {
  waitingOn: string;
}

interface FoldableRow {
  id: string;
  root: string | null;
  parent: string | null;
  waiting: Wait | null;
  createdAt: string;
}

export type FoldedRow<T extends FoldableRow> = T & {
  /** How many of the list are below it. */
  children: number;
  /** It is shown below the one at its top. */
  isBelow: boolean;
  /** The wait of the child, if the workflow waits for one. */
  below: T['waiting'];
};

/**
 * A child whose top is not in the list has a row of its own.
 * @param unfolded ids of those whose children are shown
 */
export function foldedRows<T extends FoldableRow>(rows: readonly T[], unfolded: ReadonlySet<string>): FoldedRow<T>[] {
  const children = new Map<string, T[]>(rows.map(({ id }) => [id, []]));
  const tops = rows.filter((row) => {
    const siblings = row.root === null ? undefined : children.get(row.root);
    siblings?.push(row);
    return siblings === undefined;
  });
  return tops.flatMap((row) => {
    const childRows = (children.get(row.id) ?? []).toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const shownRows = unfolded.has(row.id) ? childRows : [];
    return [
      { ...row, children: childRows.length, isBelow: false, below: waitBelow(row, childRows) },
      ...shownRows.map((child) => ({ ...child, children: 0, isBelow: true, below: waitBelow(child, childRows) })),
    ];
  });
}

function waitBelow<T extends FoldableRow>({ id, waiting }: T, below: readonly T[]): T['waiting'] {
  if (waiting?.waitingOn !== 'child') return null;
  const child = below.find((one) => one.parent === id && one.waiting !== null);
  return child === undefined ? null : (waitBelow(child, below) ?? child.waiting);
}
