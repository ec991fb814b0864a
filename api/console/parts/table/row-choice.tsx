/** The choice of rows, for an action on all of them. With Shift, a click chooses all rows since the last one. */
import type { Signal } from '@preact/signals';
import type { ChoosableColumn } from './choosable-column.ts';
import { type RowClick, withRows } from './row-range.ts';

/** Ids. */
export type ChosenRows = Signal<ReadonlySet<string>>;

/** The row whose box was clicked last. */
const lastRows = new WeakMap<ChosenRows, string>();

/** A box in each row. @param rows as they are shown @param nameOf for those who do not see the row */
export const choiceColumn = <T extends { id: string }>(
  chosen: ChosenRows,
  rows: readonly T[],
  nameOf: (row: T) => string,
): ChoosableColumn<T> => ({
  name: 'choice',
  title: 'chosen',
  use: 'always',
  width: '2.25rem',
  card: 'check',
  cell: (row) => (
    <input
      type="checkbox"
      aria-label={`Select ${nameOf(row)}`}
      checked={chosen.value.has(row.id)}
      // Unlike `change`, it has the key.
      onClick={({ currentTarget, shiftKey }) => {
        const click: RowClick = { id: row.id, isChosen: currentTarget.checked };
        chosen.value = withRows(chosen.value, rows, click, shiftKey ? lastRows.get(chosen) : undefined);
        lastRows.set(chosen, row.id);
      }}
    />
  ),
});
