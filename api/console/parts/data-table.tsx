/** A table of few rows; in a narrow window, a card for each. Many rows need `WindowedList`. */
import type { ComponentChildren } from 'preact';

export interface GridColumn<T> {
  title: string;
  cell: (row: T) => ComponentChildren;
  /** Numbers are aligned at their end. */
  isNumber?: true;
}

interface TableProps<T> {
  /** The content, for those who do not see it. */
  label: string;
  rows: readonly T[];
  columns: readonly GridColumn<T>[];
  keyOf: (row: T) => string;
  /** Instead of no rows. */
  empty: string;
}

export function DataTable<T>({ label, rows, columns, keyOf, empty }: TableProps<T>) {
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on a narrow screen it scrolls, also by keys.
    <section class="scrolls" aria-label={label} tabIndex={0}>
      <table class="few">
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber && 'number'}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isNumber }) => (
                <td key={title} class={isNumber && 'number'} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
