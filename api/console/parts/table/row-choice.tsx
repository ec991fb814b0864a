/** The choice of rows, for an action on all of them. */
import type { Signal } from '@preact/signals';
import type { ChoosableColumn } from './choosable-column.ts';

/** Ids. */
export type ChosenRows = Signal<ReadonlySet<string>>;

/** A box in each row. @param nameOf for those who do not see the row */
export const choiceColumn = <T extends { id: string }>(
  chosen: ChosenRows,
  nameOf: (row: T) => string,
): ChoosableColumn<T> => ({
  name: 'choice',
  title: 'chosen',
  use: 'always',
  width: '3%',
  card: 'check',
  cell: (row) => <RowBox id={row.id} name={nameOf(row)} chosen={chosen} />,
});

function RowBox({ id, name, chosen }: { id: string; name: string; chosen: ChosenRows }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${name}`}
      checked={chosen.value.has(id)}
      onChange={({ currentTarget }) => {
        const next = new Set(chosen.value);
        if (currentTarget.checked) next.add(id);
        else next.delete(id);
        chosen.value = next;
      }}
    />
  );
}
